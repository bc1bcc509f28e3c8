import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { type Assumptions, defaults, gbSeconds, logBytes } from "../../cli/cost/assumptions.js";
import { corpus, corpusSize, deliveryWriteUnits, type StepName, sizeOf, stepOf } from "../../cli/cost/counted.js";
import { deployed, hoursPerMonth, idleMonth } from "../../cli/cost/idle.js";
import { monthOf, type Workload } from "../../cli/cost/month.js";
import { meters, priceOf, regions } from "../../cli/cost/prices.js";
import prices from "../../cli/cost/prices.json" with { type: "json" };
import { costOf, sum, times, type Usage } from "../../cli/cost/usage.js";
import { accepted, deliveredFirst, duplicated, exhausted, parked, probesOf } from "../../cli/cost/use-cases.js";
import { counts, values } from "../../functions/shared/metric-names.js";
import { relayTemplate, resources } from "../lib/relay-template.js";

const small = sizeOf(500);
const workload: Workload = { events: 1_000_000, size: small, failureRate: 0, fanOut: 1, outageHours: 0 };

describe("prices.json", () => {
  it("has one line for each meter, with a source, where it was read, and a price of each region", () => {
    expect(prices.lines.map(({ id }) => id)).toEqual([...meters]);
    for (const { source, read, unit, per, prices: own } of prices.lines) {
      expect(source).toMatch(/^https:\/\//);
      expect(read).toMatch(/20\d\d|not verified|public repositor|\.com/);
      expect(unit).not.toBe("");
      expect(per).toBeGreaterThan(0);
      expect(Object.keys(own)).toEqual([...regions]);
    }
    expect(Number.isNaN(Date.parse(prices.asOf))).toBe(false);
  });

  it("gives the price of one unit", () => {
    expect(priceOf("dynamodb.writeUnits", "us-east-1")).toBeCloseTo(0.000000625, 12);
    expect(costOf({ "dynamodb.writeUnits": 4_000_000, "s3.puts": 1_000 }, "us-east-1")).toBeCloseTo(2.505, 9);
  });
});

describe("an event's size", () => {
  it.each([
    ["256", 256],
    ["1k", 1_024],
    ["10k", 10_240],
    ["100k", 102_400],
    ["1m", 1_048_576],
  ])("costs what was counted of it: %s", (name, bytes) => {
    const size = sizeOf(bytes);
    const [accept, deliver] = [stepOf(`accepted${name}` as StepName), stepOf(`delivered${name}` as StepName)];
    const first = deliveredFirst(size, defaults);
    expect(accepted(size, defaults)["sqs.requests"]).toBe(accept.queueRequests);
    expect(first["dynamodb.writeUnits"]).toBe(deliver.writeUnits);
    expect(first["s3.puts"] ?? 0).toBe(deliver.puts);
  });

  it("of a large body goes by the bucket", () => {
    const large = sizeOf(6 * 1_024 ** 2);
    expect(large.inBucket).toBe(true);
    // Claim check: JSON of that size still fits into a message when it is packed.
    expect(large.byBucket).toBe(large.packedBytes > 780_000);
    expect(accepted(large, defaults)["apiGateway.requests"]).toBe(12);
  });

  it("costs GitHub's payloads what was counted in the mean, and nearly that when only the mean size is known", () => {
    expect(deliveredFirst(corpusSize, defaults)["dynamodb.writeUnits"]).toBeCloseTo(corpus.writeUnits, 9);
    expect(deliveryWriteUnits() + sizeOf(corpus.bodyBytes).eventWriteUnits).toBeCloseTo(corpus.writeUnits, -0.5);
  });
});

describe("Lambda's time", () => {
  it("is what is waited at the function's memory, and CPU time at the memory of a whole CPU", () => {
    expect(gbSeconds(1_000, 0, 512)).toBe(0.5);
    expect(gbSeconds(0, 1_000, 512)).toBeCloseTo(1_769 / 1_024, 12);
    expect(gbSeconds(0, 1_000, 3_538)).toBeCloseTo(3_538 / 1_024, 12);
  });

  it("is that of the template's functions", () => {
    const memory = resources(relayTemplate(), "::Lambda::Function").flatMap(([id, { Properties }]) => {
      const mb = Properties["MemorySize"];
      return mb === undefined ? [] : [[/Delivery/.test(id) ? "delivery" : "others", mb]];
    });
    expect(Object.fromEntries(memory)).toEqual({ delivery: defaults.deliveryMemoryMb, others: defaults.memoryMb });
  });

  it("is shared by a batch, but for the CPU time that each event takes", () => {
    const alone: Assumptions = { ...defaults, batchSize: 1 };
    const seconds = (assumed: Assumptions) => deliveredFirst(small, assumed)["lambda.gbSeconds"] ?? 0;
    expect(seconds(alone) / seconds(defaults)).toBeGreaterThan(6);
    expect(seconds({ ...defaults, latencyMs: 400 }) - seconds(defaults)).toBeCloseTo((0.2 * 0.375) / 10, 9);
  });
});

describe("a month", () => {
  const named = (name: string, given: Workload = workload) =>
    monthOf(given, defaults).find((part) => part.name === name) ?? { name, count: 0, usage: {} as Usage };

  it("of deliveries that succeed is accepted, delivered, kept and idle", () => {
    expect(monthOf(workload, defaults).map(({ name }) => name)).toEqual([
      "accepted",
      "delivered at once",
      "kept",
      "idle",
    ]);
    expect(named("delivered at once").usage["dynamodb.writeUnits"]).toBe(4_000_000);
  });

  it("has every delivery end once, whatever fails", () => {
    const failing = { ...workload, failureRate: 0.5 };
    const ends = ["delivered at once", "retry succeeds", "last attempt fails: dead letter"];
    expect(ends.reduce((total, name) => total + named(name, failing).count, 0)).toBeCloseTo(1_000_000, 3);
    expect(named("last attempt fails: dead letter", failing).count).toBeCloseTo(1_000_000 / 32, 3);
    expect(named("retry fails", failing).count).toBeCloseTo(1_000_000 * (1 / 4 + 1 / 8 + 1 / 16), 3);
  });

  it("of a fan-out stores the event once, and each delivery by itself", () => {
    const many = monthOf({ ...workload, fanOut: 10 }, defaults);
    const units = sum(...many.filter(({ name }) => name !== "idle").map(({ usage }) => usage))["dynamodb.writeUnits"];
    expect(units).toBe((stepOf("fannedOut").writeUnits + stepOf("tenDelivered").writeUnits) * 1_000_000);
  });
});

describe("an outage", () => {
  const assumedCost = (usage: Usage) => costOf(usage, "us-east-1");
  const outage = (outageHours: number) => {
    const parts = monthOf({ ...workload, outageHours }, defaults);
    const part = parts.find(({ name }) => name === "parked and released");
    return assumedCost(part?.usage ?? {}) / (part?.count ?? 1);
  };

  it("costs a parked delivery the same whether it lasts an hour or a day", () => {
    expect(outage(1)).toBeCloseTo(outage(24), 15);
    expect(outage(1)).toBeCloseTo(assumedCost(parked(small, defaults)), 15);
  });

  it("costs probes besides: twenty, and four an hour", () => {
    expect([0, 1, 24].map(probesOf)).toEqual([0, 24, 116]);
  });

  it("costs less than half of what it costs to use up the attempts of a delivery", () => {
    expect(assumedCost(parked(small, defaults))).toBeLessThan(assumedCost(exhausted(small, defaults)) / 2);
  });
});

it("a duplicate costs less than a third of writing it again", () => {
  const again = deliveredFirst(small, defaults)["dynamodb.writeUnits"] ?? 0;
  expect(duplicated(small, defaults)["dynamodb.writeUnits"]).toBeLessThan(again / 3);
});

describe("an idle month", () => {
  const template = relayTemplate({ alarms: {} });
  const count = (type: string) => resources(template, type).length;

  it("is that of what the template deploys", () => {
    const alarms = resources(template, "::CloudWatch::Alarm").map(([, { Properties }]) => Properties);
    const metricsOf = (alarm: Record<string, unknown>) =>
      ((alarm["Metrics"] as readonly object[] | undefined) ?? [{ MetricStat: {} }]).filter(
        (each) => "MetricStat" in each,
      );
    expect({
      eventSourceMappings: count("::EventSourceMapping"),
      customMetrics: Object.keys({ ...counts, ...values }).length,
      alarmMetrics: alarms.reduce((total, alarm) => total + metricsOf(alarm).length, 0),
      dashboards: count("::Dashboard"),
      keys: count("::KMS::Key"),
      functions: resources(template, "::Lambda::Function").filter(([id]) => /Ingress|Delivery|Admin|Sweeper/.test(id))
        .length,
      sweepsPerHour: 12,
    }).toEqual(deployed);
    expect(JSON.stringify(resources(template, "::Events::Rule"))).toContain("rate(5 minutes)");
  });

  it("polls each queue with five long polls, and sweeps", () => {
    const idle = idleMonth(defaults);
    expect(idle["sqs.requests"]).toBeCloseTo(4 * 5 * 131_400, 6);
    expect(idle["lambda.requests"]).toBeCloseTo(12 * hoursPerMonth, 6);
    expect(costOf(idle, "us-east-1")).toBeLessThan(13.5);
  });
});

it("log lines are as long as test/shared/log-bytes.test.ts allows", () => {
  expect(logBytes.accepted + logBytes.attempt + logBytes.batch / 10).toBeLessThanOrEqual(800 + 3 * 26);
  expect(logBytes.accepted + logBytes.attempt + logBytes.batch).toBeLessThanOrEqual(1_200 + 3 * 26);
});

it("usages are added and multiplied meter by meter", () => {
  expect(sum({ "s3.puts": 1 }, times({ "s3.puts": 2, "s3.gets": 1 }, 3))).toEqual({ "s3.puts": 7, "s3.gets": 3 });
});

it("the numbers that it is made of are those of the counters", () => {
  const page = readFileSync(new URL("../../docs/costs-counted.md", import.meta.url), "utf8");
  expect(page).toMatch(new RegExp(`cost\\s+${corpus.writeUnits} write units each`));
});

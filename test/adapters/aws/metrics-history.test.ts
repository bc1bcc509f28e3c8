import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { CloudWatchHistory } from "../../../functions/adapters/aws/metrics-history.js";
import { InvocationMetrics } from "../../../functions/shared/metrics.js";
import { startAws } from "../../local/aws/fixture.js";
import { type AwsAnswer, startAwsStub } from "../../support/aws-stub.js";

const startMs = Date.UTC(2026, 0, 31, 12);
const credentials = async () => ({ accessKeyId: "a", secretAccessKey: "s" });
const span = { fromMs: startMs, steps: 3, stepSeconds: 60 };
let nowMs = startMs;

const historyAt = (endpoint: string) =>
  new CloudWatchHistory({ relayName: "Hooks", region: () => "eu-west-1", endpoint, credentials, now: () => nowMs });

let written: string[] = [];

beforeEach(() => {
  nowMs = startMs;
  written = [];
  vi.spyOn(process.stdout, "write").mockImplementation((text) => {
    written.push(String(text));
    return true;
  });
});
afterEach(() => {
  vi.restoreAllMocks();
});

test("what the functions count is what the local relay's CloudWatch tells", async () => {
  const aws = await startAws({ now: () => nowMs });
  const metrics = (relay: string) => new InvocationMetrics(relay, (line) => aws.metrics.takeLine(line));
  const ours = metrics("Hooks");
  ours.count("Attempts", 3);
  ours.count("Retried");
  ours.value("AttemptLatency", 40);
  ours.flush(nowMs);
  nowMs += 119_000;
  ours.count("Attempts", 2);
  ours.flush(nowMs);
  const others = metrics("Another");
  others.count("Attempts", 100);
  others.flush(nowMs);
  aws.metrics.takeLine("no metrics");
  aws.metrics.takeLine('{"_aws":{"CloudWatchMetrics":[{"Names');
  expect(await historyAt(aws.url).sums(["Attempts", "Retried", "Parked"], span)).toEqual({
    Attempts: [3, 2, 0],
    Retried: [1, 0, 0],
    Parked: [0, 0, 0],
  });
  const byTwo = { fromMs: startMs, steps: 1, stepSeconds: 120 };
  expect(await historyAt(aws.url).sums(["Attempts"], byTwo)).toEqual({ Attempts: [5] });
});

test("the local relay forgets what is older than a day", async () => {
  const aws = await startAws({ now: () => nowMs });
  const metrics = new InvocationMetrics("Hooks", (line) => aws.metrics.takeLine(line));
  for (const hours of [0, 26]) {
    nowMs = startMs + hours * 3_600_000;
    metrics.count("Attempts");
    metrics.flush(nowMs);
  }
  const found = await historyAt(aws.url).sums(["Attempts"], { fromMs: startMs, steps: 27, stepSeconds: 3_600 });
  expect(found?.Attempts).toEqual([...Array(26).fill(0), 1]);
});

describe("CloudWatch", () => {
  const answered = (answer: AwsAnswer) => startAwsStub(() => answer);
  const data = { MetricDataResults: [{ Id: "m0", Timestamps: [startMs / 1000 + 60], Values: [7] }] };

  test("is asked for the sums of one relay's metrics, in one signed call", async () => {
    const stub = await answered({ body: data });
    expect(await historyAt(stub.endpoint).sums(["Attempts", "Parked"], span)).toEqual({
      Attempts: [0, 7, 0],
      Parked: [0, 0, 0],
    });
    expect(stub.calls).toHaveLength(1);
    expect(stub.calls[0]).toMatchObject({ method: "POST", path: "/", operation: "GetMetricData" });
    expect(stub.calls[0]?.json).toEqual({
      StartTime: startMs / 1000,
      EndTime: startMs / 1000 + 180,
      MetricDataQueries: ["Attempts", "Parked"].map((MetricName, index) => ({
        Id: `m${index}`,
        MetricStat: {
          Metric: { Namespace: "Steadyhook", MetricName, Dimensions: [{ Name: "Relay", Value: "Hooks" }] },
          Period: 60,
          Stat: "Sum",
        },
      })),
    });
    await stub.close();
  });

  test("is not asked again for half a minute: it charges for each metric", async () => {
    const stub = await answered({ body: data });
    const history = historyAt(stub.endpoint);
    await Promise.all([history.sums(["Attempts"], span), history.sums(["Attempts"], span)]);
    nowMs += 29_000;
    await history.sums(["Attempts"], span);
    expect(stub.calls).toHaveLength(1);
    nowMs += 2_000;
    await history.sums(["Attempts"], span);
    expect(stub.calls).toHaveLength(2);
    await stub.close();
  });

  test("that cannot be read is null and a warning, and asked anew the next time", async () => {
    const stub = await answered({ status: 400, body: { __type: "AccessDenied" } });
    const history = historyAt(stub.endpoint);
    expect(await history.sums(["Attempts"], span)).toBeNull();
    expect(await history.sums(["Attempts"], span)).toBeNull();
    expect(stub.calls).toHaveLength(2);
    expect(written[0]).toContain("AccessDenied");
    await stub.close();
  });
});

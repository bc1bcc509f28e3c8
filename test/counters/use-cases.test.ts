import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type CountingRelay, startCountingRelay } from "../support/counting-relay.js";
import { countersPart } from "./costs-document.js";
import { type CountedCorpus, countCorpus } from "./count-corpus.js";
import { countOutage } from "./count-outage.js";
import { countsText, documentedCounts } from "./counted-document.js";
import { counterTables, sequenceOf, totalsOf } from "./counter-table.js";
import { type Counted, type CountedStep, countUseCases, type Recordings, type StepId } from "./use-cases.js";

let relay: CountingRelay;
let counted: Counted;
let steps: readonly CountedStep[];
let corpus: CountedCorpus;
let longOutage: Recordings;
beforeAll(async () => {
  relay = await startCountingRelay();
  counted = await countUseCases(relay);
  ({ steps } = counted);
  corpus = await countCorpus(relay);
  longOutage = await countOutage(relay, 24);
});
afterAll(() => relay.close());

function step(id: StepId): CountedStep {
  const found = steps.find((each) => each.id === id);
  if (found === undefined) throw new Error(`${id} was not counted`);
  return found;
}
const totals = (id: StepId) => totalsOf(step(id));
const sequence = (id: StepId) => sequenceOf(step(id));

describe("an accepted event", () => {
  it("costs one AWS call and one round trip", () => {
    expect(sequence("accepted")).toBe("SendMessage");
    expect(totals("accepted")).toMatchObject({
      calls: 1,
      roundTrips: 1,
      queueRequests: 1,
      writeUnits: 0,
      readUnits: 0,
    });
  });

  it("costs the source and its secrets first when they are not in memory", () => {
    expect(sequence("acceptedCold")).toBe("GetItem → Decrypt → SendMessage");
  });

  it("is put into the bucket when it is large, and still is one SQS request", () => {
    expect(sequence("acceptedLarge")).toBe("PutObject → SendMessage");
    expect(totals("acceptedLarge").queueRequests).toBe(1);
  });
});

describe("a slow subscription", () => {
  it("is noted by one write of its gate", () => {
    expect(sequence("noted")).toBe("UpdateItem");
    expect(totals("noted").writeUnits).toBe(1);
  });

  it("costs an event one more hop: it is stored, and sent on by the slow lane", () => {
    expect(sequence("handedOver")).toBe("UpdateItem → SendMessageBatch");
    expect(totals("handedOver").writeUnits + totals("deliveredSlow").writeUnits).toBe(4);
  });
});

describe("a first attempt that succeeds", () => {
  it("costs four write units: event, claim, listing and record", () => {
    expect(totals("delivered")).toMatchObject({ calls: 3, writeUnits: 4, readUnits: 0, queueRequests: 0 });
  });

  it("writes items of at most 1,024 bytes", () => {
    const sizes = step("delivered").recording.calls.map((call) => call.itemBytes);
    expect(sizes).toHaveLength(3);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(1_024);
  });

  it("waits for one round trip before its first byte leaves", () => {
    expect(totals("delivered").roundTripsBeforeSend).toBe(1);
  });

  it("waits for one more when the gate must be read, or a large body", () => {
    expect(totals("deliveredIdle").roundTripsBeforeSend).toBe(2);
    expect(totals("deliveredLarge").roundTripsBeforeSend).toBe(2);
  });

  it("costs no write unit more for a large body", () => {
    expect(totals("deliveredLarge").writeUnits).toBe(4);
  });
});

describe("a retry", () => {
  it("is announced by one call after the record", () => {
    expect(sequence("failed")).toMatch(/^UpdateItem → UpdateItem → UpdateItem → SendMessageBatch/);
    const [, , , , ...toldToTheGate] = step("failed").recording.calls;
    expect(totals("failed").writeUnits - toldToTheGate.length).toBe(6);
  });

  it("reads its event beside its delivery: two round trips before its first byte leaves", () => {
    expect(sequence("retried")).toBe("2 × GetItem → UpdateItem → UpdateItem");
    expect(totals("retried").roundTripsBeforeSend).toBe(2);
  });

  it("costs one write unit for its claim and three for its record", () => {
    expect(step("retried").recording.calls.map((call) => call.writeUnits)).toEqual([0, 0, 1, 3]);
  });

  it("costs one schedule when it is due beyond what SQS delays", () => {
    expect(sequence("failedAgain")).toMatch(/UpdateItem → CreateSchedule$/);
  });
});

it("costs one message more to end as a dead letter", () => {
  expect(sequence("deadLettered")).toBe("2 × GetItem → UpdateItem → UpdateItem → SendMessage");
});

it("costs a refused write and one read to find out that an event is a duplicate", () => {
  expect(totals("duplicate")).toMatchObject({ calls: 2, writeUnits: 1, readUnits: 1, roundTripsBeforeSend: null });
});

describe("a fan-out to ten", () => {
  it("costs one write of the event and one call for its ten messages", () => {
    expect(sequence("fannedOut")).toBe("BatchGetItem + UpdateItem → SendMessageBatch");
    expect(totals("fannedOut").queueRequests).toBe(1);
  });

  it("reads the event once for the ten attempts of a batch", () => {
    expect(sequence("tenDelivered")).toBe("GetItem → 10 × UpdateItem → 10 × UpdateItem");
    expect(totals("tenDelivered")).toMatchObject({ writeUnits: 30, readUnits: 1, roundTripsBeforeSend: 2 });
  });
});

describe("a parked delivery", () => {
  it("costs the same however long it waits: one write, and no message", () => {
    expect(totals("parked")).toMatchObject({ writeUnits: 5, queueRequests: 0, roundTripsBeforeSend: null });
  });

  it("is released by one message, and claimed without a refused write", () => {
    expect(sequence("released")).toContain("BatchGetItem → UpdateItem → SendMessageBatch");
    expect(sequence("deliveredParked")).toBe("2 × GetItem → UpdateItem → UpdateItem");
    expect(totals("deliveredParked")).toMatchObject({ writeUnits: 8, roundTripsBeforeSend: 2 });
  });
});

describe("a failure", () => {
  it("is told to the gate by one write, two in a minute's first, and within the same second by none", () => {
    expect(sequence("failed")).toMatch(/SendMessageBatch → UpdateItem → UpdateItem$/);
    expect(sequence("failedMore")).toBe("UpdateItem → UpdateItem → UpdateItem → CreateSchedule");
  });

  it("that opens the circuit costs one read and one write more, and a tick", () => {
    expect(sequence("opened")).toMatch(/CreateSchedule → UpdateItem → GetItem → UpdateItem → SendMessage$/);
  });
});

describe("an outage", () => {
  it("parks a delivery for what a pause costs", () => {
    expect(totals("parkedOpen")).toEqual(totals("parked"));
  });

  it("costs a destination beside it nothing", () => {
    expect(totals("beside")).toEqual(totals("delivered"));
    expect(sequence("beside")).toBe(sequence("delivered"));
  });

  it("is probed by one message, and the gate is written once before and once after", () => {
    expect(sequence("probed")).toMatch(/UpdateItem → SendMessageBatch → SendMessage$/);
    expect(sequence("probeFailed")).toMatch(/GetItem → UpdateItem → SendMessage$/);
    expect(sequence("probeDelivered")).toMatch(/GetItem → UpdateItem → SendMessage$/);
  });

  it("costs a delivery the same whether it lasts two hours or a day", () => {
    for (const id of ["parkedOpen", "releasedOpen", "deliveredAfter"] as const) {
      const recording = longOutage[id];
      if (recording === undefined) throw new Error(`${id} was not counted`);
      expect(sequenceOf({ ...step(id), recording }), id).toBe(sequence(id));
      const { writeUnits, queueRequests } = totalsOf({ ...step(id), recording });
      expect({ writeUnits, queueRequests }, id).toEqual({
        writeUnits: totals(id).writeUnits,
        queueRequests: totals(id).queueRequests,
      });
    }
  });

  it("has ticks that come to nothing for one read each once they are replaced", () => {
    expect(sequence("replaced")).toBe("GetItem");
  });
});

describe("maxPerSecond", () => {
  it("costs a first attempt one write of the gate, two when all slots are past", () => {
    expect(totals("rated").calls - totals("deliveredIdle").calls).toBe(2);
    expect(step("waits").recording.calls.filter(({ writeUnits }) => writeUnits > 0)).toHaveLength(2);
  });

  it("has a message wait once: no other slot is reserved when it comes", () => {
    expect(sequence("waits")).toBe("UpdateItem → UpdateItem → SendMessageBatch");
    expect(sequence("deliveredInSlot")).not.toMatch(/UpdateItem → UpdateItem → UpdateItem/);
  });
});

describe("an event's size", () => {
  it.each(["256", "1k", "10k", "100k", "1m"] as const)("costs ingress one call and one round trip: %s", (size) => {
    expect(totals(`accepted${size}`)).toMatchObject({ calls: 1, roundTrips: 1, writeUnits: 0, readUnits: 0 });
  });

  it("costs four write units up to 1 KB, then one for each KB that is stored, and from 8 KB on one object", () => {
    const units = (["256", "1k", "10k", "100k", "1m"] as const).map((size) => totals(`delivered${size}`).writeUnits);
    expect(units).toEqual([4, 4, 6, 4, 4]);
    expect(sequence("delivered100k")).toBe("UpdateItem → PutObject → UpdateItem → UpdateItem");
  });

  it("costs GitHub's webhooks, which are ten KB in the mean, one and a half write units more", () => {
    expect(corpus.payloads).toBeGreaterThan(300);
    expect(corpus.bodyBytes).toBeGreaterThan(9_000);
    expect(corpus.writeUnits).toBeLessThan(5.6);
  });
});

it("costs ten events of one batch what each of them costs alone, in the round trips of one", () => {
  const { calls, writeUnits, roundTrips, queueRequests } = totals("deliveredTen");
  const alone = totals("delivered");
  expect({ calls, writeUnits, queueRequests }).toEqual({
    calls: 10 * alone.calls,
    writeUnits: 10 * alone.writeUnits,
    queueRequests: 0,
  });
  expect(roundTrips).toBe(alone.roundTrips);
});

it("costs two write units to sweep when nothing is overdue, and no message", () => {
  expect(totals("swept")).toMatchObject({ writeUnits: 2, queueRequests: 0 });
});

it("costs what cli/cost/counted.json says, which the cost model takes (npm run counters -- --write)", async () => {
  expect(countsText(counted, corpus)).toBe(await documentedCounts());
});

it("costs what docs/costs-counted.md says (npm run counters -- --write brings the page up to date)", async () => {
  expect(counterTables(steps)).toBe(await countersPart.read());
});

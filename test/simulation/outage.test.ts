import { beforeAll, describe, expect, it } from "vitest";
import { gateOf, parkMany, resume, runToEnd, statesOf } from "./backlog.js";
import { CalmRelay } from "./calm-relay.js";
import { type Outage, playOutage } from "./outage.js";

/** The full hour and all the deliveries: `npm run test:simulation -- --outage`. */
const isFull = process.env["SIMULATION_OUTAGE"] === "full";
const timeout = isFull ? 3_600_000 : 300_000;

const outageSeconds = isFull ? 3_600 : 90;
const perSecond = { eventsPerSecond: 50, capacityPerSecond: 100 };

describe("an outage of refused connections under 50 events a second", () => {
  let outage: Outage;
  beforeAll(async () => {
    outage = await playOutage({ ...perSecond, outageSeconds, maxPerSecond: null });
    if (isFull) console.log(outage);
  }, timeout);

  it("loses nothing", () => {
    expect(outage).toMatchObject({ errors: [], deadLetters: 0, undelivered: 0 });
  });

  it("asks the dead host less than a fraction as often as a relay would that tries every 30 s", () => {
    // The first failures, and the first probes, weigh more in a short outage.
    expect(outage.wasted).toBeLessThan(outage.naive / (isFull ? 1_000 : 250));
  });

  it("is made up for nearly as fast as the destination can, and hardly anything is refused on the way", () => {
    const spareSeconds = outage.backlog / (perSecond.capacityPerSecond - perSecond.eventsPerSecond);
    expect(outage.backlog).toBeGreaterThan(40 * outageSeconds);
    expect(outage.drainSeconds).toBeLessThan(1.3 * spareSeconds);
    expect(outage.refused).toBeLessThan(0.05 * outage.backlog);
  });
});

describe("the same with a rate of 100 a second", () => {
  it("is made up for without a refusal, and no faster than that", { timeout }, async () => {
    const outage = await playOutage({ ...perSecond, outageSeconds: isFull ? 3_600 : 30, maxPerSecond: 100 });
    if (isFull) console.log(outage);
    expect(outage).toMatchObject({ errors: [], deadLetters: 0, undelivered: 0 });
    // Slots are 5% below the limit, half of which new events take: a tenth of what is left for the backlog.
    expect(outage.drainSeconds).toBeLessThan(1.2 * (outage.backlog / 50));
    // Within any second: a slot that is used late, by a receive or two, has its margin.
    expect(outage.peakPerSecond).toBeLessThanOrEqual(100);
    expect(outage.refused).toBe(0);
  });
});

describe("a large backlog", () => {
  const count = isFull ? 100_000 : 5_000;

  it(`of ${count} is released completely, none twice, in the order of receipt`, { timeout }, async () => {
    const seen: string[] = [];
    const relay = new CalmRelay({
      destination({ eventId }) {
        seen.push(eventId);
        return { afterMs: 20, status: 200 };
      },
    });
    relay.subscribe("dest");
    const order = new Map((await parkMany(relay, "dest", count)).map((id, index) => [id, index]));
    await resume(relay, "dest");
    await runToEnd(relay, 3_600);
    expect([relay.errors, relay.open, statesOf(relay)]).toEqual([[], 0, new Set(["delivered"])]);
    expect([seen.length, new Set(seen).size]).toEqual([count, count]);
    // Fifty invocations at a time work on ten each.
    const displaced = seen.map((id, index) => Math.abs((order.get(id) ?? 0) - index));
    expect(Math.max(...displaced.filter((each) => each > 500), 0)).toBe(0);
    expect(gateOf(relay, "dest")).toMatchObject({ holdsParked: false });
  });
});

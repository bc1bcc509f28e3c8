import { beforeAll, describe, expect, it } from "vitest";
import { slotsOf } from "./calm-relay.js";
import { type Crowd, playCrowd } from "./crowded-relay.js";
import { receiveCycleMs } from "./event-source.js";

const traffic = { healthyPerSecond: 20, seconds: 20 };

describe("500 events a second to a destination that hangs", () => {
  let alone: Crowd;
  let crowded: Crowd;
  let withoutSlowLane: Crowd;
  beforeAll(async () => {
    alone = await playCrowd({ ...traffic, hangingPerSecond: 0 });
    crowded = await playCrowd({ ...traffic, hangingPerSecond: 500 });
    withoutSlowLane = await playCrowd({ ...traffic, hangingPerSecond: 500, withoutSlowLane: true });
  }, 60_000);

  const waits = ({ healthyWaitsMs }: Crowd) => healthyWaitsMs.map((waitMs) => waitMs ?? Number.POSITIVE_INFINITY);

  it("make a healthy one's first attempts wait at most one receive cycle longer", () => {
    expect(waits(crowded)).toHaveLength(traffic.healthyPerSecond * traffic.seconds);
    expect(Math.max(...waits(crowded))).toBeLessThanOrEqual(Math.max(...waits(alone)) + receiveCycleMs);
  });

  it("hold some slots of the fast lane, never all, and go on by the slow one", () => {
    expect(crowded.mostHeld).toBeGreaterThan(0);
    expect(crowded.mostHeld).toBeLessThan(slotsOf.fast);
    expect(crowded.hangingRequests.slow).toBeGreaterThanOrEqual(slotsOf.slow);
  });

  it("would hold every slot without a slow lane, and the healthy one's attempts would not even begin", () => {
    expect(withoutSlowLane.mostHeld).toBe(slotsOf.fast);
    expect(withoutSlowLane.hangingRequests.slow).toBe(0);
    expect(waits(withoutSlowLane).filter((waitMs) => waitMs === Number.POSITIVE_INFINITY).length).toBeGreaterThan(100);
  });
});

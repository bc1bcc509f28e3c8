import { describe, expect, it } from "vitest";
import { createdIn } from "../../../cli/tail/created.js";
import { ModelledRelay } from "./modelled-relay.js";

/** Slices of deliveries that were created at these times, in a relay that shows ten on a page. */
async function slicesOf(createdMs: readonly number[], most: number) {
  const lives = createdMs.map((each, index) => ({
    deliveryId: `dlv_${String(index).padStart(3, "0")}`,
    createdMs: each,
    lagMs: 0,
    happenings: [],
  }));
  const relay = new ModelledRelay(lives, () => 10_000, 10);
  const list: Parameters<typeof createdIn>[0] = ({ sinceMs, untilMs }, cursor) => {
    const until = untilMs === Number.POSITIVE_INFINITY ? undefined : new Date(untilMs).toISOString();
    return relay.call("GET", "/deliveries", {
      query: { since: new Date(sinceMs).toISOString(), until, limit: "100", cursor },
    });
  };
  const slices: string[][] = [];
  let calls = 0;
  for await (const { deliveries } of createdIn(list, { sinceMs: 0, untilMs: Number.POSITIVE_INFINITY }, most)) {
    slices.push(deliveries.map(({ deliveryId }) => deliveryId));
    calls = relay.calls;
  }
  return { slices, calls, all: lives.map(({ deliveryId }) => deliveryId) };
}

describe("what was created since a time", () => {
  it("comes in one slice, the oldest first, where it is little", async () => {
    const { slices, calls, all } = await slicesOf([5, 6, 7], 20);
    expect({ slices, calls }).toEqual({ slices: [all], calls: 1 });
  });

  it("comes in slices of no more than may be held, none left out and none twice", async () => {
    const { slices, all } = await slicesOf(
      Array.from({ length: 95 }, (_value, index) => 100 + index * index),
      20,
    );
    expect(slices.flat()).toEqual(all);
    expect(Math.max(...slices.map(({ length }) => length))).toBeLessThanOrEqual(20);
  });

  it("is held as a whole where it was all created in one millisecond", async () => {
    const { slices, all } = await slicesOf(new Array(50).fill(7), 20);
    expect(slices.flat()).toEqual(all);
  });
});

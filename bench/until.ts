import { setTimeout as wait } from "node:timers/promises";

/** Longest time without any progress. */
const patienceMs = 60_000;

/** Waits until `count` has come to `wanted`; rejects when it stands still for a minute. */
export async function untilCounted(count: () => number, wanted: number): Promise<void> {
  let [last, sinceMs] = [count(), performance.now()];
  while (last < wanted) {
    await wait(5);
    if (count() !== last) [last, sinceMs] = [count(), performance.now()];
    if (performance.now() > sinceMs + patienceMs) throw new Error(`only ${last} of ${wanted} arrived`);
  }
}

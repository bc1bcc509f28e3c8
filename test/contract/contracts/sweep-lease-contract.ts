import { describe, expect, it } from "vitest";
import type { SweepLease } from "../../../functions/app/ports.js";

/** What keeps two sweeps from running at the same time. The lease is one for the whole table, and free here. */
export function sweepLeaseContract(makeSubject: () => SweepLease): void {
  describe("the lease of a sweep", () => {
    it("is one's at a time, until it is given back or over", async () => {
      const lease = makeSubject();
      const startMs = Date.UTC(2026, 0, 1);
      const taken = await Promise.all([1, 2, 3, 4].map(() => lease.take(startMs, startMs + 60_000)));
      expect(taken.filter(Boolean)).toHaveLength(1);
      expect(await lease.take(startMs + 60_000, startMs + 120_000)).toBe(false);
      expect(await lease.take(startMs + 60_001, startMs + 120_000)).toBe(true);
      // The sweep that overran gives back what is another's by now.
      await lease.release(startMs + 60_000);
      expect(await lease.take(startMs + 60_002, startMs + 130_000)).toBe(false);
      await lease.release(startMs + 120_000);
      expect(await lease.take(startMs + 60_003, startMs + 130_000)).toBe(true);
      await lease.release(startMs + 130_000);
    });
  });
}

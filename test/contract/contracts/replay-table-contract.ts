import { randomBytes } from "node:crypto";
import { describe, expect, it } from "vitest";
import type { ReplayStore } from "../../../functions/app/admin/ports.js";
import type { DueEntry, DueList } from "../../../functions/app/ports.js";
import { freshId } from "../../../functions/core/ids.js";
import type { ReplayJob } from "../../../functions/core/replay-job.js";
import { stoppedReplay, withNewReplayTicks } from "../../../functions/core/replay-ticks.js";
import { aReplayJob } from "../../support/replay-rig.js";
import type { VirtualClock } from "../../support/virtual-clock.js";

export interface ReplayTableSubject {
  readonly replays: ReplayStore;
  readonly dueList: DueList;
  readonly clock: VirtualClock;
}

const graceMs = 5 * 60_000;

/** What bulk replays rely on of their table. */
export function replayTableContract(makeSubject: () => ReplayTableSubject): void {
  describe("a bulk replay", () => {
    it("is read back as it was written, with everything in it and with as little as there can be", async () => {
      const { replays, clock } = makeSubject();
      const small = aJob(clock.now());
      const full = {
        ...aJob(clock.now(), {
          filter: {
            status: "delivered",
            reason: "exhausted",
            subscriptionId: "sub_a",
            sourceId: "shop",
            sinceMs: 1,
            untilMs: 2,
            statusCode: 503,
            error: "refused",
          },
          searched: ["sub_a"],
          target: { sourceId: "shop", subscriptionId: "sub_b" },
          reason: "it is back",
          counts: { scanned: 3, replayed: 1, skipped: { erased: 2 } },
          after: "2026-01-01T12:00:00.000Z#dlv_a",
        }),
      };
      for (const job of [small, full]) {
        await replays.createReplay(job);
        expect(await replays.findReplay(job.replayId)).toEqual(job);
      }
      expect(await replays.findReplay("rpl_none")).toBeNull();
      await expect(replays.createReplay(small)).rejects.toThrow("already");
    });

    it("is changed only by whoever read what is there", async () => {
      const { replays, clock } = makeSubject();
      const job = aJob(clock.now());
      await replays.createReplay(job);
      const next = { ...stoppedReplay(job, "paused", clock.now()), revision: 2 };
      expect(await replays.replaceReplay(job, next)).toBe(true);
      expect(await replays.replaceReplay(job, { ...job, perSecond: 99, revision: 2 })).toBe(false);
      expect(await replays.findReplay(job.replayId)).toEqual(next);
    });

    it("is listed newest first, page after page", async () => {
      const { replays, clock } = makeSubject();
      // Others may be there: these are the newest.
      const jobs = [1, 2, 3].map((hours) => aJob(clock.now() + hours * 3_600_000));
      for (const job of jobs) await replays.createReplay(job);
      await expect
        .poll(async () => (await replays.listReplays({ after: null, limit: 2 })).items.map(idOf))
        .toEqual([jobs[2], jobs[1]].map((job) => job?.replayId));
      const { after } = await replays.listReplays({ after: null, limit: 2 });
      expect((await replays.listReplays({ after, limit: 1 })).items.map(idOf)).toEqual([jobs[0]?.replayId]);
    });

    it("is due some minutes after its next tick while it runs, and can be moved on", async () => {
      const { replays, dueList, clock } = makeSubject();
      const job = withNewReplayTicks(aJob(clock.now()), clock.now());
      await replays.createReplay(job);
      const dueAt = (ms: number) => findDue(dueList, job, ms);
      await expect.poll(() => dueAt(clock.now() + graceMs)).not.toBeUndefined();
      expect(await dueAt(clock.now() + graceMs - 1)).toBeUndefined();
      const entry = (await dueAt(clock.now() + graceMs)) as DueEntry;
      expect(await dueList.postpone(entry, clock.now() + 2 * graceMs)).toBe(true);
      expect(await dueList.postpone(entry, clock.now() + 3 * graceMs)).toBe(false);
      await expect.poll(() => dueAt(clock.now() + graceMs)).toBeUndefined();
      await replays.replaceReplay(job, { ...stoppedReplay(job, "cancelled", clock.now()), revision: 2 });
      await expect.poll(() => dueAt(clock.now() + 9 * graceMs)).toBeUndefined();
    });
  });
}

const idOf = ({ replayId }: ReplayJob): string => replayId;

const aJob = (nowMs: number, overrides: Partial<ReplayJob> = {}): ReplayJob =>
  aReplayJob(nowMs, { replayId: freshId("rpl", nowMs, randomBytes(10)), ...overrides });

async function findDue(dueList: DueList, { replayId }: ReplayJob, untilMs: number): Promise<DueEntry | undefined> {
  for await (const page of dueList.due("overdue", untilMs)) {
    const found = page.find((entry) => entry.kind === "replay" && entry.replayId === replayId);
    if (found !== undefined) return found;
  }
  return undefined;
}

import type { Page, PageRequest, ReplayStore } from "../../app/admin/ports.js";
import type { ReplayJob } from "../../core/replay-job.js";
import { timeKey } from "../aws/keys.js";

/** Bulk replays in memory. */
export class MemoryReplayTable implements ReplayStore {
  readonly replays = new Map<string, ReplayJob>();

  async createReplay(job: ReplayJob): Promise<void> {
    if (this.replays.has(job.replayId)) throw new Error(`there is a bulk replay ${job.replayId} already`);
    this.replays.set(job.replayId, job);
  }

  async findReplay(replayId: string): Promise<ReplayJob | null> {
    return this.replays.get(replayId) ?? null;
  }

  async replaceReplay(previous: ReplayJob, next: ReplayJob): Promise<boolean> {
    if (this.replays.get(next.replayId)?.revision !== previous.revision) return false;
    this.replays.set(next.replayId, next);
    return true;
  }

  async listReplays({ after, limit }: PageRequest): Promise<Page<ReplayJob>> {
    const placed = [...this.replays.values()].map((job) => ({ job, at: timeKey(job.createdAtMs, job.replayId) }));
    const rest = placed.filter(({ at }) => after === null || at < after).toSorted((a, b) => (a.at > b.at ? -1 : 1));
    const page = rest.slice(0, limit);
    const last = rest.length > limit ? page.at(-1) : undefined;
    return { items: page.map(({ job }) => job), after: last?.at ?? null };
  }
}

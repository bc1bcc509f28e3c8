import { replayIdOf } from "../../core/ids.js";
import type { Delivery, Subscription } from "../../core/model.js";
import { isMatched, type ReplayCounts, type ReplayJob, type ReplaySkip, whySkipped } from "../../core/replay-job.js";
import type { DeliveryIndex, DeliveryList } from "../admin/ports.js";
import type { Clock, DeliveryTable } from "../ports.js";
import type { ReplayTarget } from "./make-replay.js";

/** Walks through the deliveries that a bulk replay may be about, oldest first, and says what is to become of each. */

/** What a scan needs from outside. */
export interface ScanContext {
  readonly deliveries: DeliveryTable;
  readonly deliveryIndex: DeliveryIndex;
  /** A subscription as it is configured, a tombstone too; null when it never existed. */
  readonly findTarget: (sourceId: string, subscriptionId: string) => Promise<Pick<Subscription, "deletedAtMs"> | null>;
  readonly retentionDays: number;
  readonly now: Clock;
}

/** What of a job a scan goes by. */
export type ScannedJob = Pick<
  ReplayJob,
  "replayId" | "filter" | "searched" | "target" | "includeReplayed" | "createdAtMs" | "after"
>;

/** An entry of the list, judged. */
export interface Scanned {
  readonly position: string;
  /** Null: the filter does not take it. */
  readonly matched: MatchedOriginal | null;
}

export interface MatchedOriginal {
  readonly original: Delivery;
  /** Why it is not replayed; null: it is. */
  readonly skip: ReplaySkip | null;
  readonly target: ReplayTarget;
}

/** What one BatchGetItem takes. */
const readAtOnce = 100;

/** The entries after `job.after`, in batches; ends where the job's window does. */
export async function* scanOriginals(context: ScanContext, job: ScannedJob): AsyncGenerator<readonly Scanned[]> {
  const { after, filter, createdAtMs } = job;
  const untilMs = Math.min(filter.untilMs ?? createdAtMs + 1, createdAtMs + 1);
  const range = { after, sinceMs: filter.sinceMs, untilMs, expected: readAtOnce, oldestFirst: true } as const;
  const windowEnd = new Date(createdAtMs).toISOString();
  let batch: { deliveryId: string; position: string }[] = [];
  for await (const entry of context.deliveryIndex.entries(listOf(job), range)) {
    // Whatever the list is ordered by, it is no later than the end of the delivery, or than its creation.
    if (entry.position.slice(0, windowEnd.length) > windowEnd) break;
    batch.push(entry);
    if (batch.length < readAtOnce) continue;
    yield await judged(context, job, batch);
    batch = [];
  }
  if (batch.length > 0) yield await judged(context, job, batch);
}

function listOf({ filter, searched }: ScannedJob): DeliveryList {
  if (filter.status === "delivered") return { kind: "all", subscriptionIds: searched ?? [] };
  if (searched === null) return { kind: "due", state: "dead_lettered" };
  return { kind: "state", state: "dead_lettered", subscriptionIds: searched };
}

async function judged(
  context: ScanContext,
  job: ScannedJob,
  batch: ReadonlyArray<{ readonly deliveryId: string; readonly position: string }>,
): Promise<readonly Scanned[]> {
  const found = await context.deliveries.findDeliveries(batch.map(({ deliveryId }) => deliveryId));
  const matching = new Map(found.filter((each) => isMatched(job, each)).map((each) => [each.deliveryId, each]));
  const replayed = await replayedOf(context, job, [...matching.values()]);
  return Promise.all(
    batch.map(async ({ deliveryId, position }) => {
      const original = matching.get(deliveryId);
      if (original === undefined) return { position, matched: null };
      return { position, matched: await judge(context, job, original, replayed.has(deliveryId)) };
    }),
  );
}

async function judge(context: ScanContext, job: ScannedJob, original: Delivery, isReplayed: boolean) {
  const target = job.target ?? { sourceId: original.sourceId, subscriptionId: original.subscriptionId };
  const skip = whySkipped(job, original, isReplayed, context.retentionDays, context.now());
  if (skip !== null) return { original, skip, target };
  const subscription = await context.findTarget(target.sourceId, target.subscriptionId);
  const isGone = subscription === null || subscription.deletedAtMs !== null;
  return { original, skip: isGone ? ("target_deleted" as const) : null, target };
}

/** Ids of the originals that somebody else's replay exists of: an id that was noted, and whose making broke off, is none. */
async function replayedOf(context: ScanContext, { replayId, includeReplayed }: ScannedJob, originals: Delivery[]) {
  if (includeReplayed) return new Set<string>();
  const noted = originals.flatMap(({ deliveryId, replayedAs = [] }) =>
    replayedAs.filter((id) => id !== replayIdOf(deliveryId, replayId)),
  );
  const replays = noted.length === 0 ? [] : await context.deliveries.findDeliveries(noted);
  return new Set(replays.flatMap(({ replayOf }) => replayOf ?? []));
}

/** The counts of judged entries. */
export function countsOf(entries: readonly Scanned[]): ReplayCounts {
  const skipped: { [Reason in ReplaySkip]?: number } = {};
  let replayed = 0;
  for (const { matched } of entries) {
    if (matched === null) continue;
    if (matched.skip === null) replayed += 1;
    else skipped[matched.skip] = (skipped[matched.skip] ?? 0) + 1;
  }
  return { scanned: entries.length, replayed, skipped };
}

import { replayIdOf } from "../../core/ids.js";
import { earlyToleranceMs } from "../../core/message-verdict.js";
import type { Delivery } from "../../core/model.js";
import { addCounts, noCounts, type ReplayJob } from "../../core/replay-job.js";
import {
  afterReplayPage,
  judgeReplayTick,
  type ReplayPage,
  replayIsGoing,
  stoppedReplay,
  withNewReplayTicks,
} from "../../core/replay-ticks.js";
import type { DeliveryIndex } from "../admin/ports.js";
import type { Log } from "../delivery/delivery-context.js";
import type { ReplayTickMessage, SubscriptionSettings } from "../ports.js";
import { type ReplayContext, sendStored, storeReplay } from "../replays/make-replay.js";
import { moveReplay, type ReplayTickSender, sendReplayTick } from "../replays/replay-ticks.js";
import { countsOf, type MatchedOriginal, type Scanned, scanOriginals } from "../replays/scan.js";

/** What a tick of a bulk replay needs from outside. */
export interface ReplayTickContext extends ReplayContext, ReplayTickSender {
  readonly deliveryIndex: DeliveryIndex;
  readonly subscriptions: SubscriptionSettings;
  readonly retentionDays: number;
  readonly log: Log;
}

/** Entries that a page looks at: where the filter takes few of them, the next second goes on. */
const mostScanned = 400;

/** Writes of a page at the same time. */
const writesAtOnce = 25;

/**
 * One tick: a page of replays. The page is made first and noted then. What breaks off in between is made again by the
 * same message: each replay's id follows from job and original, so that it is found and not made twice, and counted as
 * the page's own. A tick that is lost altogether is missed by the sweeper.
 */
export async function processReplayTick(
  context: ReplayTickContext,
  message: ReplayTickMessage,
  messageId: string,
): Promise<void> {
  const startedAtMs = context.now();
  const job = await context.replays.findReplay(message.replayId);
  if (job === null) return;
  const verdict = judgeReplayTick(job, { seq: message.seq, messageId });
  if (verdict === "drop") return;
  const isEarly = (job.tick.dueAtMs ?? 0) - startedAtMs > earlyToleranceMs;
  if (verdict === "repeat" || isEarly) return sendReplayTick(context, job);
  const isMine = ({ tick }: ReplayJob): boolean => tick.seq === message.seq;
  if (await isTargetGone(context, job)) return fail(context, job, isMine);
  const page = await makePage(context, job);
  const nowMs = context.now();
  const moved = await moveReplay(context, job.replayId, (current) =>
    isMine(current) ? afterReplayPage(current, page, { by: messageId, startedAtMs, nowMs }) : null,
  );
  if (moved === null) return;
  if (moved.state === "done") logEnd(context, moved);
  await sendReplayTick(context, moved);
}

async function isTargetGone({ subscriptions }: ReplayTickContext, { target }: ReplayJob): Promise<boolean> {
  if (target === null) return false;
  const subscription = await subscriptions.find(target.sourceId, target.subscriptionId);
  return subscription === null || subscription.deletedAtMs !== null;
}

async function fail(context: ReplayTickContext, job: ReplayJob, isMine: (job: ReplayJob) => boolean): Promise<void> {
  const failed = await moveReplay(context, job.replayId, (current) =>
    isMine(current) ? stoppedReplay(current, "failed", context.now(), "target_deleted") : null,
  );
  if (failed !== null) logEnd(context, failed);
}

function logEnd({ log }: ReplayTickContext, { replayId, state, failure, counts }: ReplayJob): void {
  log(state === "failed" ? "warn" : "info", "bulk replay ended", { replayId, state, failure, ...counts });
}

async function makePage(context: ReplayTickContext, job: ReplayJob): Promise<ReplayPage> {
  const { entries, isLast } = await readPage(context, job);
  const toReplay = entries.flatMap(({ matched }) => (matched === null || matched.skip !== null ? [] : [matched]));
  const overtaken = await makeReplays(context, job, toReplay);
  const counts = addCounts(countsOf(entries), {
    scanned: 0,
    replayed: -overtaken,
    skipped: overtaken === 0 ? noCounts.skipped : { already_replayed: overtaken },
  });
  return { counts, after: entries.at(-1)?.position ?? null, isLast };
}

/** As many entries as hold a page of replays. */
async function readPage(context: ReplayTickContext, job: ReplayJob) {
  const scan = {
    deliveries: context.deliveries,
    deliveryIndex: context.deliveryIndex,
    findTarget: (sourceId: string, subscriptionId: string) => context.subscriptions.find(sourceId, subscriptionId),
    retentionDays: context.retentionDays,
    now: context.now,
  };
  const entries: Scanned[] = [];
  let room = job.perSecond;
  for await (const batch of scanOriginals(scan, job)) {
    for (const entry of batch) {
      const isReplayed = entry.matched !== null && entry.matched.skip === null;
      if ((isReplayed && room === 0) || entries.length === mostScanned) return { entries, isLast: false };
      entries.push(entry);
      if (isReplayed) room -= 1;
    }
  }
  return { entries, isLast: true };
}

/** Makes the replays of a page and sends their messages; how many originals somebody else replayed meanwhile. */
async function makeReplays(
  context: ReplayTickContext,
  { replayId, includeReplayed }: ReplayJob,
  originals: readonly MatchedOriginal[],
): Promise<number> {
  const made: (Delivery | null)[] = [];
  for (let start = 0; start < originals.length; start += writesAtOnce) {
    const some = originals.slice(start, start + writesAtOnce);
    made.push(
      ...(await Promise.all(
        some.map(({ original, target }) =>
          storeReplay(context, original, replayIdOf(original.deliveryId, replayId), target, {
            unlessReplayed: !includeReplayed,
          }),
        ),
      )),
    );
  }
  const stored = made.filter((each) => each !== null);
  await sendStored(context, stored);
  return made.length - stored.length;
}

/** Sets a bulk replay going again whose tick was lost; for the sweeper. True: it was. */
export async function restartReplay(context: ReplayTickSender, replayId: string): Promise<boolean> {
  const moved = await moveReplay(context, replayId, (job) =>
    job.state !== "running" || replayIsGoing(job, context.now()) ? null : withNewReplayTicks(job, context.now()),
  );
  if (moved !== null) await sendReplayTick(context, moved);
  return moved !== null;
}

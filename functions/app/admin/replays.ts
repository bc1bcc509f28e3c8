import { freshId } from "../../core/ids.js";
import { addCounts, isEnded, matchedOf, noCounts, type ReplayFilter, type ReplayJob } from "../../core/replay-job.js";
import { replayIsGoing, stoppedReplay, withNewReplayTicks } from "../../core/replay-ticks.js";
import { moveReplay, sendReplayTick } from "../replays/replay-ticks.js";
import { countsOf, scanOriginals } from "../replays/scan.js";
import type { AdminContext } from "./context.js";
import { decodeCursor, encodeCursor } from "./cursor.js";
import { harmless } from "./harmless-text.js";
import type { JsonObject } from "./merge-patch.js";
import { parse } from "./parse.js";
import { refusal, unknown } from "./problem.js";
import { type DryRunTally, newTally, tallyView } from "./replay-dry-run.js";
import { type ReplayJobInput, replayChangeSchema, replayJobSchema } from "./replay-schemas.js";
import { replayView } from "./replay-views.js";
import type { PageQuery } from "./schemas.js";
import { searchedSubscriptions, tooManySubscriptions } from "./searched.js";
import { requireSubscription } from "./subscriptions.js";
import { requireOrder } from "./time-bounds.js";
import type { DryRunView, PageView, ReplayView } from "./view-schemas.js";

/** Bulk replays: looked at before, begun, watched, held, ended. */

/** Entries that a look at the matching deliveries goes through. */
const mostCounted = 25_000;

/** Where they are read slowly, a look ends by then: within the time that an answer has. */
const longestLookMs = 15_000;

/** Bulk replays that may be under way: their pages share the control queue's consumers with everything that heals. */
const mostUnderWay = 3;

/** Who asks, and what for. */
export interface Asker {
  readonly caller: string | null;
  readonly reason: string | null;
}

/** True for a request that only wants to know what would happen. */
export const isDryRun = (body: JsonObject): boolean => body["dryRun"] === true;

export async function dryRunReplay(context: AdminContext, body: JsonObject): Promise<DryRunView> {
  const input = parse(replayJobSchema, body);
  return tallyView(await look(context, await newJob(context, input, { caller: null, reason: null })), input.perSecond);
}

export async function createReplay(context: AdminContext, body: JsonObject, asker: Asker): Promise<ReplayView> {
  const input = parse(replayJobSchema, body);
  await requireRoom(context);
  const job = await newJob(context, input, asker);
  const { counts, atLeast } = await look(context, job);
  const estimate = { matched: matchedOf(counts), toReplay: counts.replayed, atLeast };
  const created = { ...withNewReplayTicks(job, context.now()), estimate };
  await context.replays.createReplay(created);
  await sendReplayTick(context, created);
  return replayView(created);
}

async function newJob(context: AdminContext, input: ReplayJobInput, { caller, reason }: Asker): Promise<ReplayJob> {
  const filter = filterOf(input);
  const target = input.subscriptionId === null ? null : await requireSubscription(context, input.subscriptionId);
  const searched = await searchedBy(context, filter);
  const nowMs = context.now();
  return {
    replayId: freshId("rpl", nowMs, context.entropy(10)),
    revision: 1,
    state: "running",
    failure: null,
    filter,
    searched,
    target: target && { sourceId: target.record.sourceId, subscriptionId: target.record.subscriptionId },
    includeReplayed: input.includeReplayed,
    perSecond: input.perSecond,
    by: caller ?? "local",
    reason: reason === null ? null : harmless(reason),
    createdAtMs: nowMs,
    updatedAtMs: nowMs,
    endedAtMs: null,
    estimate: { matched: 0, toReplay: 0, atLeast: false },
    counts: noCounts,
    after: null,
    tick: { seq: 0, dueAtMs: null, by: null },
  };
}

function filterOf({ filter: { since, until, ...filter } }: ReplayJobInput): ReplayFilter {
  requireOrder({ since: since ?? undefined, until: until ?? undefined });
  const milliseconds = (time: string | null): number | null => (time === null ? null : Date.parse(time));
  return { ...filter, sinceMs: milliseconds(since), untilMs: milliseconds(until) };
}

/** Null: the list of all dead letters is read. */
async function searchedBy(context: AdminContext, filter: ReplayFilter): Promise<readonly string[] | null> {
  const { status, subscriptionId, sourceId } = filter;
  if (subscriptionId !== null) return [subscriptionId];
  if (status === "dead_lettered" && sourceId === null) return null;
  const searched = await searchedSubscriptions(context, sourceId ?? undefined);
  if (searched !== null) return searched;
  throw tooManySubscriptions(`name ${sourceId === null ? "a sourceId or " : ""}a subscriptionId in the filter`);
}

async function requireRoom({ replays }: AdminContext): Promise<void> {
  const { items } = await replays.listReplays({ after: null, limit: 100 });
  const underWay = items.filter((job) => !isEnded(job));
  if (underWay.length < mostUnderWay) return;
  const ids = underWay.map(({ replayId }) => replayId).join(", ");
  throw refusal(409, "too_many_running", `${ids} are under way: wait until one ends, or cancel one.`);
}

/** Goes through the list as the job would, up to the bounds, and does nothing. */
async function look(context: AdminContext, job: ReplayJob): Promise<DryRunTally> {
  const tally = newTally();
  const untilMs = context.now() + longestLookMs;
  for await (const batch of scanOriginals({ ...context, findTarget: targetFinder(context) }, job)) {
    tally.add(batch);
    tally.counts = addCounts(tally.counts, countsOf(batch));
    if (tally.counts.scanned >= mostCounted || context.now() > untilMs) return { ...tally, atLeast: true };
  }
  return tally;
}

/** Each subscription is asked for once; a deleted one is not found. */
function targetFinder({ subscriptions }: AdminContext) {
  const asked = new Map<string, Promise<{ readonly deletedAtMs: number | null } | null>>();
  return (_sourceId: string, subscriptionId: string) => {
    const found =
      asked.get(subscriptionId) ?? subscriptions.findSubscription(subscriptionId).then((each) => each?.record ?? null);
    asked.set(subscriptionId, found);
    return found;
  };
}

export async function listReplays(context: AdminContext, { limit, cursor }: PageQuery): Promise<PageView<ReplayView>> {
  const list = ["replays"];
  const { items, after } = await context.replays.listReplays({ after: decodeCursor(list, cursor), limit });
  return { items: items.map(replayView), cursor: encodeCursor(list, after) };
}

export async function findReplay({ replays }: AdminContext, replayId: string): Promise<ReplayView> {
  const job = await replays.findReplay(replayId);
  if (job === null) throw unknown("unknown_replay", replayId);
  return replayView(job);
}

/** Pauses, resumes, changes the pace. Resuming one that runs sets it going again where its tick was lost. */
export async function changeReplay(context: AdminContext, replayId: string, body: JsonObject): Promise<ReplayView> {
  const { state, perSecond } = parse(replayChangeSchema, body);
  return move(context, replayId, (job) => {
    const nowMs = context.now();
    const paced = perSecond === undefined ? job : { ...job, perSecond, updatedAtMs: nowMs };
    if (state === "paused") return job.state === "paused" ? paced : stoppedReplay(paced, "paused", nowMs);
    if (state === undefined || replayIsGoing(job, nowMs)) return paced;
    return { ...withNewReplayTicks(paced, nowMs), updatedAtMs: nowMs };
  });
}

/** What it has replayed stays replayed. */
export async function cancelReplay(context: AdminContext, replayId: string): Promise<ReplayView> {
  return move(context, replayId, (job) => stoppedReplay(job, "cancelled", context.now()));
}

/** Changes one that is under way; one that has ended refuses. */
async function move(
  context: AdminContext,
  replayId: string,
  change: (job: ReplayJob) => ReplayJob,
): Promise<ReplayView> {
  const before = await context.replays.findReplay(replayId);
  if (before === null) throw unknown("unknown_replay", replayId);
  const moved = await moveReplay(context, replayId, (job) => {
    requireUnderWay(job);
    return change(job);
  });
  if (moved === null) throw unknown("unknown_replay", replayId);
  if (moved.tick.seq !== before.tick.seq) await sendReplayTick(context, moved);
  return replayView(moved);
}

function requireUnderWay({ replayId, state }: ReplayJob): void {
  if (isEnded({ state })) {
    throw refusal(409, "replay_ended", `Bulk replay "${replayId}" is ${state}: begin a new one.`);
  }
}

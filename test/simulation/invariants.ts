import { deliveryIdOf } from "../../functions/core/ids.js";
import type { Attempt, Delivery, RetryPolicy } from "../../functions/core/model.js";
import { resolvePolicy } from "../../functions/core/presets.js";
import type { SeenRequest } from "./destinations.js";
import { gateProblems } from "./gate-invariants.js";
import type { Run } from "./scenario.js";

/** What the relay promises, checked over a whole run; each violation is a sentence. */
export function violationsOf(run: Run): readonly string[] {
  return [
    ...run.relay.ledger.violations,
    ...(run.settled ? [] : [`not at rest: ${unrest(run)}`]),
    ...nothingLost(run),
    ...neverTwiceAtOnce(run),
    ...recordedAsSeen(run),
    ...withinPolicy(run),
    ...deadLettersAnnounced(run),
    ...nothingMultiplied(run),
    ...gateProblems(run),
  ];
}

/**
 * The message itself; where nobody works on the queue for up to two hours, a copy after 5, 10, 20, 40 and 80 minutes of
 * what waited too long, and one about every ten minutes of what its gate lets go. More than that would be an avalanche;
 * seen so far: 17 (seed 3143).
 */
const mostMessagesOfOne = 17;
/**
 * A tick is sent again by a copy that made the step before it, by one that came early, and by the sweeper. Seen so far: 10
 * (seed 2838).
 */
const mostLiveTicks = 12;

function nothingMultiplied({ census }: Run): string[] {
  const problems: string[] = [];
  const { mostOfOneDelivery, mostLiveTicksOfOne } = census;
  if (mostOfOneDelivery > mostMessagesOfOne) problems.push(`${mostOfOneDelivery} messages of one delivery at a time`);
  if (mostLiveTicksOfOne > mostLiveTicks) problems.push(`the same tick ${mostLiveTicksOfOne} times at a time`);
  return problems;
}

function unrest({ relay }: Run): string {
  const open = [...relay.deliveries.deliveries.values()].filter(
    ({ status }) => status !== "delivered" && status !== "dead_lettered",
  );
  const queued = [relay.deliveryQueue, relay.slowQueue, relay.controlQueue, relay.faultQueue].map(
    (queue) => queue.messages.size,
  );
  const states = open.map(({ deliveryId, status, attemptsStarted }) => `${deliveryId} ${status} ${attemptsStarted}`);
  return `${states.join(", ")}; queues ${queued.join("/")}, schedules ${relay.scheduler.schedules.size}`;
}

/** Every accepted event is stored, and each of its deliveries came to a final state. */
function nothingLost({ relay, accepted }: Run): string[] {
  const problems: string[] = [];
  for (const { eventId, body } of accepted) {
    const stored = relay.events.events.get(eventId);
    if (stored === undefined) {
      problems.push(`accepted event ${eventId} is not stored`);
      continue;
    }
    for (const subscriptionId of stored.subscriptionIds) {
      const deliveryId = deliveryIdOf(eventId, subscriptionId);
      const last = relay.ledger.histories.get(deliveryId)?.at(-1)?.delivery;
      if (last === undefined) problems.push(`${eventId} has no delivery to ${subscriptionId}`);
      else if (last.status !== "delivered" && last.status !== "dead_lettered") {
        problems.push(`${deliveryId} ended ${last.status}`);
      } else if (last.status === "delivered" && !wasTaken(relay.destinations.seen, deliveryId, body)) {
        problems.push(`${deliveryId} is delivered, but nobody got it`);
      }
    }
  }
  return problems;
}

const wasTaken = (seen: readonly SeenRequest[], webhookId: string, body: string): boolean =>
  seen.some((request) => request.webhookId === webhookId && request.bodyText === body);

function byDelivery(seen: readonly SeenRequest[]): Map<string, SeenRequest[]> {
  const requests = new Map<string, SeenRequest[]>();
  for (const request of seen) {
    const same = requests.get(request.webhookId) ?? [];
    same.push(request);
    requests.set(request.webhookId, same);
  }
  return requests;
}

function neverTwiceAtOnce({ relay }: Run): string[] {
  const problems: string[] = [];
  for (const [webhookId, requests] of byDelivery(relay.destinations.seen)) {
    const ordered = requests.toSorted((a, b) => a.startedAtMs - b.startedAtMs);
    for (const [index, request] of ordered.entries()) {
      const before = ordered[index - 1];
      if (before !== undefined && (before.endedAtMs ?? Number.POSITIVE_INFINITY) > request.startedAtMs) {
        problems.push(`${webhookId}: attempts ${before.attempt} and ${request.attempt} at the same time`);
      }
    }
  }
  return problems;
}

/** The newest state of each delivery that was ever written. */
function lastStates({ relay }: Run): Delivery[] {
  return [...relay.ledger.histories.values()].flatMap((history) => history.at(-1)?.delivery ?? []);
}

/** One request per recorded attempt, at most one per attempt of unknown outcome, none for any other number. */
function recordedAsSeen(run: Run): string[] {
  const problems: string[] = [];
  const requests = byDelivery(run.relay.destinations.seen);
  for (const delivery of lastStates(run)) {
    const seen = requests.get(delivery.deliveryId) ?? [];
    for (const attempt of delivery.attempts) {
      const count = seen.filter((request) => request.attempt === attempt.number).length;
      const fits = attempt.outcome === "unknown" ? count <= 1 : count === 1;
      if (!fits)
        problems.push(`${delivery.deliveryId}: attempt ${attempt.number} (${attempt.outcome}) seen ${count} times`);
    }
    const beyond = seen.filter((request) => request.attempt > delivery.attemptsStarted);
    if (beyond.length > 0) problems.push(`${delivery.deliveryId}: ${beyond.length} requests beyond its attempts`);
    const numbers = delivery.attempts.map((attempt) => attempt.number);
    if (new Set(numbers).size !== numbers.length) problems.push(`${delivery.deliveryId}: attempts recorded twice`);
  }
  return problems;
}

/** Clocks of two machines may differ by two seconds, and a message may be acted on a second early. */
const toleranceMs = 3_500;

function withinPolicy(run: Run): string[] {
  const problems: string[] = [];
  for (const delivery of lastStates(run)) {
    const record = run.relay.config.subscriptions.get(delivery.subscriptionId)?.record;
    if (record === undefined) continue;
    const policy = resolvePolicy(record.policy, { policyPreset: "default" });
    if (delivery.attemptsStarted > policy.maxAttempts) problems.push(`${delivery.deliveryId}: over its maximum`);
    for (const [index, attempt] of delivery.attempts.entries()) {
      const before = delivery.attempts[index - 1];
      if (before === undefined || before.number !== attempt.number - 1) continue;
      const problem = retryProblem(policy, before, attempt);
      if (problem !== null) problems.push(`${delivery.deliveryId}: attempt ${attempt.number} ${problem}`);
    }
  }
  return problems;
}

function retryProblem(policy: RetryPolicy, before: Attempt, attempt: Attempt): string | null {
  const endedAtMs = before.startedAtMs + (before.durationMs ?? 0);
  // A 410 parks without a delay, and a release comes when it comes.
  if (before.statusCode === 410) return null;
  const leastSeconds = leastDelay(policy, before);
  if (attempt.delaySeconds < leastSeconds - 0.01) return `planned ${attempt.delaySeconds} s after the one before`;
  if (attempt.startedAtMs < endedAtMs + leastSeconds * 1000 - toleranceMs) return "came too early";
  return null;
}

function leastDelay(policy: RetryPolicy, before: Attempt): number {
  if (before.retryAfterSeconds !== null) return Math.min(before.retryAfterSeconds, policy.retryAfterCapSeconds);
  const n = before.number;
  const { schedule } = policy;
  const seconds =
    schedule.kind === "table"
      ? (schedule.delaysSeconds[Math.min(n, schedule.delaysSeconds.length) - 1] ?? 0)
      : schedule.baseSeconds * (schedule.kind === "exponential" ? 2 ** (n - 1) : schedule.kind === "linear" ? n : 1);
  return Math.min(seconds, policy.capSeconds ?? Number.POSITIVE_INFINITY) * (1 - policy.jitter);
}

/** A dead letter is on the queue, unless somebody chose it; nothing else is. */
function deadLettersAnnounced(run: Run): string[] {
  const announced = new Map<string, string>();
  for (const { body } of run.relay.queues.deadLetter.messages.values()) {
    const { deliveryId, reason } = JSON.parse(body) as { deliveryId: string; reason: string };
    announced.set(deliveryId, reason);
  }
  const problems: string[] = [];
  for (const { deliveryId, status, deadLetterReason } of lastStates(run)) {
    const expected = status === "dead_lettered" && deadLetterReason !== "subscription_deleted";
    if (expected !== announced.has(deliveryId)) {
      problems.push(
        `${deliveryId}: ${status} (${deadLetterReason}), dead letter ${announced.get(deliveryId) ?? "none"}`,
      );
    }
  }
  return problems;
}

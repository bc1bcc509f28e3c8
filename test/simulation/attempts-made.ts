import type { Attempt, Delivery } from "../../functions/core/model.js";
import type { SeenRequest } from "./destinations.js";
import type { Entry } from "./ledger.js";
import type { Run } from "./scenario.js";

/** A request with the moment of its claim. */
export interface MadeRequest extends SeenRequest {
  readonly subscriptionId: string;
  readonly claimedAtMs: number;
}

/** A recorded attempt, and when it was recorded. */
export interface RecordedAttempt {
  readonly atMs: number;
  readonly deliveryId: string;
  readonly attempt: Attempt;
}

/** What was done in a run for each subscription, by what the destinations saw and by what was written. */
export function requestsOf({ relay }: Run): ReadonlyMap<string, readonly MadeRequest[]> {
  const requests = relay.destinations.seen.flatMap((seen) => {
    const history = relay.ledger.histories.get(seen.webhookId) ?? [];
    const claim = history.find(
      ({ delivery }) => delivery.status === "attempting" && delivery.attemptsStarted === seen.attempt,
    );
    if (claim === undefined) return [];
    return [{ ...seen, subscriptionId: claim.delivery.subscriptionId, claimedAtMs: claim.atMs }];
  });
  return bySubscription(requests);
}

/** In the order of the records. */
export function recordsOf({ relay }: Run): ReadonlyMap<string, readonly RecordedAttempt[]> {
  const records: (RecordedAttempt & { readonly subscriptionId: string })[] = [];
  for (const [deliveryId, history] of relay.ledger.histories) {
    for (const { atMs, delivery, attempt } of recordsIn(history)) {
      records.push({ atMs, deliveryId, attempt, subscriptionId: delivery.subscriptionId });
    }
  }
  records.sort((a, b) => a.atMs - b.atMs);
  return bySubscription(records);
}

function recordsIn(history: readonly Entry[]) {
  return history.flatMap(({ atMs, delivery }, index) => {
    const attempt = delivery.attempts.at(-1);
    const wasAttempting = history[index - 1]?.delivery.status === "attempting";
    return wasAttempting && attempt !== undefined ? [{ atMs, delivery, attempt }] : [];
  });
}

/** The state of a delivery at a moment; undefined before its first write. */
export function stateAt(history: readonly Entry[], atMs: number): Delivery | undefined {
  return history.findLast((entry) => entry.atMs <= atMs)?.delivery;
}

function bySubscription<Item extends { readonly subscriptionId: string }>(items: readonly Item[]): Map<string, Item[]> {
  const groups = new Map<string, Item[]>();
  for (const item of items) {
    const group = groups.get(item.subscriptionId) ?? [];
    groups.set(item.subscriptionId, group);
    group.push(item);
  }
  return groups;
}

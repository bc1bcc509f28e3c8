import type { ReceivedRequest } from "../support/destination.js";
import { type AttemptView, type DeliveryView, isFinal } from "../support/relay.js";
import type { AcceptedEvent } from "./load.js";
import { type Behaviour, behaviours } from "./receivers.js";

/** A relay's end, as its API tells it and as the destinations saw it. */
export interface Outcome {
  readonly accepted: readonly AcceptedEvent[];
  /** By event id. */
  readonly deliveries: ReadonlyMap<string, readonly DeliveryView[]>;
  readonly requests: readonly ReceivedRequest[];
  /** By subscription id. */
  readonly behaviourOf: ReadonlyMap<string, Behaviour>;
  /** How many subscriptions each source has. */
  readonly fanOut: ReadonlyMap<string, number>;
  /** Ids of the deliveries on the dead-letter queue. */
  readonly deadLetters: ReadonlySet<string>;
}

/** What the relay promises of a `kill -9`; each violation is a sentence. */
export function violationsOf(outcome: Outcome): readonly string[] {
  return [...outcome.accepted.flatMap((event) => eventViolations(outcome, event)), ...bodyViolations(outcome)];
}

/** Each accepted event came to every one of its subscriptions, to the end that its destination makes. */
function eventViolations(outcome: Outcome, { eventId, sourceId }: AcceptedEvent): readonly string[] {
  const deliveries = outcome.deliveries.get(eventId) ?? [];
  const expected = outcome.fanOut.get(sourceId);
  if (deliveries.length !== expected) return [`${eventId}: ${deliveries.length} deliveries instead of ${expected}`];
  return deliveries.flatMap((delivery) => deliveryViolations(outcome, delivery));
}

function deliveryViolations(outcome: Outcome, delivery: DeliveryView): readonly string[] {
  const { deliveryId, status, subscriptionId, attempts } = delivery;
  const behaviour = outcome.behaviourOf.get(subscriptionId);
  const where = `${deliveryId} (${behaviour})`;
  if (!isFinal(delivery)) return [`${where}: ended ${status}`];
  const problems: string[] = [];
  // Attempts that died with the relay count: enough of them exhaust a delivery that would have succeeded.
  const exhausted = delivery.deadLetterReason === "exhausted" && attempts.some(isUnknown);
  if (behaviour !== undefined && status !== behaviours[behaviour] && !exhausted) {
    problems.push(`${where}: ${status} (${delivery.deadLetterReason}) instead of ${behaviours[behaviour]}`);
  }
  if ((status === "dead_lettered") !== outcome.deadLetters.has(deliveryId)) {
    problems.push(`${where}: ${status}, but ${outcome.deadLetters.has(deliveryId) ? "a" : "no"} dead letter`);
  }
  return [...problems, ...requestViolations(outcome, where, delivery)];
}

const isUnknown = (attempt: AttemptView): boolean => attempt.outcome === "unknown";

/** One request per answered attempt, at most one per any other, none that was not recorded. */
function requestViolations({ requests }: Outcome, where: string, { deliveryId, attempts }: DeliveryView): string[] {
  const seen = requestsOf(requests, deliveryId).map(attemptOf);
  const counted = attempts.flatMap((attempt) => {
    const count = seen.filter((number) => number === attempt.number).length;
    const fits = attempt.statusCode === null ? count <= 1 : count === 1;
    return fits ? [] : [`${where}: attempt ${attempt.number} (${attempt.outcome}) seen ${count} times`];
  });
  const numbers = attempts.map(({ number }) => number);
  const beyond = seen.filter((number) => !numbers.includes(number));
  const gaps = numbers.some((number, index) => number !== index + 1);
  return [
    ...counted,
    ...(beyond.length > 0 ? [`${where}: requests of attempts ${beyond.join(", ")}, which are not recorded`] : []),
    ...(gaps ? [`${where}: attempts ${numbers.join(", ")} recorded`] : []),
    ...duplicateViolations(where, attempts),
  ];
}

/** After an attempt that was taken there is no other, unless nobody could know that it was: then it is `unknown`. */
function duplicateViolations(where: string, attempts: readonly AttemptView[]): string[] {
  const delivered = attempts.findIndex(({ outcome }) => outcome === "delivered");
  if (delivered === -1 || delivered === attempts.length - 1) return [];
  return [`${where}: attempted again after attempt ${delivered + 1}, which was delivered`];
}

function bodyViolations({ accepted, requests }: Outcome): string[] {
  const sent = new Map(accepted.map(({ eventId, sha256 }) => [eventId, sha256]));
  return requests.flatMap(({ headers, sha256 }) => {
    const eventId = headers["steadyhook-event-id"] ?? "";
    if (sent.get(eventId) === sha256) return [];
    return [`${eventId}: a request with another body than what was posted`];
  });
}

/** Requests that the destinations took although they had taken one before: what a receiver must recognise. */
export function duplicatesIn({ deliveries, requests, behaviourOf }: Outcome): number {
  let duplicates = 0;
  for (const { deliveryId, subscriptionId } of [...deliveries.values()].flat()) {
    const firstFails = ["fails-once", "hangs"].includes(behaviourOf.get(subscriptionId) ?? "");
    const taken = requestsOf(requests, deliveryId).filter((request) => !firstFails || attemptOf(request) > 1);
    if (["refuses", "broken"].includes(behaviourOf.get(subscriptionId) ?? "")) continue;
    duplicates += Math.max(0, taken.length - 1);
  }
  return duplicates;
}

const indexes = new WeakMap<readonly ReceivedRequest[], Map<string, ReceivedRequest[]>>();

/** Requests of a delivery: its id is what they carry as `webhook-id`. */
function requestsOf(requests: readonly ReceivedRequest[], deliveryId: string): readonly ReceivedRequest[] {
  const index = indexes.get(requests) ?? indexByDelivery(requests);
  indexes.set(requests, index);
  return index.get(deliveryId) ?? [];
}

function indexByDelivery(requests: readonly ReceivedRequest[]): Map<string, ReceivedRequest[]> {
  const index = new Map<string, ReceivedRequest[]>();
  for (const request of requests) {
    const deliveryId = request.headers["webhook-id"] ?? "";
    index.set(deliveryId, [...(index.get(deliveryId) ?? []), request]);
  }
  return index;
}

const attemptOf = ({ headers }: ReceivedRequest): number => Number(headers["steadyhook-attempt"]);

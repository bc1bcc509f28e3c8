import type { Assumptions } from "./assumptions.js";
import type { EventSize } from "./counted.js";
import { sum, times, type Usage } from "./usage.js";
import {
  accepted,
  attemptOfMany,
  deliveredFirst,
  duplicated,
  exhausted,
  failedFirst,
  fannedOut,
  mostAttempts,
  parked,
  replayed,
  retrySucceeded,
} from "./use-cases.js";

export interface UseCase {
  readonly name: string;
  /** Of one event, from its request on; a replay has none. */
  readonly usage: Usage;
}

/** What may become of an event, one by one. */
export function useCases(size: EventSize, assumed: Assumptions): readonly UseCase[] {
  const accept = accepted(size, assumed);
  const alone = { ...assumed, batchSize: 1 };
  return [
    { name: "accepted", usage: accept },
    { name: "accepted, delivered at once", usage: sum(accept, deliveredFirst(size, assumed)) },
    { name: "the same, alone in its batch", usage: sum(accept, deliveredFirst(size, alone)) },
    {
      name: "delivered by the first retry",
      usage: sum(accept, failedFirst(size, assumed), retrySucceeded(size, assumed)),
    },
    { name: `dead letter after ${mostAttempts} attempts`, usage: sum(accept, exhausted(size, assumed)) },
    { name: "parked through an outage, released", usage: sum(accept, parked(size, assumed)) },
    {
      name: "fanned out to ten, delivered at once",
      usage: sum(accept, fannedOut(10, size, assumed), times(attemptOfMany("delivered", size, assumed), 10)),
    },
    { name: "a duplicate", usage: duplicated(size, assumed) },
    { name: "replayed by hand, delivered at once", usage: replayed(size, assumed) },
  ];
}

import type { Delivery } from "../../core/model.js";
import type { Metrics } from "../metrics.js";
import { isQuiet } from "./announce.js";

/**
 * Counts what a write has done to a delivery. To be called by whoever made the write, and for that write only: each
 * transition is written once, so it is counted once, whatever is received or announced again.
 */
export function countTransition(metrics: Metrics, previous: Delivery | null, next: Delivery): void {
  countAttempt(metrics, previous, next);
  if (previous?.status === next.status) return;
  switch (next.status) {
    case "delivered":
      metrics.count("Delivered");
      metrics.value("DeliveryLatency", next.updatedAtMs - beganAtMs(next));
      break;
    case "retry_scheduled":
      metrics.count("Retried");
      break;
    case "parked":
      metrics.count("Parked");
      break;
    case "dead_lettered":
      if (!isQuiet(next)) metrics.count("DeadLettered");
      break;
    default: // A claim: what comes of it is counted.
  }
}

function countAttempt(metrics: Metrics, previous: Delivery | null, next: Delivery): void {
  const recorded = recordedAttempts(next) - (previous === null ? 0 : recordedAttempts(previous));
  if (recorded <= 0) return;
  metrics.count("Attempts", recorded);
  const { durationMs } = next.attempts.at(-1) ?? {};
  if (typeof durationMs === "number") metrics.value("AttemptLatency", durationMs);
}

const recordedAttempts = ({ attempts, attemptsDropped }: Delivery): number => attempts.length + attemptsDropped;

/** A replay begins when it is asked for, however old its event is. */
const beganAtMs = ({ replayOf, receivedAtMs, createdAtMs }: Delivery): number =>
  replayOf === null ? receivedAtMs : createdAtMs;

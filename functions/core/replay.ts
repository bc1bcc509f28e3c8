import { replayLimit } from "./delivery.js";
import type { Delivery } from "./model.js";

/** Replays of a delivery that are noted on it; more of them are replays of a replay. */
export const mostReplays = 100;

/** Why a final delivery cannot be replayed, whatever the reason why it ended. */
export type NotReplayable = "erased" | "expired" | "too_many_replays";

/** Null: it can be replayed. `expired`: the event's content is gone, or goes before a replay could end. */
export function whyNotReplayable(original: Delivery, retentionDays: number, nowMs: number): NotReplayable | null {
  if (original.erasedAtMs !== undefined) return "erased";
  if (nowMs >= replayLimit(original.receivedAtMs, retentionDays)) return "expired";
  return (original.replayedAs ?? []).length >= mostReplays ? "too_many_replays" : null;
}

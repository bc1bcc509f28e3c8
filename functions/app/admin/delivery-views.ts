import type { Attempt, Delivery } from "../../core/model.js";
import { harmless } from "./harmless-text.js";
import type { AttemptView, DeliveryView } from "./view-schemas.js";
import { isoTime } from "./views.js";

/** A delivery with everything that is known of its attempts. */
export function deliveryView(delivery: Delivery): DeliveryView {
  return { ...deliverySummary(delivery), attempts: delivery.attempts.map(attemptView) };
}

/** A delivery as lists show it: without the previews of what destinations answered. */
export function deliverySummary(delivery: Delivery): DeliveryView {
  const { deliveryId, eventId, sourceId, subscriptionId, status, deadLetterReason, replayOf } = delivery;
  return {
    deliveryId,
    eventId,
    sourceId,
    subscriptionId,
    status,
    attemptsStarted: delivery.attemptsStarted,
    attemptsDropped: delivery.attemptsDropped,
    attempts: delivery.attempts.map(attemptSummary),
    /** The attempt that is under way; null when none is. */
    currentAttempt: currentAttempt(delivery),
    nextAttemptAt: delivery.nextAttemptAtMs === null ? null : isoTime(delivery.nextAttemptAtMs),
    nextDelaySeconds: delivery.nextDelaySeconds,
    deadLetterReason,
    receivedAt: isoTime(delivery.receivedAtMs),
    createdAt: isoTime(delivery.createdAtMs),
    updatedAt: isoTime(delivery.updatedAtMs),
    replayOf,
    replayedAs: [...(delivery.replayedAs ?? [])],
    erasedAt: delivery.erasedAtMs === undefined ? null : isoTime(delivery.erasedAtMs),
  };
}

function currentAttempt({ status, claim }: Delivery) {
  if (status !== "attempting" || claim === null) return null;
  return { number: claim.attempt, startedAt: isoTime(claim.startedAtMs), delaySeconds: claim.delaySeconds };
}

function attemptSummary({ startedAtMs, preview: _preview, previewCut: _cut, ...rest }: Attempt): AttemptView {
  const { number, ...facts } = rest;
  return { number, startedAt: isoTime(startedAtMs), ...facts };
}

function attemptView(attempt: Attempt): AttemptView {
  const { preview = "", previewCut } = attempt;
  // A body that broke off before its first byte is shown too: as an empty preview that was cut.
  if (preview === "" && previewCut !== true) return attemptSummary(attempt);
  return {
    ...attemptSummary(attempt),
    preview: { base64: preview, ...readable(Buffer.from(preview, "base64"), previewCut === true) },
  };
}

/** Text for the eye, and what it is not: a character that was cut in two at the end is left out, and no loss. */
function readable(bytes: Buffer, cut: boolean): { text: string; cut: boolean; lossy: boolean } {
  const decoded = new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes, { stream: cut });
  const text = harmless(decoded);
  const again = Buffer.from(decoded);
  return { text, cut, lossy: text !== decoded || !again.equals(bytes.subarray(0, again.length)) };
}

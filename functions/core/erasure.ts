import type { Attempt, Delivery } from "./model.js";

/**
 * What an erasure leaves of a delivery: ids, times, states, outcomes. What destinations answered goes, since they may
 * quote what they got, and so does the body's hash: of a body with few possible values it tells which one it was.
 */

/** Stands where a body's hash was: of the same form, and equal to none. */
export const erasedSha256 = "0".repeat(64);

export function erasedDelivery(delivery: Delivery, nowMs: number): Delivery {
  const attempts = delivery.attempts.map(withoutAnswer);
  return { ...delivery, attempts, bodySha256: erasedSha256, erasedAtMs: delivery.erasedAtMs ?? nowMs };
}

/** Kept are the facts: when, how long, which status or error. Texts of the destination are not. */
function withoutAnswer(attempt: Attempt): Attempt {
  const {
    preview: _preview,
    previewCut: _cut,
    location: _location,
    requestId: _id,
    retryAfterText: _text,
    errorDetail: _detail,
    ...facts
  } = attempt;
  return facts;
}

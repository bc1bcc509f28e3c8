import type { Attempt, Delivery } from "./model.js";

/** Attempts that are always kept from the start of the history: how it began to fail. */
export const firstKept = 5;
/** Attempts that are kept from its end. Together with {@link firstKept} the item stays far below 400 KB. */
export const lastKept = 95;
/** Bytes of response preview on a failed attempt. */
export const failurePreviewBytes = 1024;
/** Bytes of response preview on a success: enough to see "ok". */
export const successPreviewBytes = 128;
/** Failed attempts at the end of the history that keep their preview; the first one keeps it, too. */
const lastPreviews = 3;

/** The history after one more attempt: the middle is dropped and counted, old previews are let go. */
export function keepAttempts(
  history: Pick<Delivery, "attempts" | "attemptsDropped">,
  attempt: Attempt,
): Pick<Delivery, "attempts" | "attemptsDropped"> {
  const all = [...history.attempts, attempt];
  const surplus = Math.max(0, all.length - firstKept - lastKept);
  const kept = surplus === 0 ? all : [...all.slice(0, firstKept), ...all.slice(firstKept + surplus)];
  const attempts = kept.map((each, index) =>
    index === 0 || index >= kept.length - lastPreviews ? each : withoutPreview(each),
  );
  return { attempts, attemptsDropped: history.attemptsDropped + surplus };
}

function withoutPreview(attempt: Attempt): Attempt {
  const { preview: _preview, previewCut: _previewCut, ...rest } = attempt;
  return rest;
}

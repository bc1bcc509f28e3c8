import type { Fault } from "../../core/model.js";
import { harmless } from "./harmless-text.js";
import type { FaultSummaryView, FaultView } from "./view-schemas.js";
import { isoTime } from "./views.js";

/** A fault as lists show it. */
export function faultSummary(fault: Fault): FaultSummaryView {
  const { faultId, queue, cause, messageId, times, eventId, deliveryId, subscriptionId } = fault;
  return {
    faultId,
    queue,
    cause: harmless(cause),
    messageId,
    faultedAt: isoTime(fault.faultedAtMs),
    times,
    redrivenAt: fault.redrivenAtMs === null ? null : isoTime(fault.redrivenAtMs),
    eventId,
    deliveryId,
    subscriptionId,
  };
}

export const faultView = (fault: Fault, body: string): FaultView => ({
  ...faultSummary(fault),
  message: messageView(body),
});

/** Characters that are shown: all of a message that holds ids, the beginning of anything else. */
const mostShown = 2_048;
/** Longer texts inside a message are contents, not names: they are what a provider sent, packed. */
const longestText = 256;

function messageView(body: string): FaultView["message"] {
  const bytes = Buffer.byteLength(body);
  const text = withoutContents(body);
  // Not ours, or none that JSON knows: as much as tells what it is.
  if (text === null) return { bytes, text: harmless(body.slice(0, longestText)), cut: body.length > longestText };
  return { bytes, text: harmless(text.slice(0, mostShown)), cut: text.length > mostShown };
}

/** The message with each long text replaced by its length; null when it is no JSON. */
function withoutContents(body: string): string | null {
  try {
    return JSON.stringify(JSON.parse(body), (_name, value: unknown) =>
      typeof value === "string" && value.length > longestText ? `(${value.length} characters)` : value,
    );
  } catch {
    // Not JSON, or nested so deeply that it cannot be written again.
    return null;
  }
}

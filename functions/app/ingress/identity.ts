import { eventIdFromKey, freshEventId } from "../../core/ids.js";
import type { Headers, Source } from "../../core/model.js";
import { readValue } from "../../core/values.js";

/** Longest dedupe key, in UTF-8 bytes: it is kept with the event, and providers' ids are far shorter. */
const longestKeyBytes = 1_024;

/** Longest type that is taken, in characters. */
const longestType = 256;

/** What identity and type are read from. */
export interface ReadableRequest {
  readonly headers: Headers;
  readonly body: Buffer;
}

/** False for half of a surrogate pair, as JSON can hold it: no service keeps such a text as it is. */
const isWellFormed = (text: string): boolean => Buffer.from(text).toString() === text;

/** True when events may be told apart by this key. */
export const isUsableKey = (key: string): boolean =>
  Buffer.byteLength(key) <= longestKeyBytes && key.trim() !== "" && isWellFormed(key);

/** True when this may be an event's type. */
export const isUsableType = (type: string): boolean =>
  type.length <= longestType && type.trim() !== "" && isWellFormed(type);

/**
 * The event's id. A dedupe key (the caller's, else what the source's rule finds) makes it a hash of source and key, so
 * that a provider's second copy is the same event. Without a usable key it is fresh: two events that would share a
 * blank or cut key must not become one.
 */
export function identify(
  source: Source,
  givenKey: string | null,
  request: ReadableRequest,
  fresh: { readonly nowMs: number; readonly entropy: Buffer },
): { readonly eventId: string; readonly dedupeKey: string | null } {
  const found = givenKey ?? (source.dedupe === null ? null : readValue(source.dedupe, request.headers, request.body));
  const dedupeKey = found !== null && isUsableKey(found) ? found : null;
  const eventId =
    dedupeKey === null ? freshEventId(fresh.nowMs, fresh.entropy) : eventIdFromKey(source.sourceId, dedupeKey);
  return { eventId, dedupeKey };
}

/** The type that the source's rule finds; null without a rule, or when it finds none that can be one. */
export function readType(source: Source, request: ReadableRequest): string | null {
  const found = source.eventType === null ? null : readValue(source.eventType, request.headers, request.body);
  return found !== null && isUsableType(found) ? found : null;
}

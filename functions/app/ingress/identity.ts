import { eventIdFromKey } from "../../core/ids.js";
import type { Headers, Source, ValueMiss } from "../../core/model.js";
import { type FoundValue, findValue, readValue } from "../../core/values.js";

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

/** An event's id, and where it comes from. */
export interface Identity {
  readonly eventId: string;
  /** Null: the id is fresh. */
  readonly dedupeKey: string | null;
  /** Why the source's rule found no key, where it has one. */
  readonly dedupeMissed?: ValueMiss;
}

/**
 * The event's id. A dedupe key (the caller's, else what the source's rule finds) makes it a hash of source and key, so
 * that a provider's second copy is the same event. Without a usable key it is fresh: two events that would share a
 * blank or cut key must not become one.
 */
export function identify(
  { sourceId, dedupe }: Source,
  givenKey: string | null,
  request: ReadableRequest,
  freshId: () => string,
): Identity {
  const found = givenKey === null ? keyOf(dedupe, request) : { value: givenKey };
  if (found === null) return { eventId: freshId(), dedupeKey: null };
  if ("missed" in found) return { eventId: freshId(), dedupeKey: null, dedupeMissed: found.missed };
  return { eventId: eventIdFromKey(sourceId, found.value), dedupeKey: found.value };
}

const keyOf = (rule: Source["dedupe"], { headers, body }: ReadableRequest): FoundValue | null =>
  rule === null ? null : findValue(rule, headers, body);

/** The type that the source's rule finds; null without a rule, or when it finds none that can be one. */
export function readType(source: Source, request: ReadableRequest): string | null {
  const found = source.eventType === null ? null : readValue(source.eventType, request.headers, request.body);
  return found !== null && isUsableType(found) ? found : null;
}

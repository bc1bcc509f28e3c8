import { hash } from "node:crypto";
import { bytesToBase32, numberToBase32 } from "./crockford.js";

/**
 * Ids: a prefix and 26 characters of lower-case Crockford base 32, safe in URLs, schedule names and file names. *Fresh*
 * ids sort by time (48 bits of milliseconds, then 80 random bits, as in a ULID). *Derived* ids are 130 bits of a hash:
 * who derives the same thing twice, at the same moment on two machines, gets the same id, so that a duplicate needs no
 * "seen" marker that could be written without the event.
 */

/** Bytes of entropy that a fresh id takes. */
const entropyBytes = 10;

/** An id for an event without a dedupe key. `entropy`: at least 10 random bytes. */
export function freshEventId(nowMs: number, entropy: Buffer): string {
  return fresh("evt", nowMs, entropy);
}

/** An id for what is created once: source, subscription, secret, replay, entry of the audit trail. `entropy`: at least 10 bytes. */
export function freshId(prefix: "src" | "sub" | "sec" | "dlv" | "rpl" | "aud", nowMs: number, entropy: Buffer): string {
  return fresh(prefix, nowMs, entropy);
}

/** The event that a provider's own id names under one source: equal keys are one event, on every source apart. */
export function eventIdFromKey(sourceId: string, dedupeKey: string): string {
  return derived("evt", [sourceId, dedupeKey]);
}

/** What a quarantined event without a dedupe key becomes when it is released: the same, however often it is. */
export function releasedEventId(quarantinedId: string): string {
  return derived("evt", ["released", quarantinedId, ""]);
}

/** The one delivery of an event to a subscription. */
export function deliveryIdOf(eventId: string, subscriptionId: string): string {
  return derived("dlv", [eventId, subscriptionId]);
}

/** The one replay of a delivery that a key names: a caller's own (Idempotency-Key), or the id of a bulk replay. */
export function replayIdOf(originalId: string, key: string): string {
  return derived("dlv", [originalId, key]);
}

function fresh(prefix: string, nowMs: number, entropy: Buffer): string {
  if (entropy.length < entropyBytes) throw new RangeError(`a fresh id takes ${entropyBytes} bytes of entropy`);
  return `${prefix}_${numberToBase32(Math.floor(nowMs), 10)}${bytesToBase32(entropy, 16)}`;
}

/** JSON frames the parts (no two lists share a text) and keeps lone surrogates apart, which UTF-8 would merge. */
function derived(prefix: string, parts: readonly string[]): string {
  const digest = hash("sha256", JSON.stringify([prefix, ...parts]), "buffer");
  return `${prefix}_${bytesToBase32(digest, 26)}`;
}

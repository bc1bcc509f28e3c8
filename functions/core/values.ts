import { headerName, headerValue } from "./header-list.js";
import { jsonText, readText } from "./json-body.js";
import { pointerTokens } from "./json-pointer.js";
import { findSource } from "./json-source.js";
import type { Headers, ValueMiss, ValueRule } from "./model.js";

/** Longest value that counts, in UTF-8 bytes: more is no id or type, and would travel with every message. */
const longestValueBytes = 1024;

/** The value that a rule found, or why it found none. */
export type FoundValue = { readonly value: string } | { readonly missed: ValueMiss };

/** As {@link findValue}, without the reason: null when the rule finds nothing. */
export function readValue(rule: ValueRule, headers: Headers, body: Buffer): string | null {
  const found = findValue(rule, headers, body);
  return "value" in found ? found.value : null;
}

/**
 * Reads a dedupe key or an event type out of a request. Two different values never become one: numbers are taken as
 * written (no rounding), nothing is cut, and text that is not UTF-8 is no value.
 */
export function findValue(rule: ValueRule, headers: Headers, body: Buffer): FoundValue {
  const found = rule.from === "header" ? asFound(headerValue(headers, rule.name)) : findInJson(rule.pointer, body);
  if ("missed" in found) return found;
  if (found.value.trim() === "") return nothing;
  if (Buffer.byteLength(found.value) > longestValueBytes) return { missed: "too_long" };
  // Half of a surrogate pair, as JSON can hold it: no service keeps such a text as it is.
  return Buffer.from(found.value).toString() === found.value ? found : { missed: "not_text" };
}

const nothing: FoundValue = { missed: "no_value" };

const asFound = (value: string | null): FoundValue => (value === null ? nothing : { value });

/** What is wrong with a rule; null when it is sound. */
export function valueRuleProblem(
  rule: ValueRule,
): { readonly field: "name" | "pointer"; readonly reason: string } | null {
  if (rule.from === "header") {
    return headerName.test(rule.name) ? null : { field: "name", reason: "is not a legal header name" };
  }
  const reason = "must be a JSON pointer (RFC 6901): /id or /data/object/id, with ~0 for ~ and ~1 for /";
  return pointerTokens(rule.pointer) === null || rule.pointer === "" ? { field: "pointer", reason } : null;
}

function findInJson(pointer: string, body: Buffer): FoundValue {
  const tokens = pointerTokens(pointer);
  const json = jsonText(body);
  if (json === null) return { missed: "not_json" };
  const source = tokens === null ? null : findSource(json, tokens, readKey);
  if (source === null || source.startsWith("{") || source.startsWith("[") || source === "null") return nothing;
  if (!source.startsWith('"')) return { value: source };
  const value = readText(source);
  return value === null ? { missed: "not_text" } : { value };
}

/** A key that is not UTF-8 gets replacement characters: no pointer that a person writes means it. */
const readKey = (source: string): string => JSON.parse(Buffer.from(source, "latin1").toString("utf8")) as string;

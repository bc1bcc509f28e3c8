import { headerName, headerValue } from "./header-list.js";
import { jsonText, readText } from "./json-body.js";
import { pointerTokens } from "./json-pointer.js";
import { findSource } from "./json-source.js";
import type { Headers, ValueRule } from "./model.js";

/** Longest value that counts, in UTF-8 bytes: more is no id or type, and would travel with every message. */
const longestValueBytes = 1024;

/**
 * Reads a dedupe key or an event type out of a request. Two different values never become one: numbers are taken as
 * written (no rounding), nothing is cut, and text that is not UTF-8 is no value. Null when the rule finds nothing: an
 * absent header or member, a body that is not JSON, `null`, an object or array, an empty or a too long text.
 */
export function readValue(rule: ValueRule, headers: Headers, body: Buffer): string | null {
  const value = rule.from === "header" ? headerValue(headers, rule.name) : readJson(rule.pointer, body);
  return value === null || value === "" || Buffer.byteLength(value) > longestValueBytes ? null : value;
}

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

function readJson(pointer: string, body: Buffer): string | null {
  const tokens = pointerTokens(pointer);
  const json = jsonText(body);
  if (tokens === null || json === null) return null;
  const source = findSource(json, tokens, readKey);
  return source === null ? null : readScalar(source);
}

function readScalar(source: string): string | null {
  if (source.startsWith("{") || source.startsWith("[") || source === "null") return null;
  return source.startsWith('"') ? readText(source) : source;
}

/** A key that is not UTF-8 gets replacement characters: no pointer that a person writes means it. */
const readKey = (source: string): string => JSON.parse(Buffer.from(source, "latin1").toString("utf8")) as string;

/**
 * Finds a value in JSON *text*, as written: `JSON.parse` rounds big integers, so that two different ids would become
 * one. All functions take text that `JSON.parse` has accepted, and work without recursion (bodies may nest deeply).
 */

const whiteSpace = /[\t\n\r ]*/y;
const scalar = /[^\t\n\r ,\]}]*/y;

/** The source text of the value that the reference tokens lead to; null when there is none. */
export function findSource(
  json: string,
  tokens: readonly string[],
  readKey: (source: string) => string,
): string | null {
  let at = skipSpace(json, 0);
  for (const token of tokens) {
    const child = json[at] === "{" ? findMember(json, at, token, readKey) : findElement(json, at, token);
    if (child === null) return null;
    at = child;
  }
  return json.slice(at, endOfValue(json, at));
}

/** Start of the named member's value. Of equal names the last one counts, as for `JSON.parse`. */
function findMember(json: string, open: number, name: string, readKey: (source: string) => string): number | null {
  let found: number | null = null;
  for (let at = skipSpace(json, open + 1); json[at] === '"'; at = nextItem(json, at)) {
    const keyEnd = endOfString(json, at);
    const valueAt = skipSpace(json, skipSpace(json, keyEnd) + 1);
    if (readKey(json.slice(at, keyEnd)) === name) found = valueAt;
    at = valueAt;
  }
  return found;
}

/** Start of the indexed element; indexes have no leading zero (RFC 6901 §4). Not an array: null. */
function findElement(json: string, open: number, token: string): number | null {
  if (json[open] !== "[" || !/^(0|[1-9][0-9]*)$/.test(token)) return null;
  let at = skipSpace(json, open + 1);
  for (let left = Number(token); json[at] !== "]" && at < json.length; left--) {
    if (left === 0) return at;
    at = nextItem(json, at);
  }
  return null;
}

/** From a value's start to the start of what follows the comma behind it, or to the closing bracket. */
export const nextItem = (json: string, valueAt: number): number => afterItem(json, endOfValue(json, valueAt));

/** The same from a value's end. */
export function afterItem(json: string, end: number): number {
  const at = skipSpace(json, end);
  return json[at] === "," ? skipSpace(json, at + 1) : at;
}

/** Behind the value's last character. */
export function endOfValue(json: string, at: number): number {
  if (json[at] === '"') return endOfString(json, at);
  if (json[at] === "{" || json[at] === "[") return endOfContainer(json, at);
  return endOfMatch(scalar, json, at);
}

function endOfContainer(json: string, open: number): number {
  let depth = 0;
  for (let at = open; at < json.length; at++) {
    const character = json[at];
    if (character === '"') at = endOfString(json, at) - 1;
    else if (character === "{" || character === "[") depth++;
    else if ((character === "}" || character === "]") && --depth === 0) return at + 1;
  }
  return json.length;
}

/** Behind the closing quote. */
export function endOfString(json: string, quote: number): number {
  let at = quote + 1;
  while (at < json.length && json[at] !== '"') at += json[at] === "\\" ? 2 : 1;
  return at + 1;
}

/** From `at` on, the first character that is no white space. */
export const skipSpace = (json: string, at: number): number => endOfMatch(whiteSpace, json, at);

/** Both patterns match the empty text too, so that they always match. */
function endOfMatch(pattern: RegExp, json: string, at: number): number {
  pattern.lastIndex = at;
  pattern.test(json);
  return pattern.lastIndex;
}

/** True when the text is one JSON value. */
export function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

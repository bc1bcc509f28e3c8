import { comparableLiteral, comparableNumber, comparableText } from "./comparable.js";
import { readText } from "./json-body.js";
import { afterItem, endOfString, endOfValue, nextItem, skipSpace } from "./json-source.js";

/** Pointers as a tree of their reference tokens. */
export interface PointerTree extends Map<string, PointerTree> {}

/** Puts a pointer's tokens into the tree; true when it was not in it yet. */
export function addPointer(tree: PointerTree, tokens: readonly string[]): boolean {
  let at = tree;
  let added = false;
  for (const token of tokens) {
    const next: PointerTree = at.get(token) ?? new Map();
    added ||= !at.has(token);
    at.set(token, next);
    at = next;
  }
  return added;
}

/** A value of the body that a pointer of the tree leads to, or leads through. */
export interface IndexedValue {
  /** As written, one character a byte; of an object or a list the opening bracket only. */
  readonly source: string;
  /** See comparable.ts; null for what equals nothing: objects, lists, text that is not UTF-8. */
  readonly comparable: string | null;
  /** By name, or by the index as it stands in a pointer; only those that the tree names. */
  readonly members: ReadonlyMap<string, IndexedValue>;
}

/** The value that the tokens lead to; null when there is none. They must have been in the tree. */
export function lookUp(root: IndexedValue, tokens: readonly string[]): IndexedValue | null {
  let at: IndexedValue | undefined = root;
  for (const token of tokens) at = at?.members.get(token);
  return at ?? null;
}

/** An object or a list that the walk is in. */
interface Open {
  /** Start of its next member, or its closing bracket. */
  at: number;
  /** Of the next element; null in an object. */
  index: number | null;
  readonly wanted: PointerTree;
  readonly members: Map<string, IndexedValue>;
}

interface Growing extends IndexedValue {
  readonly members: Map<string, IndexedValue>;
}

/**
 * Finds what the tree's pointers lead to, in one pass over a text that `JSON.parse` has accepted. Of equal names the
 * last one counts, with all that is inside it, as for `JSON.parse`. No recursion: bodies may nest deeply.
 */
export function indexJson(json: string, wanted: PointerTree): IndexedValue {
  const start = skipSpace(json, 0);
  const root = valueAt(json, start);
  const open = isContainer(root) && wanted.size > 0 ? [opened(json, start, wanted, root)] : [];
  for (let top = open.at(-1); top !== undefined; top = open.at(-1)) step(json, top, open);
  return root;
}

/** Takes the next member of the innermost container, or leaves it. */
function step(json: string, top: Open, open: Open[]): void {
  if (json[top.at] === "}" || json[top.at] === "]") {
    leave(json, top.at + 1, open);
    return;
  }
  const [name, at] = nextMember(json, top);
  const wanted = name === null ? undefined : top.wanted.get(name);
  if (name === null || wanted === undefined) {
    top.at = nextItem(json, at);
    return;
  }
  const value = valueAt(json, at);
  top.members.set(name, value);
  if (isContainer(value) && wanted.size > 0) open.push(opened(json, at, wanted, value));
  else top.at = nextItem(json, at);
}

function leave(json: string, end: number, open: Open[]): void {
  open.pop();
  const outer = open.at(-1);
  if (outer !== undefined) outer.at = afterItem(json, end);
}

/** Name and start of the next value. A name that is not UTF-8 is none: no pointer means it. */
function nextMember(json: string, top: Open): readonly [name: string | null, at: number] {
  if (top.index !== null) return [String(top.index++), top.at];
  const keyEnd = endOfString(json, top.at);
  return [readText(json.slice(top.at, keyEnd)), skipSpace(json, skipSpace(json, keyEnd) + 1)];
}

const opened = (json: string, at: number, wanted: PointerTree, { source, members }: Growing): Open => ({
  at: skipSpace(json, at + 1),
  index: source === "[" ? 0 : null,
  wanted,
  members,
});

const isContainer = ({ source }: IndexedValue): boolean => source === "{" || source === "[";

function valueAt(json: string, at: number): Growing {
  const first = json[at] as string;
  const source = first === "{" || first === "[" ? first : json.slice(at, endOfValue(json, at));
  return { source, comparable: comparableOf(source), members: new Map() };
}

function comparableOf(source: string): string | null {
  switch (source[0]) {
    case "{":
    case "[":
      return null;
    case '"': {
      const text = readText(source);
      return text === null ? null : comparableText(text);
    }
    case "t":
    case "f":
      return comparableLiteral(source === "true");
    case "n":
      return comparableLiteral(null);
    default:
      return comparableNumber(source);
  }
}

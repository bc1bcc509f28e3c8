import type { ExpressionContext, ExpressionParser } from "dynalite/db/updateParser.js";

/** Far more than one program's expressions; somebody who makes up a new one for each request starts anew. */
const mostRemembered = 1_000;

/** Whether one of these is right depends on the values themselves, not only on their types. */
const judgesValues = /between|attribute_type/i;

interface Remembered {
  readonly tree: unknown;
  /** Objects in the tree that stand for a value, with the value's name. */
  readonly places: ReadonlyMap<unknown, string>;
  readonly usedNames: readonly string[];
  readonly usedValues: readonly string[];
}

/**
 * Makes a parser of dynalite's remember what it parsed. Its grammar takes longer than all the rest of a write, and a
 * program sends the same few dozen expressions again and again, with other values: the same text, names and types of
 * values give the same tree, into which the values are put.
 */
export function rememberParses(parser: ExpressionParser): void {
  const parse = parser.parse.bind(parser);
  const known = new Map<string, Remembered>();
  parser.parse = (text, { context }) => {
    if (judgesValues.test(text)) return parse(text, { context });
    const key = keyOf(text, context);
    let found = known.get(key);
    if (found === undefined) {
      const parsed = parseWithPlaces(parse, text, context);
      if (typeof parsed === "string") return parsed;
      if (known.size >= mostRemembered) known.clear();
      known.set(key, parsed);
      found = parsed;
    }
    for (const name of found.usedNames) delete context.unusedAttrNames[name];
    for (const name of found.usedValues) delete context.unusedAttrVals[name];
    return filled(found.tree, found.places, context.attrVals ?? {});
  };
}

function keyOf(text: string, { attrNames, attrVals = {} }: ExpressionContext): string {
  const types = Object.entries(attrVals).map(([name, value]) => [name, Object.keys(value)]);
  return JSON.stringify([text, attrNames, types]);
}

/** The parser's own answer when the expression is wrong. */
function parseWithPlaces(
  parse: ExpressionParser["parse"],
  text: string,
  context: ExpressionContext,
): Remembered | string {
  const { attrNames = {}, attrVals = {} } = context;
  // A copy of each, so that one in the tree is known by its identity.
  const values = Object.fromEntries(Object.entries(attrVals).map(([name, value]) => [name, { ...value }]));
  const unusedAttrNames = allOf(attrNames);
  const unusedAttrVals = allOf(attrVals);
  const tree = parse(text, { context: { ...context, attrVals: values, unusedAttrNames, unusedAttrVals } });
  if (typeof tree === "string") return tree;
  return {
    tree,
    places: new Map(Object.entries(values).map(([name, value]) => [value, name])),
    usedNames: Object.keys(attrNames).filter((name) => !Object.hasOwn(unusedAttrNames, name)),
    usedValues: Object.keys(attrVals).filter((name) => !Object.hasOwn(unusedAttrVals, name)),
  };
}

const allOf = (named: object): Record<string, true> =>
  Object.fromEntries(Object.keys(named).map((name) => [name, true as const]));

/** A copy of the tree, since those who use it change it, with the values in their places. */
function filled(node: unknown, places: Remembered["places"], values: Readonly<Record<string, object>>): unknown {
  if (typeof node !== "object" || node === null) return node;
  const name = places.get(node);
  if (name !== undefined) return values[name];
  if (Array.isArray(node)) return node.map((entry) => filled(entry, places, values));
  const copy = Object.create(null) as Record<string, unknown>;
  for (const key in node) copy[key] = filled((node as Record<string, unknown>)[key], places, values);
  return copy;
}

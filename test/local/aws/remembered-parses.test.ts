import conditionParser from "dynalite/db/conditionParser.js";
import db from "dynalite/db/index.js";
import updateParser, { type ExpressionParser } from "dynalite/db/updateParser.js";
import { describe, expect, it } from "vitest";
import { rememberParses } from "../../../local/aws/dynamodb/remembered-parses.js";

type Values = Readonly<Record<string, object>>;

/** What a parse comes to: the tree, and what of the request it left unused; or why it is none. */
function parsed(parser: ExpressionParser, text: string, attrVals: Values, attrNames: Record<string, string> = {}) {
  const unused = (named: object): Record<string, true> =>
    Object.fromEntries(Object.keys(named).map((name) => [name, true as const]));
  const context = {
    attrNames,
    attrVals,
    unusedAttrNames: unused(attrNames),
    unusedAttrVals: unused(attrVals),
    isReserved: (name: string) => name.toUpperCase() === "STATUS",
    compare: db.compare,
  };
  try {
    const tree = parser.parse(text, { context });
    // What is unused in a wrong expression is nobody's question.
    if (typeof tree === "string") return { wrong: tree };
    return { tree: JSON.stringify(tree), names: context.unusedAttrNames, values: context.unusedAttrVals };
  } catch (error) {
    return { thrown: String(error) };
  }
}

function remembering(parser: ExpressionParser): ExpressionParser {
  const own = { parse: parser.parse };
  rememberParses(own);
  return own;
}

const names = { "#a": "status", "#b": "attempts", "#c": "unused" };
const one = { ":n": { N: "1" }, ":s": { S: "a" }, ":rest": { S: "z" } };
const two = { ":n": { N: "2" }, ":s": { S: "b" }, ":rest": { S: "y" } };

describe("an expression that comes again", () => {
  it.each([
    "SET #a = :s, #b[1].x = if_not_exists(#b[1].x, :n) + :n, y = list_append(y, y) REMOVE z",
    "ADD #b :n DELETE tags :s",
    "SET status = :s",
    "SET #a = :missing",
    "SET #a = :s :n",
  ])("says the same with other values: %s", (text) => {
    const parser = remembering(updateParser);
    for (const values of [one, two, { ...one, ":n": { S: "1" } }, two]) {
      expect(parsed(parser, text, values, names)).toEqual(parsed(updateParser, text, values, names));
    }
  });

  it.each([
    "attribute_not_exists(pk) OR #a = :s AND (size(#b.x) > :n OR NOT contains(#b, :s))",
    "x IN (:s, :n) AND begins_with(y, :s)",
    "begins_with(y, :n)",
    "x BETWEEN :s AND :rest",
    "attribute_type(x, :s)",
    "x = :s AND",
  ])("is judged the same with other values: %s", (text) => {
    const parser = remembering(conditionParser);
    const types = { ":n": { N: "2" }, ":s": { S: "NULL" }, ":rest": { S: "A" } };
    for (const values of [one, types, two, one]) {
      expect(parsed(parser, text, values, names)).toEqual(parsed(conditionParser, text, values, names));
    }
  });

  it("is another one under other names", () => {
    const parser = remembering(updateParser);
    for (const attribute of ["x", "y", "x"]) {
      const { tree } = parsed(parser, "SET #a = :s", one, { "#a": attribute });
      expect(tree).toContain(`"path":["${attribute}"]`);
    }
  });

  it("is not what somebody made of its tree", () => {
    const parser = remembering(updateParser);
    const context = () => ({ attrVals: one, unusedAttrNames: {}, unusedAttrVals: {}, isReserved: () => false });
    const first = parser.parse("SET x = :n", { context: context() }) as { sections: { val: unknown }[] };
    for (const section of first.sections) section.val = "changed";
    const second = parser.parse("SET x = :n", { context: context() }) as { sections: { val: unknown }[] };
    expect(second.sections.map(({ val }) => val)).toEqual([one[":n"]]);
  });
});

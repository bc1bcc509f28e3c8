import * as v from "valibot";
import { filterBounds, filterProblems } from "../../core/filter-problems.js";
import type { Filter } from "../../core/model.js";

/** A subscription's filter as a schema. The core checks it, since a choice among objects could not name the field. */

const checkedByCore = v.custom<Filter>(() => true);

export const filterField = v.pipe(
  checkedByCore,
  v.rawCheck(({ dataset, addIssue }) => {
    for (const { path, reason } of filterProblems(dataset.value)) {
      const [first, ...rest] = path.map(pathItem);
      addIssue({ message: reason, ...(first === undefined ? {} : { path: [first, ...rest] }) });
    }
  }),
);

const pathItem = (key: string | number): v.IssuePathItem => ({
  type: "unknown",
  origin: "value",
  input: null,
  key,
  value: null,
});

/** For whoever makes a JSON Schema out of ours: here {@link filterJsonSchema} belongs. */
export const isFilterSchema = (schema: object): boolean => schema === checkedByCore;

const { conditions, pointer, header, text, number, oneOf } = filterBounds;

const textOf = (most: number) => ({ type: "string", maxLength: most });

const jsonValue = {
  anyOf: [
    textOf(text),
    { type: ["number", "boolean", "null"] },
    {
      type: "object",
      description: "A number as it is written, for those that JSON parsers round.",
      properties: { number: textOf(number) },
      required: ["number"],
      additionalProperties: false,
    },
  ],
};

const conditionOf = (kind: "header" | "json", place: object, value: object) => ({
  type: "object",
  description: "One of equals, oneOf, prefix and exists.",
  properties: {
    [kind]: place,
    equals: value,
    oneOf: { type: "array", items: value, minItems: 1, maxItems: oneOf },
    prefix: textOf(text),
    exists: { type: "boolean" },
  },
  required: [kind],
  minProperties: 2,
  maxProperties: 2,
  additionalProperties: false,
});

const only = (name: string, value: object) => ({
  type: "object",
  properties: { [name]: value },
  required: [name],
  additionalProperties: false,
});

/** JSON Schema of a filter, for a document in which it stands at `$ref` itself. */
export function filterJsonSchema($ref: string) {
  const list = { type: "array", items: { $ref }, minItems: 1, maxItems: conditions };
  return {
    description: `Which events are taken: conditions on headers and on the JSON body, at most ${conditions}.`,
    anyOf: [
      only("all", list),
      only("any", list),
      only("not", { $ref }),
      conditionOf("header", textOf(header), textOf(text)),
      conditionOf("json", { ...textOf(pointer), description: "JSON pointer (RFC 6901)." }, jsonValue),
    ],
  };
}

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { differences } from "../../cli/apply/difference.js";

describe("the difference of two objects", () => {
  it("names each field that differs, inside objects too", () => {
    const from = { url: "a", policy: { jitter: 0.2, schedule: { kind: "fixed", baseSeconds: 30 } }, types: ["a"] };
    const to = { url: "a", policy: { schedule: { kind: "fixed", baseSeconds: 60 } }, types: ["a", "b"] };
    expect(differences(from, to)).toEqual([
      { field: "policy.jitter", from: 0.2, to: undefined },
      { field: "policy.schedule.baseSeconds", from: 30, to: 60 },
      { field: "types", from: ["a"], to: ["a", "b"] },
    ]);
  });

  it("takes null for absent at the top, but not inside, where it says something", () => {
    expect(differences({ description: null }, {})).toEqual([]);
    expect(differences({ policy: {} }, { policy: { capSeconds: null } })).toEqual([
      { field: "policy.capSeconds", from: undefined, to: null },
    ]);
  });

  it("is nothing for objects in a list whose fields stand in another order", () => {
    const from = { filter: { any: [{ header: "x-a", oneOf: ["1", "2"] }] } };
    expect(differences(from, { filter: { any: [{ oneOf: ["1", "2"], header: "x-a" }] } })).toEqual([]);
    expect(differences(from, { filter: { any: [{ oneOf: ["2", "1"], header: "x-a" }] } })).toHaveLength(1);
  });

  it("names the fields of an object that comes or goes", () => {
    expect(differences({ dedupe: null }, { dedupe: { from: "json", pointer: "/id" } })).toEqual([
      { field: "dedupe.from", from: undefined, to: "json" },
      { field: "dedupe.pointer", from: undefined, to: "/id" },
    ]);
  });

  it("is nothing for an object and itself, in whatever order its fields stand", () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (object) => {
        const reversed = Object.fromEntries(Object.entries(object).reverse());
        expect(differences(object, reversed)).toEqual([]);
      }),
    );
  });
});

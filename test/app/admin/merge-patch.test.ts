import { describe, expect, test } from "vitest";
import { equalJson, mergePatch } from "../../../functions/app/admin/merge-patch.js";
import { AdminProblem } from "../../../functions/app/admin/problem.js";

describe("a merge patch", () => {
  // RFC 7396, appendix A: the rows whose target and patch are objects.
  test.each([
    [{ a: "b" }, { a: "c" }, { a: "c" }],
    [{ a: "b" }, { b: "c" }, { a: "b", b: "c" }],
    [{ a: "b" }, { a: null }, {}],
    [{ a: "b", b: "c" }, { a: null }, { b: "c" }],
    [{ a: ["b"] }, { a: "c" }, { a: "c" }],
    [{ a: "c" }, { a: ["b"] }, { a: ["b"] }],
    [{ a: { b: "c" } }, { a: { b: "d", c: null } }, { a: { b: "d" } }],
    [{ a: [{ b: "c" }] }, { a: [1] }, { a: [1] }],
    [{ e: null }, { a: 1 }, { e: null, a: 1 }],
    [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
  ])("turns %j under %j into %j", (target, patch, result) => {
    expect(mergePatch(target, patch)).toEqual(result);
  });

  test("makes another variant of an object when its kind changes", () => {
    const stored = { schedule: { kind: "table", delaysSeconds: [1] } };
    expect(mergePatch(stored, { schedule: { kind: "fixed", baseSeconds: 2 } })).toEqual({
      schedule: { kind: "fixed", baseSeconds: 2 },
    });
    expect(mergePatch(stored, { schedule: { kind: "table" } })).toEqual(stored);
  });

  test("leaves the target as it was", () => {
    const target = { a: { b: 1 } };
    mergePatch(target, { a: { b: 2 } });
    expect(target).toEqual({ a: { b: 1 } });
  });

  test("refuses to go on without end", () => {
    const deep = JSON.parse(`${'{"a":'.repeat(5_000)}1${"}".repeat(5_000)}`);
    expect(() => mergePatch({}, deep)).toThrow(AdminProblem);
  });

  test("does not reach prototypes", () => {
    const merged = mergePatch({}, JSON.parse('{"__proto__": {"polluted": true}}'));
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
    expect(Object.hasOwn(merged, "__proto__")).toBe(true);
  });
});

describe("equal JSON", () => {
  test.each([
    [
      { a: 1, b: [{ c: null }] },
      { b: [{ c: null }], a: 1 },
    ],
    [{ a: 1 }, { a: 1, b: undefined }],
    [null, null],
  ])("%j is the same as %j", (one, other) =>
    expect([equalJson(one, other), equalJson(other, one)]).toEqual([true, true]),
  );

  test.each([
    [{ a: 1 }, { a: 1, b: null }],
    [
      [1, 2],
      [2, 1],
    ],
    [[1], [1, 1]],
    [{}, []],
    [{ a: {} }, { a: null }],
    ["1", 1],
  ])("%j is another than %j", (one, other) =>
    expect([equalJson(one, other), equalJson(other, one)]).toEqual([false, false]),
  );
});

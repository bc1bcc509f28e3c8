import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { filterBounds, filterProblems } from "../../functions/core/filter-problems.js";

const fields = (value: unknown) => filterProblems(value).map(({ path }) => path.join("/"));
const nested = (levels: number): unknown => (levels === 0 ? { json: "/a", exists: true } : { not: nested(levels - 1) });
const many = (count: number) => Array.from({ length: count }, (_value, index) => ({ json: `/${index}`, equals: 1 }));

describe("a filter", () => {
  it.each(
    [
      ["", 5, "must be an object"],
      ["", [], "must be an object"],
      ["", {}, "says nothing to look at"],
      ["amount", { amount: 5 }, "is not known in a filter: use all, any, not, header or json"],
      ["", { equals: 5 }, "says nothing to look at"],
      ["", { header: "x-a", json: "/a", equals: "1" }, "has header and json: use one"],
      ["", { all: [{ json: "/a", exists: true }], any: [] }, "has all and any: use one"],
      ["equals", { all: [{ json: "/a", exists: true }], equals: 1 }, "does not belong beside all"],
      ["all", { all: {} }, "must be a list of conditions"],
      ["all", { all: [] }, "must hold at least one condition"],
      ["not", { not: [{ json: "/a", exists: true }] }, 'must be one condition: {"not":{"any":[…]}} takes several'],
      [
        "all/1/json",
        {
          all: [
            { json: "/a", exists: true },
            { json: "a", exists: true },
          ],
        },
        "must be a JSON pointer",
      ],
      ["json", { json: "/a~2", exists: true }, "must be a JSON pointer"],
      ["json", { json: 5, exists: true }, "must be a JSON pointer"],
      ["json", { json: `/${"a".repeat(512)}`, exists: true }, "at most 512 characters"],
      ["any/0/not/header", { any: [{ not: { header: "x a", exists: true } }] }, "is not a legal header name"],
      ["header", { header: "", exists: true }, "is not a legal header name"],
      ["", { json: "/a" }, "says nothing about the value: add equals, oneOf, prefix or exists"],
      ["", { json: "/a", equals: 1, exists: true }, "has equals and exists: use one"],
      ["greater", { json: "/a", greater: 1 }, "is not known in a condition: use equals, oneOf, prefix or exists"],
      ["exists", { json: "/a", exists: "yes" }, "must be true or false"],
      ["prefix", { json: "/a", prefix: 5 }, "must be text"],
      ["oneOf", { json: "/a", oneOf: "a" }, "must be a list of values: equals takes a single one"],
      ["oneOf", { json: "/a", oneOf: [] }, "must list 1 to 64 values"],
      ["oneOf", { json: "/a", oneOf: Array.from({ length: 65 }, String) }, "must list 1 to 64 values"],
      ["oneOf/1", { json: "/a", oneOf: ["a", {}] }, "must be text, a number"],
      ["equals", { json: "/a", equals: [] }, "must be text, a number"],
      ["equals", { json: "/a", equals: { number: "1", more: 1 } }, "must be text, a number"],
      ["equals", { json: "/a", equals: { number: "01" } }, "must hold a JSON number as text"],
      ["equals", { json: "/a", equals: { number: "9".repeat(129) } }, "at most 128 characters"],
      ["equals", { json: "/a", equals: { number: "1e9999999999999999" } }, "has an exponent that no number needs"],
      ["equals", { header: "x-a", equals: 5 }, 'must be text, such as "5"'],
      ["oneOf/0", { header: "x-a", oneOf: [null] }, 'must be text, such as "5"'],
      ["equals", { json: "/a", equals: "a".repeat(1025) }, "at most 1024 characters"],
      ["equals", { json: "/a", equals: "\ud83d" }, "lone surrogate"],
      ["json", { json: "/\ud83d", exists: true }, "lone surrogate"],
      ["not/not/not/not/not/not", nested(6), "is nested deeper than 5 levels"],
      ["", { all: [{ all: many(64) }, { json: "/a", exists: true }] }, "has 65 conditions, and may have 64"],
      ["all", { all: many(65) }, "has 65 entries, and may have 64"],
      [
        "",
        { all: Array.from({ length: 40 }, () => ({ json: `/${"a".repeat(500)}`, exists: true })) },
        "may have 16384",
      ],
    ].map(([field, filter, reason]) => ({ field, filter, reason })),
  )("is refused at $field: $reason", ({ field, filter, reason }) => {
    const [problem] = filterProblems(filter);
    expect(problem?.path.join("/")).toBe(field);
    expect(problem?.reason).toContain(reason);
  });

  it.each([9007199254740992, 2 ** 60, 1e21, 1e-7, 0.1234567890123456])(
    "may not compare with the number %d, which a parser may have rounded: text is the way",
    (equals) => {
      const [problem] = filterProblems({ json: "/a", equals });
      expect(problem).toEqual({ path: ["equals"], reason: expect.stringContaining('{"number":"') });
    },
  );

  it("may have what its bounds say", () => {
    expect(filterProblems(nested(5))).toEqual([]);
    expect(filterProblems({ all: many(64) })).toEqual([]);
    expect(filterProblems({ json: `/${"a".repeat(511)}`, equals: "a".repeat(1024) })).toEqual([]);
    expect(filterProblems({ json: "/a", oneOf: [9007199254740991, 0.123456789012345, -0, "😊", null, true] })).toEqual(
      [],
    );
    expect(filterProblems({ json: "/a", oneOf: [{ number: "7615917337495251231" }, { number: "-1.5E+400" }] })).toEqual(
      [],
    );
  });

  it("is told every mistake, up to twenty", () => {
    expect(
      fields({
        all: [
          { json: "a", exists: 1 },
          { header: " ", prefix: 2 },
        ],
      }),
    ).toEqual(["all/0/json", "all/0/exists", "all/1/header", "all/1/prefix"]);
    expect(fields({ all: Array.from({ length: 60 }, () => 5) })).toHaveLength(20);
  });

  it("may be nested without end, and is refused all the same", () => {
    let deep: unknown = 1;
    for (let level = 0; level < 100_000; level++) deep = level % 2 === 0 ? { not: deep } : { all: [deep] };
    expect(fields(deep)).toHaveLength(1);
    expect(fields({ json: "/a", equals: deep })).toEqual(["equals"]);
  });

  it("is checked without an exception, whatever it is, and no reason shows a value", () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.constantFrom("json", "header", "all", "any", "not", "x"), (value, name) => {
        for (const each of [
          value,
          { [name]: value },
          { [name]: value, equals: value },
          { json: "/a", equals: value },
        ]) {
          filterProblems(each);
        }
      }),
    );
    const [problem] = filterProblems({ header: "a secret name", exists: true });
    expect(JSON.stringify(problem)).not.toContain("secret");
  });
});

it("has bounds that a subscription's item has room for", () => {
  expect(filterBounds.json * 4).toBeLessThan(100 * 1024);
});

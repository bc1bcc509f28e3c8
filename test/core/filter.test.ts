import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { filterMatches, filterSubject } from "../../functions/core/filter.js";
import { filterProblems } from "../../functions/core/filter-problems.js";
import type { Filter, Headers } from "../../functions/core/model.js";

function matches(filter: Filter, body: string | Buffer = "", headers: Headers = []): boolean {
  const subject = filterSubject({ headers, body: Buffer.from(body) });
  subject.expect([filter]);
  return filterMatches(filter, subject);
}

describe("a condition on the body", () => {
  it.each<[Filter, string]>([
    [{ json: "/type", equals: "invoice.paid" }, '{"type":"invoice.paid"}'],
    [{ json: "/data/items/1/id", equals: "b" }, '{"data":{"items":[{"id":"a"},{"id":"b"}]}}'],
    [{ json: "/a~1b", equals: true }, '{"a/b":true}'],
    [{ json: "/m~0n", equals: false }, '{"m~n":false}'],
    [{ json: "/é", equals: "ü" }, '{"\\u00e9":"\\u00fc"}'],
    [{ json: "/é", equals: "ü" }, '{"é":"ü"}'],
    [{ json: "", equals: "whole" }, ' "whole" '],
    [{ json: "", exists: true }, "[]"],
    [{ json: "/", equals: "empty key" }, '{"":"empty key"}'],
    [{ json: "/a", equals: null }, '{"a":null}'],
    [{ json: "/a", exists: true }, '{"a":null}'],
    [{ json: "/a", exists: true }, '{"a":{"b":[]}}'],
    [{ json: "/a/b", exists: false }, '{"a":{"c":1}}'],
    [{ json: "/a", oneOf: ["x", 5, null] }, '{"a":5}'],
    [{ json: "/a", prefix: "invoice." }, '{"a":"invoice.paid"}'],
    [{ json: "/a", prefix: "" }, '{"a":""}'],
    [{ json: "/a", equals: "" }, '{"a":""}'],
    [{ json: "/a", equals: "last" }, '{"a":"first","a":"last"}'],
    [{ json: "/__proto__/x", equals: 1 }, '{"__proto__":{"x":1}}'],
    [{ json: "/a", equals: 1 }, '\ufeff{"a":1}'],
    [{ json: "/b", equals: 2 }, ' {\n "a" : [ {}, "]}" ] ,\t"b" : 2 } '],
  ])("matches: %j on %s", (filter, body) => {
    expect(filterProblems(filter)).toEqual([]);
    expect(matches(filter, body)).toBe(true);
    expect(matches({ not: filter }, body)).toBe(false);
  });

  it.each<[Filter, string]>([
    [{ json: "/a", equals: "1" }, '{"a":1}'],
    [{ json: "/a", equals: 1 }, '{"a":"1"}'],
    [{ json: "/a", equals: null }, "{}"],
    [{ json: "/a", equals: "true" }, '{"a":true}'],
    [{ json: "/a", equals: false }, '{"a":null}'],
    [{ json: "/a", equals: "A" }, '{"a":"a"}'],
    [{ json: "/a", equals: "e\u0301" }, '{"a":"\u00e9"}'],
    [{ json: "/a", oneOf: ["x", "y"] }, '{"a":["x"]}'],
    [{ json: "/a", prefix: "1" }, '{"a":12}'],
    [{ json: "/a", prefix: "ab" }, '{"a":"a"}'],
    [{ json: "/a", exists: true }, '{"A":1}'],
    [{ json: "/a/b", equals: 1 }, '{"a":{"b":1},"a":{}}'],
    [{ json: "/a/b", equals: 1 }, '{"a":"b"}'],
    [{ json: "/01", exists: true }, "[1,2]"],
    [{ json: "/-", exists: true }, "[1,2]"],
    [{ json: "/2", exists: true }, "[1,2]"],
    [{ json: "/length", exists: true }, "[1,2]"],
    [{ json: "/toString", exists: true }, "{}"],
    [{ json: "/a", exists: true }, ""],
    [{ json: "", exists: true }, ""],
    [{ json: "/a", exists: true }, '{"a":1'],
    [{ json: "/a", exists: true }, '{"a":1}{"a":1}'],
    [{ json: "/a", exists: true }, "a=1&b=2"],
  ])("does not match, and not around it does: %j on %s", (filter, body) => {
    expect(filterProblems(filter)).toEqual([]);
    expect(matches(filter, body)).toBe(false);
    expect(matches({ not: filter }, body)).toBe(true);
  });

  it.each([
    ["1", 1, true],
    ["1.0", 1, true],
    ["1e0", 1, true],
    ["10e-1", 1, true],
    ["0.1E1", 1, true],
    ["100", 100, true],
    ["1e2", 100, true],
    ["-0", 0, true],
    ["0.0", 0, true],
    ["-1", 1, false],
    ["0.1", 0.1, true],
    ["0.1000000000000000055511151231257827", 0.1, false],
    ["1.0000000000000000000000000000001", 1, false],
    ["9007199254740991", 9007199254740991, true],
    ["7615917337495251231", { number: "7615917337495251231" }, true],
    ["7615917337495251230", { number: "7615917337495251231" }, false],
    ["7615917337495251231.0", { number: "7615917337495251231" }, true],
    ["1e400", { number: "1e400" }, true],
    ["1e400", { number: "1e401" }, false],
    ["1e0000000000000000000000000000000", 1, true],
    ["1e999999999999999999999999999999", 1, false],
    ["0e999999999999999999999999999999", 0, true],
  ])("compares numbers by value, without rounding: %s and %j: %j", (written, value, expected) => {
    const filter: Filter = { json: "/n", equals: value as number };
    expect(filterProblems(filter)).toEqual([]);
    expect(matches(filter, `{"n":${written}}`)).toBe(expected);
  });

  it("takes a text that is not UTF-8 for a value that equals nothing, and reads what stands beside it", () => {
    const body = Buffer.concat([Buffer.from('{"a":"'), Buffer.of(0xff), Buffer.from('","b":"x"}')]);
    expect(matches({ json: "/a", exists: true }, body)).toBe(true);
    expect(matches({ json: "/a", equals: "\ufffd" }, body)).toBe(false);
    expect(matches({ json: "/a", prefix: "" }, body)).toBe(false);
    expect(matches({ json: "/b", equals: "x" }, body)).toBe(true);
  });

  it("takes a name that is not UTF-8 for none", () => {
    const body = Buffer.concat([Buffer.from('{"'), Buffer.of(0xff), Buffer.from('":1,"b":2}')]);
    expect(matches({ json: "/\ufffd", exists: true }, body)).toBe(false);
    expect(matches({ json: "/b", equals: 2 }, body)).toBe(true);
  });
});

describe("a condition on a header", () => {
  const headers: Headers = [
    ["x-topic", "orders/paid"],
    ["X-Empty", ""],
    ["x-twice", "a"],
    ["x-twice", "b"],
  ];
  it.each<[Filter, boolean]>([
    [{ header: "X-Topic", equals: "orders/paid" }, true],
    [{ header: "x-topic", equals: "Orders/Paid" }, false],
    [{ header: "x-topic", prefix: "orders/" }, true],
    [{ header: "x-topic", oneOf: ["a", "orders/paid"] }, true],
    [{ header: "x-empty", exists: true }, true],
    [{ header: "x-empty", equals: "" }, true],
    [{ header: "x-none", exists: false }, true],
    [{ header: "x-none", equals: "" }, false],
    [{ header: "x-none", prefix: "" }, false],
    [{ header: "x-twice", equals: "a,b" }, true],
    [{ header: "constructor", exists: true }, false],
  ])("%j: %j", (filter, expected) => {
    expect(filterProblems(filter)).toEqual([]);
    expect(matches(filter, "not JSON", headers)).toBe(expected);
  });
});

describe("all, any and not", () => {
  const body = '{"data":{"amount":5},"livemode":true,"type":"a"}';
  const headers: Headers = [["x-topic", "orders/paid"]];
  const filter: Filter = {
    all: [
      { header: "x-topic", equals: "orders/paid" },
      { json: "/data/amount", exists: true },
      { not: { json: "/livemode", equals: false } },
      {
        any: [
          { json: "/type", prefix: "invoice." },
          { json: "/type", oneOf: ["a", "b"] },
        ],
      },
    ],
  };
  it("are what they say", () => {
    expect(filterProblems(filter)).toEqual([]);
    expect(matches(filter, body, headers)).toBe(true);
    expect(matches(filter, body)).toBe(false);
    expect(matches(filter, body.replace("true", "false"), headers)).toBe(false);
    expect(matches(filter, body.replace('"a"', '"c"'), headers)).toBe(false);
    expect(matches(filter, body.replace('"a"', '"invoice.paid"'), headers)).toBe(true);
  });
});

describe("the body", () => {
  const untouchable = {
    headers: [["x-topic", "a"]] as const,
    get body(): Buffer {
      throw new Error("looked at");
    },
  };

  it("is not looked at for headers", () => {
    const filters: Filter[] = [
      { header: "x-topic", equals: "a" },
      {
        all: [
          { header: "x-topic", equals: "b" },
          { json: "/a", equals: 1 },
        ],
      },
    ];
    const subject = filterSubject(untouchable);
    subject.expect(filters);
    expect(filters.map((filter) => filterMatches(filter, subject))).toEqual([true, false]);
  });

  it("is parsed once for many filters, also for those that come later", () => {
    let reads = 0;
    const subject = filterSubject({
      headers: [],
      get body() {
        reads++;
        return Buffer.from('{"a":{"b":1},"c":[1,{"d":2}]}');
      },
    });
    const first: Filter[] = [
      { json: "/a", exists: true },
      { json: "/a/b", equals: 1 },
    ];
    const later: Filter[] = [
      { json: "/c/1/d", equals: 2 },
      { json: "/c/0", equals: 1 },
      { json: "/a/b", equals: 1 },
    ];
    subject.expect(first);
    expect(first.every((filter) => filterMatches(filter, subject))).toBe(true);
    subject.expect(later);
    expect(later.every((filter) => filterMatches(filter, subject))).toBe(true);
    expect(reads).toBe(1);
  });

  it("may be as deep and as large as it likes", () => {
    const depth = 500_000;
    const deep = `{"x":${"[".repeat(depth)}${"]".repeat(depth)},"a":1}`;
    const along = `/x${"/0".repeat(250)}`;
    expect(
      matches(
        {
          all: [
            { json: "/a", equals: 1 },
            { json: along, exists: true },
          ],
        },
        deep,
      ),
    ).toBe(true);
    const digits = `{"n":1${"0".repeat(1_000_000)},"a":"${"x".repeat(1_000_000)}"}`;
    expect(matches({ json: "/n", equals: { number: "1e1000000" } }, digits)).toBe(true);
    expect(matches({ json: "/a", prefix: "xx" }, digits)).toBe(true);
    const repeated = `{${'"a":{"b":{"c":1}},'.repeat(50_000)}"a":2}`;
    expect(matches({ json: "/a/b/c", exists: true }, repeated)).toBe(false);
    expect(matches({ json: "/a", equals: 2 }, repeated)).toBe(true);
  });
});

it("refuses to guess about a test of a newer version", () => {
  expect(() => matches({ json: "/a", above: 5 } as unknown as Filter, '{"a":6}')).toThrow("does not know");
});

/** Small documents, and filters that have a chance to meet something in them. */
const names = fc.constantFrom("a", "b", "0", "1", "", "a/b", "~", "é", "__proto__");
const scalars = fc.oneof(
  fc.constantFrom("", "a", "ab", "é", "1", "true"),
  fc.integer({ min: -3, max: 3 }),
  fc.constantFrom(0.5, -0.5, 100, true, false, null),
);
const documents = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small" },
    scalars,
    fc.array(tie("value"), { maxLength: 3 }),
    fc.dictionary(names, tie("value"), { maxKeys: 4 }),
  ),
})).value;
const pointers = fc
  .array(names, { maxLength: 3 })
  .map((tokens) => tokens.map((token) => `/${token.replaceAll("~", "~0").replaceAll("/", "~1")}`).join(""));
const condition: fc.Arbitrary<Filter> = fc.oneof(
  fc.record({ json: pointers, equals: scalars }),
  fc.record({ json: pointers, oneOf: fc.array(scalars, { minLength: 1, maxLength: 3 }) }),
  fc.record({ json: pointers, prefix: fc.constantFrom("", "a", "é") }),
  fc.record({ json: pointers, exists: fc.boolean() }),
  fc.record({ header: fc.constantFrom("x-a", "X-B"), equals: fc.constantFrom("1", "2") }),
);
const filters = fc.letrec<{ filter: Filter }>((tie) => {
  const list = fc.array(tie("filter"), { minLength: 1, maxLength: 3 });
  return {
    filter: fc.oneof(
      { maxDepth: 3, withCrossShrink: true },
      condition,
      fc.record({ all: list }),
      fc.record({ any: list }),
      fc.record({ not: tie("filter") }),
    ),
  };
}).filter;
const headers: Headers = [
  ["x-a", "1"],
  ["x-b", "2"],
];

/** The language over what `JSON.parse` gives, as plainly as it can be said. */
function reference(filter: Filter, document: unknown): boolean {
  if ("all" in filter) return filter.all.every((each) => reference(each, document));
  if ("any" in filter) return filter.any.some((each) => reference(each, document));
  if ("not" in filter) return !reference(filter.not, document);
  const value = "header" in filter ? (filter.header === "x-a" ? "1" : "2") : at(filter.json, document);
  if ("exists" in filter) return (value !== undefined) === filter.exists;
  if ("prefix" in filter) return typeof value === "string" && value.startsWith(filter.prefix);
  return ("oneOf" in filter ? filter.oneOf : [filter.equals]).some((wanted) => wanted === value);
}

function at(pointer: string, document: unknown): unknown {
  let value = document;
  for (const token of pointer.split("/").slice(1)) {
    const name = token.replaceAll("~1", "/").replaceAll("~0", "~");
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, name)) return undefined;
    value = (value as Record<string, unknown>)[name];
  }
  return value;
}

describe("every filter", () => {
  it("says what it says over JSON.parse", () => {
    fc.assert(
      fc.property(filters, documents, fc.constantFrom(undefined, 2), (filter, document, indent) => {
        const text = JSON.stringify(document, null, indent);
        expect(matches(filter, text, headers)).toBe(reference(filter, JSON.parse(text)));
      }),
      { numRuns: 2_000 },
    );
  });

  it("follows De Morgan, whatever the bytes", () => {
    const bodies = fc.oneof(
      fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes)),
      documents.map((document) => Buffer.from(JSON.stringify(document))),
    );
    fc.assert(
      fc.property(fc.array(filters, { minLength: 1, maxLength: 3 }), bodies, (list, body) => {
        const negated = list.map((not): Filter => ({ not }));
        expect(matches({ not: { all: list } }, body, headers)).toBe(matches({ any: negated }, body, headers));
        expect(matches({ not: { any: list } }, body, headers)).toBe(matches({ all: negated }, body, headers));
      }),
    );
  });

  it("is answered for any bytes that were JSON once, and never throws", () => {
    const damaged = fc.tuple(documents, fc.nat(), fc.integer({ min: 0, max: 255 })).map(([document, where, byte]) => {
      const bytes = Buffer.from(JSON.stringify(document));
      bytes[where % bytes.length] = byte;
      return bytes;
    });
    fc.assert(fc.property(filters, damaged, (filter, body) => typeof matches(filter, body, headers) === "boolean"));
  });

  it("is the same for all filters together as for each alone", () => {
    fc.assert(
      fc.property(fc.array(filters, { minLength: 1, maxLength: 4 }), documents, (list, document) => {
        const text = JSON.stringify(document);
        const subject = filterSubject({ headers, body: Buffer.from(text) });
        subject.expect(list);
        const together = list.map((filter) => filterMatches(filter, subject));
        expect(together).toEqual(list.map((filter) => matches(filter, text, headers)));
      }),
    );
  });
});

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Headers } from "../../functions/core/model.js";
import { readValue, valueRuleProblem } from "../../functions/core/values.js";

const at = (pointer: string, body: string | Buffer) => readValue({ from: "json", pointer }, [], Buffer.from(body));
const header = (name: string, headers: Headers) => readValue({ from: "header", name }, headers, Buffer.alloc(0));

describe("a value from a header", () => {
  it("is found whatever the case of the names", () => {
    expect(header("X-GitHub-Delivery", [["x-github-delivery", "72d3162e"]])).toBe("72d3162e");
    expect(header("x-github-delivery", [["X-Github-Delivery", "72d3162e"]])).toBe("72d3162e");
  });

  it("loses the spaces around it, and nothing inside", () => {
    expect(header("x-id", [["x-id", " \ta  b\t"]])).toBe("a  b");
  });

  it("is nothing when absent, empty or blank", () => {
    expect(header("x-id", [])).toBeNull();
    expect(header("x-id", [["x-id", ""]])).toBeNull();
    expect(header("x-id", [["x-id", "  "]])).toBeNull();
  });

  it("is both values when sent twice", () => {
    expect(
      header("x-id", [
        ["x-id", "a"],
        ["x-id", "b"],
      ]),
    ).toBe("a,b");
  });
});

describe("a value from a JSON body", () => {
  it.each([
    ["/id", '{"id":"evt_1"}', "evt_1"],
    ["/data/object/id", '{"data":{"object":{"id":"in_1"}}}', "in_1"],
    ["/items/1/id", '{"items":[{"id":"a"},{"id":"b"}]}', "b"],
    ["", '"whole"', "whole"],
    ["/a~1b", '{"a/b":"slash"}', "slash"],
    ["/m~0n", '{"m~n":"tilde"}', "tilde"],
    ["/~01", '{"~1":"both"}', "both"],
    ["/", '{"":"empty key"}', "empty key"],
    ["/é", '{"é":"key in UTF-8"}', "key in UTF-8"],
    ["/é", '{"\\u00e9":"escaped key"}', "escaped key"],
    ["/a", '{"a":"\\u00e9\\n😊"}', "é\n😊"],
    ["/a", ' {\n "b" : [ {}, "]}" ] ,\t"a" : true } ', "true"],
    ["/a", '{"a":false}', "false"],
    ["/a", '{"b":"\\\\\\"","a":"x"}', "x"],
  ])("is found by the pointer %j in %s", (pointer, body, expected) => {
    expect(at(pointer, body)).toBe(expected);
  });

  it.each([
    ["7615917337495251231", "7615917337495251231"],
    ["1.0", "1.0"],
    ["1e2", "1e2"],
    ["-0", "-0"],
  ])("is the number %s as written", (written, expected) => {
    expect(at("/id", `{"id":${written}}`)).toBe(expected);
    expect(at("/1", `[0, ${written} ]`)).toBe(expected);
  });

  it("is the last one of equal members, as for every JSON parser here", () => {
    expect(at("/d", '{"d":1,"d":2}')).toBe("2");
  });

  it("is found behind a byte order mark", () => {
    expect(at("/a", Buffer.from([0xef, 0xbb, 0xbf, ...Buffer.from('{"a":1}')]))).toBe("1");
    expect(at("/a", '\ufeff\ufeff{"a":1}')).toBeNull();
  });

  it("is found although another part of the body is not UTF-8", () => {
    expect(at("/id", Buffer.from('{"name":"M\xfcller","id":"evt_1"}', "latin1"))).toBe("evt_1");
  });

  it("is nothing when it is not UTF-8 itself: replacing bytes would make two ids one", () => {
    expect(at("/id", Buffer.from('{"id":"\xe9"}', "latin1"))).toBeNull();
  });

  it.each([
    ["absent", "/b", '{"a":1}'],
    ["null", "/a", '{"a":null}'],
    ["empty", "/a", '{"a":""}'],
    ["an object", "/a", '{"a":{}}'],
    ["an array", "/a", '{"a":[1]}'],
    ["below a scalar", "/a/b", '{"a":"b"}'],
    ["beyond the array", "/2", "[0,1]"],
    ["behind the array's end", "/-", "[0,1]"],
    ["an index with a leading zero", "/01", "[0,1]"],
    ["in an empty array", "/0", "[]"],
    ["in an empty object", "/a", "{}"],
    ["a member every object inherits", "/constructor", "{}"],
    ["in a body that is not JSON", "/a", "a=1"],
    ["in a body that is cut", "/a", '{"a":1'],
    ["in an empty body", "/a", ""],
    ["named by a malformed pointer", "a", '{"a":1}'],
    ["named by a malformed escape", "/~2", '{"~2":1}'],
    ["longer than 1,024 bytes", "/a", `{"a":"${"é".repeat(513)}"}`],
  ])("is nothing when it is %s", (_, pointer, body) => {
    expect(at(pointer, body)).toBeNull();
  });

  it("may have 1,024 bytes", () => {
    expect(at("/a", `{"a":"${"é".repeat(512)}"}`)).toBe("é".repeat(512));
  });

  it("is found in a body that nests deeper than any call stack", () => {
    const deep = "[".repeat(100_000) + "]".repeat(100_000);
    expect(at("/id", `{"deep":${deep},"id":"x"}`)).toBe("x");
  });

  it("is what JSON.parse would give, for every member of every document", () => {
    const keys = fc.string({ unit: "binary", maxLength: 4 });
    const documents = fc.dictionary(keys, fc.oneof(fc.jsonValue({ maxDepth: 3 }), fc.string({ unit: "grapheme" })), {
      noNullPrototype: true,
    });
    const spaces = fc.constantFrom(undefined, 1, "\t");
    fc.assert(
      fc.property(documents, spaces, (document, space) => {
        const body = JSON.stringify(document, null, space);
        for (const [key, value] of Object.entries(JSON.parse(body) as Record<string, unknown>)) {
          const found = at(`/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`, body);
          if (typeof value === "string") expect(found).toBe(value.trim() === "" ? null : value);
          else if (typeof value === "number") expect(Number(found)).toBe(value);
          else expect(found).toBe(typeof value === "boolean" ? String(value) : null);
        }
      }),
    );
  });

  it("never comes out of bytes with a throw", () => {
    fc.assert(
      fc.property(fc.string(), fc.uint8Array(), (pointer, bytes) => {
        expect(() => at(pointer, Buffer.from(bytes))).not.toThrow();
      }),
    );
  });
});

describe("a value rule", () => {
  it("may name any header and any member", () => {
    expect(valueRuleProblem({ from: "header", name: "X-GitHub-Delivery" })).toBeNull();
    expect(valueRuleProblem({ from: "json", pointer: "/data/object/id" })).toBeNull();
  });

  it("is refused with an illegal header name, or with what is no pointer to a member", () => {
    expect(valueRuleProblem({ from: "header", name: "x id" })?.field).toBe("name");
    expect(valueRuleProblem({ from: "header", name: "" })?.field).toBe("name");
    expect(valueRuleProblem({ from: "json", pointer: "id" })?.field).toBe("pointer");
    expect(valueRuleProblem({ from: "json", pointer: "$.id" })?.field).toBe("pointer");
    expect(valueRuleProblem({ from: "json", pointer: "" })?.field).toBe("pointer");
    expect(valueRuleProblem({ from: "json", pointer: "/~" })?.field).toBe("pointer");
  });
});

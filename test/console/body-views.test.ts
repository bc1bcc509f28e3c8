import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { hexDump } from "../../console/src/data/hex.js";
import { indentJson } from "../../console/src/data/indent-json.js";

describe("indented JSON", () => {
  it("keeps every value as it was written", () => {
    expect(indentJson('{"id":9007199254740993,"id":1.0,"t":"a\\u0041 {[,:]}\\"","e":[],"o":{ },"l":[1,[2]]}')).toBe(
      [
        "{",
        '  "id": 9007199254740993,',
        '  "id": 1.0,',
        '  "t": "a\\u0041 {[,:]}\\"",',
        '  "e": [],',
        '  "o": {},',
        '  "l": [',
        "    1,",
        "    [",
        "      2",
        "    ]",
        "  ]",
        "}",
      ].join("\n"),
    );
  });

  it("is the JSON that it was", () => {
    fc.assert(
      fc.property(fc.json(), fc.nat(3), (text, indentation) => {
        const written = JSON.stringify(JSON.parse(text), null, indentation);
        expect(indentJson(written)).toBe(JSON.stringify(JSON.parse(text), null, 2));
      }),
    );
  });

  it("is nothing where there is no JSON", () => {
    expect(indentJson('{"a":}')).toBeNull();
    expect(indentJson("<html>")).toBeNull();
  });
});

describe("a dump", () => {
  it("shows offset, bytes and what is printable", () => {
    const bytes = Uint8Array.from([0, 255, ...Buffer.from("<b>hello, dump</b>")]);
    expect(hexDump(bytes)).toBe(
      [
        "000000  00 ff 3c 62 3e 68 65 6c 6c 6f 2c 20 64 75 6d 70  ..<b>hello, dump",
        "000010  3c 2f 62 3e                                      </b>",
      ].join("\n"),
    );
  });
});

import { randomBytes } from "node:crypto";
import { deflateRawSync } from "node:zlib";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { maxContentBytes, packContent, UnreadableContentError, unpackContent } from "../../functions/core/content.js";
import type { Headers } from "../../functions/core/model.js";

const headers: Headers = [
  ["content-type", "application/json"],
  ["x-github-event", "push"],
];

const formatOf = (packed: Buffer) => ({ 1: "plain", 2: "deflated" })[packed[0] as 1 | 2];

describe("packed content", () => {
  it("gives back the headers and every byte of the body", () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.string(), fc.string({ unit: "binary" }))),
        fc.uint8Array({ maxLength: 2_000 }),
        (anyHeaders, bytes) => {
          const content = unpackContent(packContent({ headers: anyHeaders, body: Buffer.from(bytes) }));
          expect(content.headers).toEqual(anyHeaders);
          expect(content.body.equals(bytes)).toBe(true);
        },
      ),
    );
  });

  it("is smaller than a text body, headers included", () => {
    const body = Buffer.from(JSON.stringify(Array.from({ length: 40 }, (_, id) => ({ id, name: "customer" }))));
    const packed = packContent({ headers, body });
    expect(formatOf(packed)).toBe("deflated");
    expect(packed.length).toBeLessThan(body.length / 3);
  });

  it.each([
    ["tiny", Buffer.from("{}")],
    ["random", randomBytes(2_000)],
    ["large and random", randomBytes(300_000)],
  ])("is never larger than its parts: %s", (_, body) => {
    const packed = packContent({ headers: [["a", "b"]], body });
    expect(formatOf(packed)).toBe("plain");
    expect(packed.length).toBe(1 + 4 + '[["a","b"]]'.length + body.length);
    expect(unpackContent(packed).body.equals(body)).toBe(true);
  });

  it("compresses a large text body", () => {
    const body = Buffer.from('{"line":"all the same"}\n'.repeat(40_000));
    const packed = packContent({ headers, body });
    expect(packed.length).toBeLessThan(body.length / 20);
    expect(unpackContent(packed).body.equals(body)).toBe(true);
  });

  it("is refused when it would inflate beyond the limit", () => {
    const bomb = Buffer.concat([Buffer.of(2), deflateRawSync(Buffer.alloc(maxContentBytes + 1))]);
    expect(() => unpackContent(bomb)).toThrow(UnreadableContentError);
  });

  it.each([
    ["nothing", Buffer.alloc(0)],
    ["an unknown format", Buffer.of(9, 0, 0, 0, 0)],
    ["a damaged stream", Buffer.of(2, 0xff, 0xff, 0xff)],
    ["a length beyond its end", Buffer.of(1, 0, 0, 0, 9, 0x5b, 0x5d)],
    ["headers that are not JSON", Buffer.of(1, 0, 0, 0, 1, 0x5b)],
    ["headers that are not pairs", Buffer.from("\u0001\0\0\0\u0005[[1]]", "latin1")],
  ])("is refused when it is %s", (_, packed) => {
    expect(() => unpackContent(packed)).toThrow(UnreadableContentError);
  });

  it("never throws anything else, whatever the bytes", () => {
    fc.assert(
      fc.property(fc.uint8Array(), (bytes) => {
        try {
          unpackContent(Buffer.from(bytes));
        } catch (error) {
          expect(error).toBeInstanceOf(UnreadableContentError);
        }
      }),
    );
  });
});

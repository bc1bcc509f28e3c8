import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { bytesToBase32, numberToBase32 } from "../../functions/core/crockford.js";

describe("a number in base 32", () => {
  it("is written in Crockford's digits, without i, l, o and u", () => {
    const digits = Array.from({ length: 32 }, (_, value) => numberToBase32(value, 1)).join("");
    expect(digits).toBe("0123456789abcdefghjkmnpqrstvwxyz");
  });

  it("has the lowest digits, filled up with zeros", () => {
    expect(numberToBase32(33, 4)).toBe("0011");
    expect(numberToBase32(32 ** 3 + 31, 2)).toBe("0z");
  });

  it("sorts as the number does", () => {
    const numbers = fc.maxSafeNat();
    fc.assert(fc.property(numbers, numbers, (a, b) => numberToBase32(a, 11) < numberToBase32(b, 11) === a < b));
  });
});

describe("bytes in base 32", () => {
  it("are written as the number that they are", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 2 ** 40 - 1 }), (value) => {
        const bytes = Buffer.alloc(5);
        bytes.writeUIntBE(value, 0, 5);
        expect(bytesToBase32(bytes, 8)).toBe(numberToBase32(value, 8));
      }),
    );
  });

  it("sort as the bytes do", () => {
    const bytes = fc.uint8Array({ minLength: 10, maxLength: 10 }).map((each) => Buffer.from(each));
    fc.assert(
      fc.property(bytes, bytes, (a, b) => bytesToBase32(a, 16) < bytesToBase32(b, 16) === Buffer.compare(a, b) < 0),
    );
  });

  it("need five bits for each digit", () => {
    expect(bytesToBase32(Buffer.of(0xff, 0xff, 0xff, 0xff, 0xff), 8)).toBe("zzzzzzzz");
    expect(() => bytesToBase32(Buffer.alloc(4), 7)).toThrow(RangeError);
  });
});

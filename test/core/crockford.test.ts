import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { toBase32 } from "../../functions/core/crockford.js";

describe("a number in base 32", () => {
  it("is written in Crockford's digits, without i, l, o and u", () => {
    const digits = Array.from({ length: 32 }, (_, value) => toBase32(BigInt(value), 1)).join("");
    expect(digits).toBe("0123456789abcdefghjkmnpqrstvwxyz");
  });

  it("has the lowest digits, filled up with zeros", () => {
    expect(toBase32(33n, 4)).toBe("0011");
    expect(toBase32(32n ** 3n + 31n, 2)).toBe("0z");
  });

  it("sorts as the number does", () => {
    const numbers = fc.bigInt({ min: 0n, max: (1n << 130n) - 1n });
    fc.assert(fc.property(numbers, numbers, (a, b) => toBase32(a, 26) < toBase32(b, 26) === a < b));
  });
});

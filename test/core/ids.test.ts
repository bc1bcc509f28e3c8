import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { deliveryIdOf, eventIdFromKey, freshEventId, freshId } from "../../functions/core/ids.js";

const nowMs = Date.UTC(2026, 0, 1, 12);
const zeros = Buffer.alloc(10);
const shape = /^[a-z]{3}_[0-9a-hjkmnp-tv-z]{26}$/;

describe("fresh ids", () => {
  it("are a prefix, ten characters of time and sixteen of randomness", () => {
    expect(freshEventId(nowMs, zeros)).toBe("evt_01kdwpvng00000000000000000");
    expect(freshId("sub", nowMs, Buffer.alloc(10, 0xff))).toBe("sub_01kdwpvng0zzzzzzzzzzzzzzzz");
  });

  it("sort by time", () => {
    const times = fc.integer({ min: 0, max: 2 ** 45 });
    const entropies = fc.uint8Array({ minLength: 10, maxLength: 10 }).map((bytes) => Buffer.from(bytes));
    fc.assert(
      fc.property(times, fc.integer({ min: 1, max: 2 ** 40 }), entropies, entropies, (time, later, first, second) => {
        expect(freshEventId(time, first) < freshEventId(time + later, second)).toBe(true);
      }),
    );
  });

  it("differ wherever their entropy does", () => {
    const entropies = fc.uint8Array({ minLength: 10, maxLength: 10 }).map((bytes) => Buffer.from(bytes));
    fc.assert(
      fc.property(entropies, entropies, (first, second) => {
        expect(freshEventId(nowMs, first) === freshEventId(nowMs, second)).toBe(first.equals(second));
      }),
    );
  });

  it("are not made from too little entropy", () => {
    expect(() => freshEventId(nowMs, Buffer.alloc(9))).toThrow(RangeError);
  });
});

describe("derived ids", () => {
  // Pinned: a changed derivation would take a provider's duplicate across an upgrade for a new event.
  it("stay the same for ever", () => {
    expect(eventIdFromKey("src_a", "evt_123")).toBe("evt_2ncg5r98c97w78hkeb7wf2f64w");
    expect(deliveryIdOf("evt_a", "sub_a")).toBe("dlv_tee0y14a28hnx9b8wpy54bckdk");
  });

  it("are equal for equal parts and differ otherwise, wherever the parts are cut", () => {
    const part = fc.string({ unit: "binary", maxLength: 12 });
    fc.assert(
      fc.property(part, part, part, part, (source, key, otherSource, otherKey) => {
        const same = source === otherSource && key === otherKey;
        expect(eventIdFromKey(source, key) === eventIdFromKey(otherSource, otherKey)).toBe(same);
      }),
    );
    expect(eventIdFromKey("ab", "c")).not.toBe(eventIdFromKey("a", "bc"));
  });

  it("keep keys apart that UTF-8 would merge", () => {
    expect(eventIdFromKey("src_a", "\ud800")).not.toBe(eventIdFromKey("src_a", "\ufffd"));
  });

  it("have the shape of the fresh ones", () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (first, second) => {
        expect(eventIdFromKey(first, second)).toMatch(shape);
        expect(deliveryIdOf(first, second)).toMatch(/^dlv_/);
      }),
    );
  });
});

import { describe, expect, it } from "vitest";
import { typeMatches, typePatternProblem } from "../../functions/core/type-patterns.js";

describe("type patterns", () => {
  it.each([
    ["invoice.paid", "invoice.paid", true],
    ["invoice.paid", "invoice.Paid", false],
    ["invoice.paid", "invoice.paid.late", false],
    ["invoice.*", "invoice.paid", true],
    ["invoice.*", "invoice.payment.failed", true],
    ["invoice.*", "invoice", false],
    ["invoice.*", "invoices.paid", false],
    ["*.deleted", "customer.deleted", true],
    ["*.deleted", "customer.subscription.deleted", false],
    ["customer.*.deleted", "customer.subscription.deleted", true],
    ["customer.*.deleted", "customer.deleted", false],
    ["*", "push", true],
    ["*", "a.b.c", true],
    ["a.b", "axb", false],
  ])("%s against %s: %s", (pattern, type, expected) => {
    expect(typeMatches([pattern], type)).toBe(expected);
  });

  it("want everything when there are none at all, untyped events too", () => {
    expect(typeMatches(null, "a.b")).toBe(true);
    expect(typeMatches(null, null)).toBe(true);
  });

  it("want nothing untyped otherwise, and nothing when the list is empty", () => {
    expect(typeMatches(["*"], null)).toBe(false);
    expect(typeMatches([], "a")).toBe(false);
  });

  it("match when any of them does", () => {
    expect(typeMatches(["x", "invoice.*"], "invoice.paid")).toBe(true);
  });

  it.each(["invoice.*", "*", "push", "orders/create", "a.*.c"])("may be %s", (pattern) => {
    expect(typePatternProblem(pattern)).toBeNull();
  });

  it.each(["", "a..b", ".a", "a.", "in*", "a.b*", "**", "a b", "a\n", "x".repeat(129)])("may not be %j", (pattern) => {
    expect(typePatternProblem(pattern)).toMatch(/^m/);
  });
});

import { describe, expect, it } from "vitest";
import { requestIdOf } from "../../functions/core/request-id.js";

describe("what a destination calls a request", () => {
  it.each(["x-request-id", "x-amzn-requestid", "cf-ray", "x-correlation-id"])("is read from %s", (name) => {
    expect(
      requestIdOf([
        ["date", "now"],
        [name, "8f2c-4d"],
      ]),
    ).toBe("8f2c-4d");
  });

  it("is the destination's own before its CDN's", () => {
    expect(
      requestIdOf([
        ["cf-ray", "edge"],
        ["x-request-id", "own"],
      ]),
    ).toBe("own");
  });

  it.each(["", "a b", "a\u0007", "é", "x".repeat(65)])("is nothing that is not fit to be shown: %j", (value) => {
    expect(requestIdOf([["x-request-id", value]])).toBeNull();
  });
});

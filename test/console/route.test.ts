import { describe, expect, it } from "vitest";
import { hrefOf, parseRoute } from "../../console/src/data/route.js";
import { pathOfId } from "../../console/src/find.js";

describe("a route in the fragment", () => {
  it("is read as it was written, whatever its parts hold", () => {
    const path = ["sources", "a/b?c#d é%"];
    const query = { status: "dead_lettered", cursor: "a+b/c==&d", since: "2026-01-31T12:00:00.000Z" };
    expect(parseRoute(hrefOf(path, query))).toEqual({ path, query });
  });

  it("leaves out parameters that say nothing", () => {
    expect(hrefOf(["deliveries"], { status: "", sourceId: undefined })).toBe("#/deliveries");
  });

  it("is the overview where there is none, and keeps what cannot be decoded", () => {
    expect(parseRoute("")).toEqual({ path: [], query: {} });
    expect(parseRoute("#/events/%E0%A4").path).toEqual(["events", "%E0%A4"]);
  });
});

describe("an id", () => {
  it("leads to its view", () => {
    expect(pathOfId(" dlv_0123abc ")).toEqual(["deliveries", "dlv_0123abc"]);
    expect(pathOfId("sub_1")).toEqual(["subscriptions", "sub_1"]);
  });

  it("that is none leads nowhere", () => {
    for (const text of ["", "hello", "xyz_123", "dlv_", "dlv_../../x"]) expect(pathOfId(text)).toBeNull();
  });
});

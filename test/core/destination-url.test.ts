import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { destinationUrl } from "../../functions/core/destination-url.js";

const plain = { suffix: "", query: "" };

describe("destinationUrl", () => {
  it("is the subscription's URL when the event has neither suffix nor query", () => {
    expect(destinationUrl("https://a.example/hooks?k=1", plain, true)).toBe("https://a.example/hooks?k=1");
  });

  it.each([
    ["https://a.example/hooks", "a=1&a=%20&b", "https://a.example/hooks?a=1&a=%20&b"],
    ["https://a.example/hooks?k=1", "a=1", "https://a.example/hooks?k=1&a=1"],
    ["https://a.example", "x='y'&z=%zz", "https://a.example/?x='y'&z=%zz"],
    ["https://a.example/", "a=b c", "https://a.example/?a=b%20c"],
  ])("appends the raw query byte for byte (%s + %s)", (base, query, expected) => {
    expect(destinationUrl(base, { suffix: "", query }, false)).toBe(expected);
  });

  it("appends the suffix only when the subscription asks for it", () => {
    const event = { suffix: "/orders/1", query: "" };
    expect(destinationUrl("https://a.example/hooks/", event, false)).toBe("https://a.example/hooks/");
    expect(destinationUrl("https://a.example/hooks/", event, true)).toBe("https://a.example/hooks/orders/1");
  });

  it.each([
    ["/a?b", "/a%3Fb"],
    ["/a#b", "/a%23b"],
    ["/50%", "/50%25"],
    ["/a b", "/a%20b"],
    ["/ü", "/%C3%BC"],
    ["/trailing/", "/trailing/"],
    ["//double", "//double"],
  ])("escapes only what is illegal in a decoded suffix (%s)", (suffix, expected) => {
    expect(destinationUrl("https://a.example/in", { suffix, query: "" }, true)).toBe(`https://a.example/in${expected}`);
  });

  it.each(["/../admin", "/a/../../admin", "/%2e%2e/admin", "/..\\admin"])("keeps %s below its path", (suffix) => {
    const url = destinationUrl("https://a.example/hooks", { suffix, query: "" }, true);
    expect(new URL(url).pathname.startsWith("/hooks/")).toBe(true);
  });

  it("always is a URL of the subscription's own origin and path, whatever the event brings", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), fc.string({ unit: "binary" }), (path, query) => {
        const url = new URL(destinationUrl("https://a.example/hooks", { suffix: `/${path}`, query }, true));
        expect(url.origin).toBe("https://a.example");
        expect(url.pathname.startsWith("/hooks/")).toBe(true);
        expect(url.hash).toBe("");
      }),
    );
  });
});

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { SecretsInText } from "../../functions/core/secrets-in-text.js";

describe("a secret in a text", () => {
  const secrets = new SecretsInText(["Bearer tok-zzz-98765", "whsec_c2VjcmV0IGtleQ==", "short"]);

  it.each([
    ["", false],
    ["short", false],
    ["tok-zzz-9876", false],
    ["Token tok-zzz-98765;", true],
    ["c2VjcmV0IGtleQ==", true],
    ["tok%2dzzz%2D98765", true],
    ["tok%252dzzz-98765", true],
    ["%zz%%tok-zzz-98765%", true],
    [`Basic ${btoa("user:tok-zzz-98765")}`, true],
    [`Basic ${btoa("user:another one")}`, false],
    [btoa("tok-zzz-98765"), true],
  ])("%s: %s", (text, holds) => {
    expect(secrets.isIn(text)).toBe(holds);
  });

  it("of a source without one is nowhere", () => {
    expect(new SecretsInText([]).isIn("anything")).toBe(false);
    expect(new SecretsInText([]).maskedQuery("a=b")).toBe("a=b");
  });

  it("is in no query and path that was masked; what holds none stays as it is", () => {
    const part = fc.oneof(fc.constantFrom("tok-zzz-98765", "a&=/b-98765", "&", "=", "/", "%2F", "+", "%"), fc.string());
    const both = new SecretsInText(["tok-zzz-98765", "a&=/b-98765"]);
    fc.assert(
      fc.property(fc.array(part, { maxLength: 8 }), (parts) => {
        const text = parts.join("");
        for (const masked of [both.maskedQuery(text), both.maskedPath(text)]) {
          expect(both.isIn(masked)).toBe(false);
          if (!both.isIn(text)) expect(masked).toBe(text);
        }
      }),
    );
  });
});

import { describe, expect, it } from "vitest";
import { openedParts, sealedNames } from "../../functions/core/sealed-secrets.js";

const secrets = [
  { id: "sec_new", createdAtMs: 2 },
  { id: "sec_old", createdAtMs: 1, expiresAtMs: 1_000 },
];
const parts = { secrets, headers: { "x-team": "a", "x-key": { secret: true as const } }, tls: { certificate: "PEM" } };
const values = { sec_new: "new", sec_old: "old", "header:x-key": "hidden", "tls:key": "KEY" };

describe("what is sealed with a subscription", () => {
  it("has a name each", () => {
    expect(sealedNames(parts)).toEqual(["sec_new", "sec_old", "header:x-key", "tls:key"]);
    expect(sealedNames({ secrets: [], headers: null, tls: { ca: "PEM" } })).toEqual([]);
  });

  it("is opened for an attempt: live signing secrets newest first, headers, the key", () => {
    expect(openedParts(parts, values, 999)).toEqual({
      secretValues: [
        { id: "sec_new", value: "new" },
        { id: "sec_old", value: "old" },
      ],
      headerValues: [
        ["x-team", "a"],
        ["x-key", "hidden"],
      ],
      tlsKey: "KEY",
    });
  });

  it("leaves out a signing secret from the moment of its end on", () => {
    expect(openedParts(parts, values, 1_000).secretValues).toEqual([{ id: "sec_new", value: "new" }]);
  });
});

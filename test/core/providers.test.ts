import { describe, expect, it } from "vitest";
import type { Provider } from "../../functions/core/providers/provider.js";
import { providerNames, providerOf, providers, signsUrl, withProvider } from "../../functions/core/providers.js";
import { valueRuleProblem } from "../../functions/core/values.js";
import { configurationProblems } from "../../functions/core/verification/problems.js";
import { schemeOf } from "../../functions/core/verification/schemes.js";

const preset = (name: string): Provider => providerOf(name) as Provider;

describe("every preset", () => {
  it("has a name of its own, in order, and is found by it", () => {
    expect(providerNames).toEqual([...new Set(providerNames)].toSorted((a, b) => (a < b ? -1 : 1)));
    for (const each of providers) expect(providerOf(each.name)).toBe(each);
    expect(providerOf("nobody")).toBeNull();
  });

  it.each(providers.map((each) => [each.name, each] as const))("%s is a sound configuration", (_, each) => {
    const { verification, dedupe, eventType, secret } = each;
    const url = signsUrl(each) ? { publicUrl: "https://hooks.example.com/in/src" } : {};
    if (verification !== null) {
      expect(configurationProblems({ ...verification, ...url, onFailure: "reject" })).toEqual([]);
      expect(secret === null).toBe(schemeOf(verification.scheme)?.secret === null);
    }
    for (const rule of [dedupe, eventType]) expect(rule && valueRuleProblem(rule)).toBeNull();
  });

  it.each(providers.map((each) => [each.name, each] as const))(
    "%s says where its URL is pasted, in whole sentences",
    (_, each) => {
      expect(each.steps.join(" ")).toContain("{url}");
      expect(each.reference).toMatch(/^https:\/\//);
      for (const text of [
        ...each.steps.filter((step) => !step.startsWith("aws ")),
        ...each.notes,
        each.sourceFirst ?? "Ok.",
      ]) {
        expect(text).toMatch(/^[A-Z].*[.:]$/s);
      }
      for (const header of each.headers) expect(header).toBe(header.toLowerCase());
    },
  );
});

describe("a document with a preset under it", () => {
  it("has what the preset says, and beside it what was given", () => {
    expect(withProvider(preset("slack"), { description: "d", verification: { secrets: ["s"] } })).toEqual({
      description: "d",
      verification: { scheme: "slack", secrets: ["s"] },
      handshake: { kind: "slack" },
      answer: "empty",
      dedupe: { from: "json", pointer: "/event_id" },
      eventType: { from: "json", pointer: "/event/type" },
    });
  });

  it("has what was given where both say something, null included", () => {
    const given = { verification: null, handshake: null, answer: "event-id", dedupe: null, eventType: null };
    expect(withProvider(preset("slack"), given)).toEqual(given);
    const { verification } = withProvider(preset("stripe"), {
      verification: { scheme: "stripe", toleranceSeconds: 60 },
    });
    expect(verification).toEqual({ scheme: "stripe", toleranceSeconds: 60 });
  });

  it("keeps single options of a signature, and takes another scheme or handshake as it is", () => {
    const { verification } = withProvider(preset("typeform"), { verification: { hmac: { encoding: "hex" } } });
    expect(verification).toMatchObject({ scheme: "hmac", hmac: { header: "typeform-signature", encoding: "hex" } });
    const other = withProvider(preset("typeform"), {
      verification: { scheme: "github" },
      handshake: { kind: "slack" },
    });
    expect(other).toMatchObject({ verification: { scheme: "github" }, handshake: { kind: "slack" } });
    expect(other["verification"]).not.toHaveProperty("hmac");
    expect(withProvider(preset("meta"), { handshake: { verifyToken: "t" } })["handshake"]).toEqual({
      kind: "meta",
      verifyToken: "t",
    });
  });

  it("is not broken by what is no object", () => {
    expect(withProvider(preset("stripe"), { verification: "stripe" })["verification"]).toBe("stripe");
    expect(withProvider(preset("stripe"), { verification: ["stripe"] })["verification"]).toEqual(["stripe"]);
  });
});

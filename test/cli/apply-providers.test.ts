import { describe, expect, it } from "vitest";
import { planSource } from "../../cli/apply/plan-source.js";
import { readApplyFile } from "../../cli/apply/read-apply-file.js";
import { SecretReader } from "../../cli/apply/secrets.js";
import { source as storedSource } from "../../functions/admin/openapi/examples.js";

const read = (...sources: readonly object[]) => readApplyFile(Buffer.from(JSON.stringify({ sources })), "relay.json");

const wrongFields = (...sources: readonly object[]): unknown => {
  try {
    read(...sources);
  } catch (error) {
    return (error as { details: { fields: readonly { field: string }[] } }).details.fields.map(({ field }) => field);
  }
  return [];
};

describe("a provider in a file", () => {
  it("fills in what the source leaves out, and takes no secret of its own", () => {
    const { sources } = read({
      sourceId: "chat",
      provider: "slack",
      verification: { secrets: [{ env: "SLACK_SECRET" }], toleranceSeconds: 60 },
      dedupe: null,
    });
    expect(sources[0]).toMatchObject({
      provider: "slack",
      verification: { scheme: "slack", toleranceSeconds: 60, secrets: [{ env: "SLACK_SECRET" }] },
      handshake: { kind: "slack" },
      answer: "empty",
      dedupe: null,
      eventType: { from: "json", pointer: "/event/type" },
    });
  });

  it("is gone from what is sent, and compared as what it stands for", () => {
    const [wanted] = read({
      sourceId: "shop",
      provider: "typeform",
      verification: { secrets: [{ env: "S" }] },
    }).sources;
    if (wanted === undefined) throw new Error("no source");
    const options = {
      owner: "a",
      secrets: new SecretReader({ S: "s" }),
      prune: false,
      updateSecrets: false,
      takeOver: false,
    };
    const [creation] = planSource(wanted, undefined, "sources[0]", options).steps;
    const body = creation?.request.body as Record<string, unknown>;
    expect(body).toMatchObject({ sourceId: "shop", verification: { scheme: "hmac", secrets: ["s"] }, managedBy: "a" });
    expect(body).not.toHaveProperty("provider");
    const { secrets: _apart, ...verification } = body["verification"] as { secrets: unknown };
    const found = {
      ...storedSource,
      ...(body as object),
      handshake: null,
      verification: { ...verification, onFailure: "quarantine", secrets: [{ id: "sec_1", createdAt: "" }] },
    } as unknown as typeof storedSource;
    expect(planSource(wanted, found, "sources[0]", options).steps).toEqual([]);
  });

  it("has to be one that there is, and a verification without one names its scheme", () => {
    expect(wrongFields({ sourceId: "a", provider: "strpe" })).toEqual(["sources[0].provider"]);
    expect(wrongFields({ sourceId: "a", verification: { secrets: [{ env: "S" }] } })).toEqual([
      "sources[0].verification.scheme",
    ]);
    expect(wrongFields({ sourceId: "a", provider: "stripe", verification: { secrets: ["literal"] } })).toEqual([
      "sources[0].verification.secrets[0]",
    ]);
    expect(wrongFields({ sourceId: "a", provider: 7 })).toEqual(["sources[0].provider"]);
  });

  it("may be of a provider with a token of its own", () => {
    const [meta] = read({
      sourceId: "wa",
      provider: "meta",
      verification: { secrets: [{ env: "APP" }] },
      handshake: { verifyToken: { env: "TOKEN" } },
    }).sources;
    expect(meta?.handshake).toEqual({ kind: "meta", verifyToken: { env: "TOKEN" } });
  });
});

import { ScanCommand } from "@aws-sdk/client-dynamodb";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Reference, references, whsec } from "../core/verification/references.js";
import { type AdminRelay, startAdminRelay } from "../support/admin-relay.js";

let relay: AdminRelay;
beforeAll(async () => {
  relay = await startAdminRelay();
});
afterAll(() => relay.close());

const dump = async () =>
  JSON.stringify((await relay.table.client.send(new ScanCommand({ TableName: relay.table.tableName }))).Items);

const idOf = ({ name }: Reference): string => name.replace(/[^a-z]+/g, "-");

describe("a source of each scheme", () => {
  test.each(references.map((reference) => [reference.name, reference] as const))("%s", async (_, reference) => {
    const { verification, secret } = reference;
    const sourceId = idOf(reference);
    const created = await relay.call("POST", "/admin/sources", {
      sourceId,
      verification: { ...verification, secrets: [secret] },
    });
    expect(created.body.errors).toBeUndefined();
    const [shown] = created.body.verification.secrets;
    expect(created.body.verification).toEqual({
      ...verification,
      secrets: [{ id: shown.id, createdAt: shown.createdAt }],
    });
    // What is shown may be written again: nothing changes, and the secret stays.
    const { secrets: _ids, ...written } = created.body.verification;
    const again = await relay.call("PATCH", `/admin/sources/${sourceId}`, { verification: written });
    expect(again.body.version).toBe(1);
    expect(await dump()).not.toContain(JSON.stringify(secret).slice(1, -1));
  });
});

describe("a patch of a verification", () => {
  const options = { toleranceSeconds: 60, secretEncoding: "base64" };
  const create = (sourceId: string) =>
    relay.call("POST", "/admin/sources", {
      sourceId,
      verification: { scheme: "standard-webhooks", secrets: [whsec], ...options },
    });

  test("keeps what it does not name, and takes away what is null", async () => {
    await create("patched");
    const other = await relay.call("PATCH", "/admin/sources/patched", { verification: { onFailure: "reject" } });
    expect(other.body.verification).toMatchObject({ ...options, onFailure: "reject" });
    const fewer = await relay.call("PATCH", "/admin/sources/patched", { verification: { toleranceSeconds: null } });
    expect(fewer.body.verification).not.toHaveProperty("toleranceSeconds");
    expect(fewer.body.verification.secretEncoding).toBe("base64");
  });

  test("to another scheme leaves the options of the old one behind", async () => {
    await create("changed");
    const changed = await relay.call("PATCH", "/admin/sources/changed", { verification: { scheme: "github" } });
    expect(changed.body.verification).toEqual({
      scheme: "github",
      onFailure: "quarantine",
      secrets: [expect.objectContaining({ id: expect.stringMatching(/^sec_/) })],
    });
  });

  test("to another scheme is refused when the stored secrets cannot be its secrets", async () => {
    await create("kept");
    const refused = await relay.call("PATCH", "/admin/sources/kept", { verification: { scheme: "discord" } });
    expect(refused.body.errors).toEqual([
      { field: "verification.secrets[0]", reason: "must be the application's public key: 64 hex digits" },
    ]);
    expect(JSON.stringify(refused.body)).not.toContain(whsec);
  });
});

describe("a verification that could never verify is refused", () => {
  const hmac = { header: "x-signature" };
  test.each([
    ["verification.publicUrl", { scheme: "twilio", secrets: ["s"] }],
    ["verification.publicUrl", { scheme: "square", secrets: ["s"], publicUrl: "http://hooks.example" }],
    ["verification.toleranceSeconds", { scheme: "stripe", secrets: ["s"], toleranceSeconds: 0 }],
    ["verification.toleranceSeconds", { scheme: "github", secrets: ["s"], toleranceSeconds: 60 }],
    ["verification.headerToken", { scheme: "header-token", secrets: ["s"] }],
    ["verification.secretEncoding", { scheme: "hmac", hmac, secrets: ["s"], secretEncoding: "base32" }],
    ["verification.hmac.content", { scheme: "hmac", hmac: { ...hmac, content: "{bdy}" }, secrets: ["s"] }],
    ["verification.secrets[0]", { scheme: "standard-webhooks", secrets: ["whsec_!!!!"] }],
    ["verification.secrets[0]", { scheme: "standard-webhooks", secrets: [`v1,${whsec}`] }],
    ["verification.secrets[1]", { scheme: "standard-webhooks", secrets: [whsec, `${whsec}\n`] }],
    ["verification.secrets[0]", { scheme: "sendgrid", secrets: ["not a key"] }],
  ])("with %s named: %j", async (field, verification) => {
    const { status, body } = await relay.call("POST", "/admin/sources", { sourceId: "refused", verification });
    expect(status).toBe(400);
    expect(body.errors.map((error: { field: string }) => error.field)).toEqual([field]);
    expect((await relay.call("GET", "/admin/sources/refused")).status).toBe(404);
  });
});

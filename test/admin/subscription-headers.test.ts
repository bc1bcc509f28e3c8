import { ScanCommand } from "@aws-sdk/client-dynamodb";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type AdminRelay, startAdminRelay } from "../support/admin-relay.js";
import { testAuthority, testCertificate } from "../support/destination.js";

const url = "https://destination.example/hooks";
const apiKey = "k-3f9a1c7e5b2d8f4a";
const pem = (name: Parameters<typeof testCertificate>[0]) => {
  const { cert, key } = testCertificate(name);
  return { certificate: String(cert), key: String(key) };
};

let relay: AdminRelay;
beforeEach(async () => {
  relay = await startAdminRelay();
  await relay.call("POST", "/admin/sources", { sourceId: "shop" });
});
afterEach(() => relay.close());

const create = (body: object) => relay.call("POST", "/admin/sources/shop/subscriptions", { url, ...body });
const patch = (id: string, body: object) => relay.call("PATCH", `/admin/subscriptions/${id}`, body);
const dump = async () =>
  JSON.stringify((await relay.table.client.send(new ScanCommand({ TableName: relay.table.tableName }))).Items);
const opened = async (id: string): Promise<Readonly<Record<string, string>>> => {
  const found = await relay.context.subscriptions.findSubscription(id);
  return found === null ? {} : relay.context.subscriptions.openSecrets(found.record);
};
const refusal = async (body: object) => {
  const answer = await create(body);
  return [answer.status, answer.body.errors?.[0]?.field, answer.body.errors?.[0]?.reason];
};

describe("a subscription's own headers", () => {
  const headers = { "X-Team": "billing", "x-api-key": { secret: true, value: apiKey } };

  test("are shown by their names in lower case, secret ones without their value, which is sealed", async () => {
    const { status, body } = await create({ headers });
    expect([status, body.headers]).toEqual([201, { "x-team": "billing", "x-api-key": { secret: true } }]);
    expect(JSON.stringify([body, relay.lines]) + (await dump())).not.toContain(apiKey);
    expect((await opened(body.subscriptionId))["header:x-api-key"]).toBe(apiKey);
  });

  test("are patched one by one; a secret without a value keeps the one that is stored", async () => {
    const { body } = await create({ headers });
    const id = body.subscriptionId;
    const added = await patch(id, { headers: { "X-Tenant": "7", "X-Api-Key": { secret: true } } });
    expect(added.body.headers).toEqual({ "x-team": "billing", "x-api-key": { secret: true }, "x-tenant": "7" });
    expect((await opened(id))["header:x-api-key"]).toBe(apiKey);
    const changed = await patch(id, { headers: { "x-api-key": { value: "another-key" } } });
    expect(changed.body.version).toBe(3);
    expect((await opened(id))["header:x-api-key"]).toBe("another-key");
    const removed = await patch(id, { headers: { "X-API-Key": null } });
    expect(removed.body.headers).toEqual({ "x-team": "billing", "x-tenant": "7" });
    expect(await opened(id)).not.toHaveProperty("header:x-api-key");
    expect((await patch(id, { headers: null })).body.headers).toBeNull();
  });

  test("stay as they are when a write says the same again", async () => {
    const { body } = await create({ headers, name: "a" });
    const { version } = (await patch(body.subscriptionId, { headers })).body;
    expect(version).toBe(1);
  });

  test("become public or secret with a value only", async () => {
    const { body } = await create({ headers });
    const secret = await patch(body.subscriptionId, { headers: { "x-team": { secret: true } } });
    expect([secret.status, secret.body.errors[0].field]).toEqual([400, "headers.x-team.value"]);
    await patch(body.subscriptionId, { headers: { "x-api-key": "public" } });
    expect(await opened(body.subscriptionId)).not.toHaveProperty("header:x-api-key");
  });

  test("go with the subscription", async () => {
    const { body } = await create({ headers });
    await relay.call("DELETE", `/admin/subscriptions/${body.subscriptionId}`);
    expect(await dump()).not.toContain("x-api-key");
  });

  test.each(["Host", "content-length", "transfer-encoding", "connection", "proxy-authorization", "te"])(
    "may not be %s, which the relay sets or drops itself",
    async (name) => {
      expect((await refusal({ headers: { [name]: "x" } })).slice(0, 2)).toEqual([400, `headers.${name.toLowerCase()}`]);
    },
  );

  test.each(["webhook-id", "Webhook-Signature", "steadyhook-attempt", "a b", "", "x:y"])(
    "may not be named %j",
    async (name) => {
      expect((await refusal({ headers: { [name]: "x" } }))[0]).toBe(400);
    },
  );

  test.each([
    ["a\r\nb: c"],
    ["\u0000"],
    ["é"],
    [" a"],
    ["x".repeat(4_097)],
    [{ secret: true, value: "short" }],
    [{ secret: false, value: "public" }],
    [5],
  ])("may not have the value %j", async (value) => {
    const [status, , reason] = await refusal({ headers: { "x-a": value } });
    expect(status).toBe(400);
    expect(reason).not.toContain("xxxx");
  });

  test("may not be a credential that is public, stand there twice, or be too many", async () => {
    expect(await refusal({ headers: { authorization: "Bearer abc" } })).toEqual([
      400,
      "headers.authorization",
      "is a credential and must be secret",
    ]);
    expect((await refusal({ headers: { "x-a": "1", "X-A": "2" } }))[1]).toBe("headers.x-a");
    const many = Object.fromEntries(Array.from({ length: 21 }, (_value, index) => [`x-${index}`, "1"]));
    expect((await refusal({ headers: many }))[1]).toBe("headers");
    const long = Object.fromEntries(Array.from({ length: 3 }, (_value, index) => [`x-${index}`, "1".repeat(4_000)]));
    expect((await refusal({ headers: long }))[1]).toBe("headers");
  });
});

describe("a subscription's TLS", () => {
  const good = pem("good");
  const ca = String(testAuthority());

  test("shows the certificate with its end, and never the key, which is sealed", async () => {
    const { status, body } = await create({ tls: { ...good, ca } });
    expect(status).toBe(201);
    const shown = { certificate: good.certificate, ca, certificateExpiresAt: "2125-01-01T00:00:00.000Z" };
    expect(body.tls).toEqual(shown);
    const secret = good.key.split("\n")[1] ?? "";
    expect(JSON.stringify([body, relay.lines]) + (await dump())).not.toContain(secret);
    expect((await opened(body.subscriptionId))["tls:key"]).toBe(good.key);
  });

  test("is patched field by field: the key stays until there is another certificate", async () => {
    const { body } = await create({ tls: { ...good, ca } });
    const id = body.subscriptionId;
    expect((await patch(id, { tls: { ca: null } })).body.tls).not.toHaveProperty("ca");
    expect((await opened(id))["tls:key"]).toBe(good.key);
    const other = pem("wrong-name");
    const alone = await patch(id, { tls: { certificate: other.certificate } });
    expect([alone.status, alone.body.errors[0].field]).toEqual([400, "tls.key"]);
    expect((await patch(id, { tls: other })).status).toBe(200);
    expect((await opened(id))["tls:key"]).toBe(other.key);
    expect((await patch(id, { tls: null })).body.tls).toBeNull();
    expect(await opened(id)).not.toHaveProperty("tls:key");
  });

  test("can be authorities alone", async () => {
    expect((await create({ tls: { ca } })).body.tls).toEqual({ ca });
  });

  test.each<[string, object, string]>([
    ["a certificate without its key", { certificate: good.certificate }, "tls.key"],
    ["a key without its certificate", { key: good.key }, "tls.certificate"],
    ["the key of another certificate", { ...good, key: pem("expired").key }, "tls.key"],
    ["a certificate that has expired", pem("expired"), "tls.certificate"],
    ["a certificate that is none", { ...good, certificate: "none" }, "tls.certificate"],
    ["a damaged one", { ...good, certificate: good.certificate.replace("MII", "MIA") }, "tls.certificate"],
    ["a key in the place of the certificate", { ...good, certificate: good.certificate + good.key }, "tls.certificate"],
    ["a key that is none", { ...good, key: "none" }, "tls.key"],
    ["authorities that are none", { ca: "none" }, "tls.ca"],
  ])("is refused with %s, without showing the key", async (_what, tls, field) => {
    const answer = await create({ tls });
    expect([answer.status, answer.body.errors[0].field]).toEqual([400, field]);
    expect(JSON.stringify(answer.body)).not.toContain(good.key.split("\n")[1]);
  });

  test("is refused with a URL that is not https", async () => {
    expect((await refusal({ url: "http://destination.example/", tls: { ca } }))[1]).toBe("tls");
  });

  test("does not keep its owner from other changes once its certificate has expired", async () => {
    const { body } = await create({ tls: good });
    relay.clock.nowMs = Date.UTC(2130, 0, 1);
    expect((await patch(body.subscriptionId, { description: "still mine" })).status).toBe(200);
  });
});

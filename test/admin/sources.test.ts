import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type AdminRelay, startAdminRelay } from "../support/admin-relay.js";
import { withoutTrail } from "../support/table-dump.js";

describe("the admin API's sources", () => {
  let relay: AdminRelay;

  beforeEach(async () => {
    relay = await startAdminRelay();
  });

  afterEach(() => relay.close());

  const dump = () => withoutTrail(relay.table);

  const github = { sourceId: "github", verification: { scheme: "github", secrets: ["It's a Secret to Everybody"] } };

  test("a source is created with a fresh id, or with the id of the caller's choice", async () => {
    const fresh = await relay.call("POST", "/admin/sources", {});
    expect(fresh.status).toBe(201);
    expect(fresh.body.sourceId).toMatch(/^src_[0-9a-z]{26}$/);
    expect(fresh.headers["location"]).toBe(`/admin/sources/${fresh.body.sourceId}`);
    const named = await relay.call("POST", "/admin/sources", { sourceId: "shop-1" });
    expect(named.body).toEqual({
      sourceId: "shop-1",
      description: null,
      verification: null,
      handshake: null,
      answer: "event-id",
      dedupe: null,
      eventType: null,
      version: 1,
      managedBy: null,
      createdAt: "2026-01-31T12:00:00.000Z",
      updatedAt: "2026-01-31T12:00:00.000Z",
    });
    expect((await relay.call("GET", "/admin/sources/shop-1")).body).toEqual(named.body);
  });

  test("an id is given once", async () => {
    await relay.call("POST", "/admin/sources", { sourceId: "shop" });
    const second = await relay.call("POST", "/admin/sources", { sourceId: "shop" });
    expect([second.status, second.body.code]).toEqual([409, "already_exists"]);
  });

  test("secrets are shown as ids only, and are nowhere readable in the table", async () => {
    const created = await relay.call("POST", "/admin/sources", github);
    expect(created.body.verification).toEqual({
      scheme: "github",
      onFailure: "quarantine",
      secrets: [{ id: expect.stringMatching(/^sec_/), createdAt: "2026-01-31T12:00:00.000Z" }],
    });
    expect(JSON.stringify(created.body)).not.toContain("Secret to Everybody");
    expect(await dump()).not.toContain("Secret to Everybody");
    const [secret] = (await relay.context.sources.openSource("github"))?.secretValues ?? [];
    expect(secret?.value).toBe("It's a Secret to Everybody");
  });

  test("a patch without secrets keeps them, one with secrets replaces them and keeps the ids of known ones", async () => {
    const created = await relay.call("POST", "/admin/sources", github);
    const [first] = created.body.verification.secrets;
    const described = await relay.call("PATCH", "/admin/sources/github", {
      description: "pushes",
      verification: { onFailure: "reject" },
    });
    expect(described.body).toMatchObject({
      description: "pushes",
      version: 2,
      verification: { scheme: "github", onFailure: "reject", secrets: [first] },
    });
    const rotated = await relay.call("PATCH", "/admin/sources/github", {
      verification: { secrets: ["new one", "It's a Secret to Everybody"] },
    });
    expect(rotated.body.verification.secrets).toEqual([expect.not.objectContaining({ id: first.id }), first]);
    const opened = await relay.context.sources.openSource("github");
    expect(opened?.secretValues.map(({ value }) => value)).toEqual(["new one", "It's a Secret to Everybody"]);
  });

  test("null in a patch removes; verification that is removed takes its secrets along", async () => {
    await relay.call("POST", "/admin/sources", { ...github, dedupe: { from: "json", pointer: "/id" } });
    const patched = await relay.call("PATCH", "/admin/sources/github", { verification: null, dedupe: null });
    expect(patched.body).toMatchObject({ verification: null, dedupe: null });
    expect(await dump()).not.toContain("sealed");
  });

  test("a patch may change the kind of a rule and the scheme of a verification", async () => {
    await relay.call("POST", "/admin/sources", {
      sourceId: "shop",
      dedupe: { from: "json", pointer: "/id" },
      verification: { scheme: "hmac", secrets: ["s"], onFailure: "reject", hmac: { header: "x-signature" } },
    });
    const patched = await relay.call("PATCH", "/admin/sources/shop", {
      dedupe: { from: "header", name: "x-id" },
      verification: { scheme: "github" },
    });
    expect(patched.body).toMatchObject({ dedupe: { from: "header", name: "x-id" } });
    expect(patched.body.verification).toMatchObject({ scheme: "github", onFailure: "reject" });
    expect(patched.body.verification).not.toHaveProperty("hmac");
    const iam = await relay.call("PATCH", "/admin/sources/shop", { verification: { scheme: "iam" } });
    expect(iam.body.verification).toMatchObject({ scheme: "iam", secrets: [] });
    expect(await dump()).not.toContain("sealed");
  });

  test("put creates, then replaces as a whole but for secrets that are not given", async () => {
    const created = await relay.call("PUT", "/admin/sources/github", { ...github, description: "x" });
    expect(created.status).toBe(201);
    const replaced = await relay.call("PUT", "/admin/sources/github", { verification: { scheme: "github" } });
    expect([replaced.status, replaced.body.version, replaced.body.description]).toEqual([200, 2, null]);
    expect(replaced.body.verification.secrets).toEqual(created.body.verification.secrets);
  });

  test("put refuses an id that is no slug, and a body that names another source", async () => {
    const spaced = await relay.call("PUT", "/admin/sources/a b", {});
    expect([spaced.status, spaced.body.errors[0].field]).toEqual([400, "sourceId"]);
    const other = await relay.call("PUT", "/admin/sources/a", { sourceId: "b" });
    expect(other.body.errors).toMatchObject([{ field: "sourceId" }]);
    expect(await dump()).toBe("[]");
  });

  test("If-Match guards every change: 412 and nothing written when the version is another", async () => {
    const created = await relay.call("POST", "/admin/sources", { sourceId: "shop" });
    expect(created.headers["etag"]).toBe('"1"');
    const ifMatch = { headers: { "if-match": '"1"' } };
    const changed = await relay.call("PATCH", "/admin/sources/shop", { description: "a" }, ifMatch);
    expect([changed.status, changed.headers["etag"]]).toEqual([200, '"2"']);
    const late = await relay.call("PATCH", "/admin/sources/shop", { description: "b" }, ifMatch);
    expect([late.status, late.body.code, late.headers["etag"]]).toEqual([412, "version_mismatch", '"2"']);
    expect((await relay.call("PUT", "/admin/sources/shop", {}, ifMatch)).status).toBe(412);
    expect((await relay.call("DELETE", "/admin/sources/shop", undefined, ifMatch)).status).toBe(412);
    expect((await relay.call("GET", "/admin/sources/shop")).body.description).toBe("a");
    expect((await relay.call("PUT", "/admin/sources/none", {}, { headers: { "if-match": "*" } })).status).toBe(412);
  });

  test("If-None-Match: * lets a put create, but not replace", async () => {
    const createOnly = { headers: { "if-none-match": "*" } };
    expect((await relay.call("PUT", "/admin/sources/shop", {}, createOnly)).status).toBe(201);
    const second = await relay.call("PUT", "/admin/sources/shop", { description: "x" }, createOnly);
    expect([second.status, second.body.code, second.headers["etag"]]).toEqual([412, "already_exists", '"1"']);
    expect((await relay.call("GET", "/admin/sources/shop")).body.description).toBeNull();
  });

  test("a write that changes nothing leaves version and time as they are", async () => {
    const created = await relay.call("PUT", "/admin/sources/github", github);
    relay.clock.nowMs += 1_000;
    expect((await relay.call("PUT", "/admin/sources/github", github)).body).toEqual(created.body);
    const patched = await relay.call("PATCH", "/admin/sources/github", { description: null });
    expect([patched.body, patched.headers["etag"]]).toEqual([created.body, '"1"']);
    const other = { ...github, verification: { scheme: "github", secrets: ["another"] } };
    expect((await relay.call("PUT", "/admin/sources/github", other)).body.version).toBe(2);
  });

  test("two patches at the same moment are both applied", async () => {
    await relay.call("POST", "/admin/sources", { sourceId: "shop" });
    await Promise.all([
      relay.call("PATCH", "/admin/sources/shop", { description: "a" }),
      relay.call("PATCH", "/admin/sources/shop", { managedBy: "b" }),
    ]);
    expect((await relay.call("GET", "/admin/sources/shop")).body).toMatchObject({
      description: "a",
      managedBy: "b",
      version: 3,
    });
  });

  test("a source is deleted once it has no subscriptions", async () => {
    await relay.call("POST", "/admin/sources", { sourceId: "shop" });
    const subscription = await relay.call("POST", "/admin/sources/shop/subscriptions", { url: "https://a.example/" });
    const refused = await relay.call("DELETE", "/admin/sources/shop");
    expect([refused.status, refused.body.code]).toEqual([409, "has_subscriptions"]);
    await relay.call("DELETE", `/admin/subscriptions/${subscription.body.subscriptionId}`);
    const deleted = await relay.call("DELETE", "/admin/sources/shop");
    expect([deleted.status, deleted.bytes.length]).toEqual([204, 0]);
    expect((await relay.call("GET", "/admin/sources/shop")).body.code).toBe("unknown_source");
    expect((await relay.call("DELETE", "/admin/sources/shop")).status).toBe(404);
  });

  test("a list neither skips nor repeats, page by page", async () => {
    const ids = ["a", "b", "c", "d", "e"];
    for (const sourceId of ids) await relay.call("POST", "/admin/sources", { sourceId });
    const seen: string[] = [];
    let query = "limit=2";
    for (;;) {
      const { body } = await relay.call("GET", "/admin/sources", undefined, { query });
      seen.push(...body.items.map((source: { sourceId: string }) => source.sourceId));
      if (body.cursor === null) break;
      query = `limit=2&cursor=${body.cursor}`;
    }
    expect(seen).toEqual(ids);
  });

  test.each([
    ["sourceId", { sourceId: "no spaces" }],
    ["sourceId", { sourceId: "x".repeat(65) }],
    ["sourceId", { sourceId: "../up" }],
    ["verification.scheme", { verification: { scheme: "md5", secrets: ["s"] } }],
    ["verification.secrets", { verification: { scheme: "github" } }],
    ["verification.secrets", { verification: { scheme: "github", secrets: [] } }],
    ["verification.secrets[1]", { verification: { scheme: "github", secrets: ["fine", "  "] } }],
    ["verification.secrets[0]", { verification: { scheme: "github", secrets: [5] } }],
    ["verification.secrets[0]", { verification: { scheme: "github", secrets: ["trailing\n"] } }],
    ["verification.hmac", { verification: { scheme: "hmac", secrets: ["s"] } }],
    ["verification.hmac.header", { verification: { scheme: "hmac", secrets: ["s"], hmac: { header: "no way" } } }],
    ["verification.hmac", { verification: { scheme: "github", secrets: ["s"], hmac: { header: "x" } } }],
    ["verification.secrets", { verification: { scheme: "iam", secrets: ["s"] } }],
    ["verification", { verification: [] }],
    ["dedupe.from", { dedupe: { from: "cookie", name: "x" } }],
    ["dedupe.pointer", { dedupe: { from: "json", pointer: "id" } }],
    ["dedupe.pointer", { dedupe: { from: "header", name: "x", pointer: "/id" } }],
    ["eventType.name", { eventType: { from: "header", name: "bad name" } }],
    ["descripton", { descripton: "typo" }],
    ["__proto__", JSON.parse('{"__proto__": {"description": "x"}}')],
  ])("refuses a wrong %s, naming it, and writes nothing", async (field, body) => {
    const refused = await relay.call("POST", "/admin/sources", body);
    expect(refused.status).toBe(400);
    expect(refused.headers["content-type"]).toBe("application/problem+json");
    expect(refused.body).toMatchObject({ status: 400, title: "Bad Request", code: "invalid_request" });
    expect(refused.body.errors.map((error: { field: string }) => error.field)).toContain(field);
    expect(await dump()).toBe("[]");
  });

  test("names every field that is wrong, with a way to put a typing error right", async () => {
    const { body } = await relay.call("POST", "/admin/sources", { descripton: "x", sourceId: "", managedBy: 5 });
    expect(body.errors).toEqual(
      expect.arrayContaining([
        { field: "descripton", reason: "is not a known field", fix: 'Did you mean "description"?' },
        { field: "managedBy", reason: "must be text; it is a number" },
        { field: "sourceId", reason: expect.stringContaining("1 to 64 characters") },
      ]),
    );
  });

  test("does not propose a field of another kind that is the very one refused", async () => {
    const { body } = await relay.call("POST", "/admin/sources", {
      dedupe: { from: "json", pointer: "/id", name: "x-id" },
    });
    expect(body.errors).toEqual([
      { field: "dedupe.name", reason: "is not a known field", fix: "Use one of: from, pointer." },
    ]);
  });

  test("shows no secret in what it says about a wrong one", async () => {
    const refused = await relay.call("POST", "/admin/sources", {
      verification: { scheme: "topsecret-scheme", secrets: "topsecret-value", topsecret: "topsecret-field" },
    });
    expect(JSON.stringify(refused.body)).not.toContain("topsecret-value");
    expect(JSON.stringify(refused.body)).not.toContain("topsecret-field");
    expect(JSON.stringify(relay.lines)).not.toContain("topsecret");
  });
});

import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { routes } from "../../functions/admin/routes.js";
import { type AdminRelay, startAdminRelay } from "../support/admin-relay.js";

describe("the admin API's requests", () => {
  let relay: AdminRelay;

  beforeEach(async () => {
    relay = await startAdminRelay();
  });

  afterEach(() => relay.close());

  test("what is at no path is 404, what takes another method is 405 with Allow", async () => {
    const nowhere = await relay.call("GET", "/admin/nothing");
    expect([nowhere.status, nowhere.body.code]).toEqual([404, "not_found"]);
    const wrong = await relay.call("POST", "/admin/sources/shop", {});
    expect([wrong.status, wrong.body.code]).toEqual([405, "method_not_allowed"]);
    expect(wrong.headers["allow"]).toBe("GET, PUT, PATCH, DELETE");
  });

  test.each([
    ["cut short", '{"sourceId": "a"'],
    ["empty", ""],
    ["not UTF-8", Buffer.from([0x7b, 0x22, 0xe9, 0x22, 0x7d])],
    ["with a trailing comma", '{"sourceId": "a",}'],
  ])("a body that is %s is malformed JSON", async (_kind, raw) => {
    const refused = await relay.call("POST", "/admin/sources", {}, { raw });
    expect([refused.status, refused.body.code]).toEqual([400, "malformed_json"]);
    expect(refused.body.errors).toEqual([{ field: "", reason: expect.stringMatching(/^is not JSON/) }]);
    expect(refused.headers["content-type"]).toBe("application/problem+json");
  });

  test("a parser's message does not give the body away", async () => {
    const refused = await relay.call("POST", "/admin/sources", {}, { raw: 'topsecret {"a"' });
    expect(JSON.stringify(refused.body)).not.toContain("topsecret");
  });

  test.each([["[]"], ["null"], ["5"], ['"text"']])("a body that is %s and no object is refused", async (raw) => {
    const refused = await relay.call("POST", "/admin/sources", {}, { raw });
    expect(refused.body).toMatchObject({ status: 400, errors: [{ field: "", reason: "must be a JSON object" }] });
  });

  test("a write needs a JSON content type", async () => {
    const form = { headers: { "content-type": "application/x-www-form-urlencoded" } };
    const refused = await relay.call("POST", "/admin/sources", {}, form);
    expect(refused.body).toMatchObject({ status: 415, code: "unsupported_media_type" });
    expect((await relay.call("POST", "/admin/sources", undefined, { raw: "{}" })).status).toBe(415);
    const charset = { headers: { "content-type": "application/json; charset=utf-8" } };
    expect((await relay.call("POST", "/admin/sources", { sourceId: "a" }, charset)).status).toBe(201);
    const merge = { headers: { "content-type": "application/merge-patch+json" } };
    expect((await relay.call("PATCH", "/admin/sources/a", { description: "x" }, merge)).body.description).toBe("x");
  });

  test.each([
    "subscriptions/sub_none/pause",
    "subscriptions/sub_none/resume",
    "deliveries/dlv_none/cancel",
    "events/evt_none/verify",
    "events/evt_none/release",
    "faults/flt_none/redrive",
  ])("a write that takes no fields refuses any, and all that is no JSON: %s", async (path) => {
    const call = (options: object) => relay.call("POST", `/admin/${path}`, {}, options);
    for (const none of ["", "{}"]) expect((await call({ raw: none })).status).toBe(404);
    const field = await call({ raw: '{"force":true}' });
    expect(field.body).toMatchObject({ status: 400, errors: [{ field: "force", reason: "is not a known field" }] });
    for (const raw of ["{", "[]", "null"]) expect((await call({ raw })).status).toBe(400);
    expect((await call({ headers: { "content-type": "text/plain" } })).status).toBe(415);
  });

  test("a parameter that there is not is refused by whatever is called, before anything is done", async () => {
    const source = (await relay.call("POST", "/admin/sources", { sourceId: "shop" })).body;
    for (const { method, path } of routes) {
      const called = path.replace("{sourceId}", "shop").replaceAll(/\{\w+\}/g, "none");
      const refused = await relay.call(method, called, method === "GET" ? undefined : {}, { query: "forse=true" });
      expect([method, path, refused.status, refused.body.code]).toEqual([method, path, 400, "invalid_request"]);
      expect(refused.body.errors[0].field).toBe("forse");
    }
    expect((await relay.call("GET", "/admin/sources/shop")).body).toEqual(source);
  });

  test("a DELETE needs no content type: no page of another site sends one unasked", async () => {
    await relay.call("POST", "/admin/sources", { sourceId: "shop" });
    expect((await relay.call("DELETE", "/admin/sources/shop")).status).toBe(204);
  });

  test("a body beyond 256 KB, or nested without end, is refused and not worked on", async () => {
    const large = await relay.call("POST", "/admin/sources", { description: "x".repeat(256 * 1024) });
    expect([large.status, large.body.code]).toEqual([413, "body_too_large"]);
    await relay.call("POST", "/admin/sources", { sourceId: "a" });
    const raw = `${'{"verification":'.repeat(15_000)}1${"}".repeat(15_000)}`;
    expect((await relay.call("PATCH", "/admin/sources/a", {}, { raw })).status).toBe(400);
  });

  test.each(["limit=0", "limit=101", "limit=ten", "limit=1&limit=2", "page=2", "cursor=abc"])(
    "the query %s is refused",
    async (query) => {
      expect((await relay.call("GET", "/admin/sources", undefined, { query })).status).toBe(400);
    },
  );

  test("every write leaves one line that says who, what and on what, and no secret", async () => {
    const userArn = "arn:aws:sts::111122223333:assumed-role/ops/jo";
    const created = await relay.call(
      "POST",
      "/admin/sources",
      { sourceId: "shop", verification: { scheme: "github", secrets: ["topsecret"] } },
      { userArn },
    );
    expect(created.status).toBe(201);
    await relay.call("GET", "/admin/sources/shop");
    await relay.call("DELETE", "/admin/sources/shop", undefined, { userArn });
    const write = { level: "info", message: "admin write" };
    expect(relay.lines).toEqual([
      {
        ...write,
        fields: { operation: "source.create", caller: userArn, path: "/admin/sources/shop", statusCode: 201 },
      },
      {
        ...write,
        fields: { operation: "source.delete", caller: userArn, path: "/admin/sources/shop", statusCode: 204 },
      },
    ]);
    expect(JSON.stringify(relay.lines)).not.toContain("topsecret");
  });

  test("a fault of our own is a 500 that says nothing of it, and a line that does", async () => {
    const broken = await startAdminRelay({
      deliveries: { ...relay.context.deliveries, findDelivery: () => Promise.reject(new Error("table is away")) },
    });
    const answer = await broken.call("GET", "/admin/deliveries/dlv_1");
    expect([answer.status, answer.body.code]).toEqual([500, "internal_error"]);
    expect(JSON.stringify(answer.body)).not.toContain("table is away");
    expect(broken.lines).toMatchObject([{ level: "error", fields: { error: expect.any(Error) } }]);
    await broken.close();
  });

  test("no answer is cached or taken for another type", async () => {
    const { headers } = await relay.call("GET", "/admin/sources");
    expect(headers).toMatchObject({ "cache-control": "no-store", "x-content-type-options": "nosniff" });
  });
});

import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type AdminRelay, startAdminRelay } from "../support/admin-relay.js";
import { validate } from "../support/openapi-check.js";

const url = "https://destination.example/hooks";

const filter = {
  all: [
    { header: "x-topic", equals: "orders/paid" },
    { json: "/data/amount", exists: true },
    { not: { json: "/livemode", equals: false } },
    {
      any: [
        { json: "/type", prefix: "invoice." },
        { json: "/type", oneOf: ["a", 1, 0.5, null, true, { number: "7615917337495251231" }] },
      ],
    },
  ],
};

describe("a subscription's filter", () => {
  let relay: AdminRelay;
  beforeEach(async () => {
    relay = await startAdminRelay();
    await relay.call("POST", "/admin/sources", { sourceId: "shop" });
  });
  afterEach(() => relay.close());

  const create = (body: object) => relay.call("POST", "/admin/sources/shop/subscriptions", { url, ...body });
  const patch = (id: string, body: object) => relay.call("PATCH", `/admin/subscriptions/${id}`, body);

  test("is stored and shown as it was given", async () => {
    const { status, body } = await create({ filter });
    expect([status, body.filter]).toEqual([201, filter]);
    expect((await relay.call("GET", `/admin/subscriptions/${body.subscriptionId}`)).body.filter).toEqual(filter);
    expect((await relay.call("GET", "/admin/sources/shop/subscriptions")).body.items[0].filter).toEqual(filter);
  });

  test("is replaced as a whole by a patch, with a null inside of it; without one it stays, null takes it away", async () => {
    const { body } = await create({ filter });
    const id = body.subscriptionId;
    expect((await patch(id, { description: "x" })).body.filter).toEqual(filter);
    const other = { json: "/deleted_at", equals: null };
    expect((await patch(id, { filter: other })).body).toMatchObject({ filter: other, version: 3 });
    expect((await patch(id, { filter: { equals: null, json: "/deleted_at" } })).body.version).toBe(3);
    expect((await patch(id, { filter: null })).body.filter).toBeNull();
  });

  test("is no filter after a PUT that gives none", async () => {
    const put = (body: object) => relay.call("PUT", "/admin/sources/shop/subscriptions/erp", { url, ...body });
    expect((await put({ filter })).body.filter).toEqual(filter);
    expect((await put({})).body.filter).toBeNull();
  });

  test("is refused with its field and what would be right, and without a value", async () => {
    const refused = await create({
      filter: {
        all: [
          { json: "/a", exists: true },
          { json: "secret", equals: 1 },
        ],
      },
    });
    expect(refused.status).toBe(400);
    expect(refused.body.errors).toEqual([
      {
        field: "filter.all[1].json",
        reason: "must be a JSON pointer (RFC 6901): /id or /data/object/id, with ~0 for ~ and ~1 for /",
      },
    ]);
  });

  test("that is nested without end is refused", async () => {
    const deep = (levels: number) => `{"url":"${url}","filter":${'{"not":'.repeat(levels)}1${"}".repeat(levels)}}`;
    const post = (method: string, path: string, raw: string) =>
      relay.call(method, path, undefined, { raw, headers: { "content-type": "application/json" } });
    const refused = await post("POST", "/admin/sources/shop/subscriptions", deep(20_000));
    expect([refused.status, refused.body.errors[0].field]).toEqual([400, "filter.not.not.not.not.not.not"]);
    const { body } = await create({});
    const path = `/admin/subscriptions/${body.subscriptionId}`;
    expect((await post("PATCH", path, deep(20_000))).status).toBe(400);
  });

  test("has a schema that takes what the relay takes", () => {
    const schema = "#/components/schemas/SubscriptionInput";
    validate(schema, { url, filter }, "filter");
    validate(schema, { url, filter: null }, "none");
    validate("#/components/schemas/SubscriptionPatch", { filter }, "patch");
    for (const wrong of [
      {},
      { all: [] },
      { all: [filter], any: [filter] },
      { json: "/a" },
      { json: "/a", equals: 1, exists: true },
      { json: "/a", header: "a" },
      { header: "a", equals: 5 },
      { not: { json: "/a", equals: [] } },
    ]) {
      expect(() => validate(schema, { url, filter: wrong }, "filter")).toThrow();
    }
  });
});

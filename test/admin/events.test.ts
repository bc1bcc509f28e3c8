import { createHash, randomBytes } from "node:crypto";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { packContent } from "../../functions/core/content.js";
import { newDelivery } from "../../functions/core/delivery.js";
import { deliveryIdOf, eventIdFromKey } from "../../functions/core/ids.js";
import type { Headers } from "../../functions/core/model.js";
import { type AdminRelay, startAdminRelay } from "../support/admin-relay.js";

const receivedAtMs = Date.UTC(2026, 0, 31, 12);
const eventId = eventIdFromKey("shop", "provider-1");
const path = `/admin/events/${eventId}`;

describe("the admin API's events", () => {
  let relay: AdminRelay;

  beforeEach(async () => {
    relay = await startAdminRelay();
  });

  afterEach(() => relay.close());

  /** Stores the event as the delivery function would. */
  async function store(body: Buffer, headers: Headers = [], subscriptionIds: readonly string[] = []): Promise<void> {
    const packed = packContent({ headers, body });
    const small = packed.length < 8 * 1024;
    if (!small) relay.contents.set("bodies/key", packed);
    await relay.context.events.storeEvent({
      event: {
        eventId,
        sourceId: "shop",
        method: "POST",
        suffix: "/orders",
        query: "a=1&b=%20",
        type: "order.paid",
        receivedAtMs,
        bodySha256: createHash("sha256").update(body).digest("hex"),
        bodyBytes: body.length,
        verifiedBy: "sec_1",
        dedupeKey: "provider-1",
      },
      content: small ? { at: "inline", packed } : { at: "bucket", key: "bodies/key" },
      subscriptionIds,
    });
  }

  test("an event shows what was received, and its deliveries in the order of the subscriptions", async () => {
    const body = Buffer.from('{"id":7615917337495251231}');
    await store(
      body,
      [
        ["content-type", "application/json"],
        ["x-topic", "a,b"],
      ],
      ["sub_2", "sub_1"],
    );
    const origin = {
      deliveryId: deliveryIdOf(eventId, "sub_1"),
      eventId,
      sourceId: "shop",
      subscriptionId: "sub_1",
      bodySha256: "00",
      receivedAtMs,
    };
    await relay.context.deliveries.replaceDelivery(null, { ...newDelivery(origin, receivedAtMs), status: "delivered" });
    const { status, body: answer } = await relay.call("GET", path);
    expect(status).toBe(200);
    expect(answer).toEqual({
      eventId,
      sourceId: "shop",
      state: null,
      method: "POST",
      suffix: "/orders",
      query: "a=1&b=%20",
      type: "order.paid",
      receivedAt: "2026-01-31T12:00:00.000Z",
      bodySha256: createHash("sha256").update(body).digest("hex"),
      bodyBytes: 26,
      verifiedBy: "sec_1",
      dedupeKey: "provider-1",
      erasedAt: null,
      dedupeMissed: null,
      releasedFrom: null,
      quarantine: null,
      headers: { "content-type": "application/json", "x-topic": "a,b" },
      deliveries: [
        expect.objectContaining({ deliveryId: deliveryIdOf(eventId, "sub_2"), status: "pending", attempts: [] }),
        expect.objectContaining({ deliveryId: deliveryIdOf(eventId, "sub_1"), status: "delivered" }),
      ],
    });
  });

  test("a delivery that has expired is left out, not shown as pending", async () => {
    await store(Buffer.from("{}"), [], ["sub_1"]);
    relay.clock.nowMs = receivedAtMs + 31 * 86_400_000;
    expect((await relay.call("GET", path)).body.deliveries).toEqual([]);
  });

  test("an event that is not stored is not yet processed; what cannot be an id of ours is unknown", async () => {
    const absent = await relay.call("GET", path);
    expect([absent.status, absent.body.code]).toEqual([404, "not_yet_processed"]);
    const unknown = await relay.call("GET", "/admin/events/evt_1");
    expect([unknown.status, unknown.body.code]).toEqual([404, "unknown_event"]);
    expect((await relay.call("GET", `${path}/body`)).body.code).toBe("not_yet_processed");
  });

  test("a body is a download, byte for byte, whatever type it claims to have", async () => {
    const body = Buffer.from([0x3c, 0x73, 0xff, 0xfe, 0x00, 0x0a]);
    await store(body, [["content-type", "text/html"]]);
    const answer = await relay.call("GET", `${path}/body`);
    expect(answer.status).toBe(200);
    expect(answer.bytes).toEqual(body);
    expect(answer.headers).toMatchObject({
      "content-type": "application/octet-stream",
      "content-disposition": `attachment; filename="${eventId}.body"`,
      "x-content-type-options": "nosniff",
      "steadyhook-original-content-type": "text/html",
    });
  });

  test("an empty body is an empty download", async () => {
    await store(Buffer.alloc(0));
    expect((await relay.call("GET", `${path}/body`)).bytes.length).toBe(0);
  });

  test("a body of up to 4 MB is in the answer, a larger one is at a URL", async () => {
    const limit = 4 * 1024 * 1024;
    await store(Buffer.alloc(limit, "ab"));
    expect((await relay.call("GET", `${path}/body`)).bytes.length).toBe(limit);
    relay.contents.set("bodies/key", packContent({ headers: [], body: Buffer.alloc(limit + 1, "ab") }));
    const redirected = await relay.call("GET", `${path}/body`);
    expect([redirected.status, redirected.headers["location"]]).toEqual([
      302,
      `https://bucket.example/${eventId}?bytes=${limit + 1}`,
    ]);
  });

  test("content that is no longer stored is 404, not a fault", async () => {
    await store(randomBytes(20_000));
    relay.contents.clear();
    const { status, body } = await relay.call("GET", path);
    expect([status, body.code]).toEqual([404, "content_expired"]);
  });
});

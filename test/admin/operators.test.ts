import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { probeLeaseMs, startProbe } from "../../functions/core/circuit.js";
import { packContent, unpackContent } from "../../functions/core/content.js";
import { newDelivery } from "../../functions/core/delivery.js";
import { deliveryIdOf, eventIdFromKey } from "../../functions/core/ids.js";
import type { Attempt, Delivery, EventMeta, Gate } from "../../functions/core/model.js";
import { withTick } from "../../functions/core/ticks.js";
import { type AdminRelay, startAdminRelay } from "../support/admin-relay.js";
import { anEvent } from "../support/builders.js";
import { withoutTrail } from "../support/table-dump.js";

const dayMs = 86_400_000;
const url = "https://destination.example/hooks";
const body = Buffer.from('{"patient":"a very private matter"}');

let relay: AdminRelay;
let subscriptionId: string;
beforeEach(async () => {
  relay = await startAdminRelay();
  await relay.call("POST", "/admin/sources", { sourceId: "shop" });
  subscriptionId = await subscribe("shop");
});
afterEach(() => relay.close());

async function subscribe(sourceId: string, overrides: object = {}): Promise<string> {
  const { body: made } = await relay.call("POST", `/admin/sources/${sourceId}/subscriptions`, { url, ...overrides });
  return made.subscriptionId;
}

const failed: Attempt = {
  number: 1,
  startedAtMs: 0,
  delaySeconds: 0,
  outcome: "retryable",
  statusCode: 503,
  error: null,
  durationMs: 5,
  retryAfterSeconds: null,
  preview: Buffer.from("you sent: a very private matter").toString("base64"),
};

/** A stored event and its delivery; dead, unless something else is said. */
async function store(key = "1", overrides: Partial<Delivery> = {}, ageMs = 3_600_000): Promise<Delivery> {
  const receivedAtMs = relay.clock.nowMs - ageMs;
  const event: EventMeta = {
    ...anEvent(body, { eventId: eventIdFromKey("shop", key), sourceId: "shop", receivedAtMs }),
    query: "name=private",
    suffix: "/private",
  };
  const packed = packContent({ headers: [["x-name", "private"]], body });
  await relay.context.events.storeEvent({
    event,
    content: { at: "inline", packed },
    subscriptionIds: [subscriptionId],
  });
  const deliveryId = deliveryIdOf(event.eventId, subscriptionId);
  const origin = { deliveryId, eventId: event.eventId, sourceId: "shop", subscriptionId, receivedAtMs };
  const delivery: Delivery = {
    ...newDelivery({ ...origin, bodySha256: event.bodySha256 }, receivedAtMs),
    status: "dead_lettered",
    deadLetterReason: "exhausted",
    attemptsStarted: 1,
    attempts: [failed],
    ...overrides,
  };
  await relay.context.deliveries.replaceDelivery(null, delivery);
  return delivery;
}

const replay = (deliveryId: string, given: object = {}, key?: string) =>
  relay.call("POST", `/admin/deliveries/${deliveryId}/replay`, given, {
    headers: key === undefined ? {} : { "idempotency-key": key },
  });

const parked = { status: "parked", deadLetterReason: null, parkedUntilMs: Date.UTC(2026, 1, 20) } as const;
const attempting = {
  status: "attempting",
  deadLetterReason: null,
  claim: { attempt: 1, token: "t", guard: "m", startedAtMs: 0, delaySeconds: 0, leaseUntilMs: Date.UTC(2027, 0, 1) },
} as const;

describe("a replay", () => {
  test("is a new delivery of the same event, stored and sent; original and replay name each other", async () => {
    const original = await store();
    const { status, headers, body: made } = await replay(original.deliveryId);
    expect(status).toBe(201);
    expect(headers["location"]).toBe(`/admin/deliveries/${made.deliveryId}`);
    expect(made).toMatchObject({
      status: "pending",
      replayOf: original.deliveryId,
      eventId: original.eventId,
      subscriptionId,
      attemptsStarted: 0,
      createdAt: "2026-01-31T12:00:00.000Z",
    });
    expect(relay.sent).toMatchObject([{ deliveryId: made.deliveryId, attempt: 1, stored: true }]);
    const { body: seen } = await relay.call("GET", `/admin/deliveries/${original.deliveryId}`);
    expect(seen.replayedAs).toEqual([made.deliveryId]);
    const { body: event } = await relay.call("GET", `/admin/events/${original.eventId}`);
    expect(event.deliveries.map((each: { deliveryId: string }) => each.deliveryId)).toEqual([
      original.deliveryId,
      made.deliveryId,
    ]);
    const { body: list } = await relay.call("GET", "/admin/deliveries", undefined, { query: "sourceId=shop" });
    expect(list.items[0]).toMatchObject({ deliveryId: made.deliveryId, replayOf: original.deliveryId });
  });

  test("that is asked for again with its key is the same one, sent again while it waits; without a key another", async () => {
    const { deliveryId } = await store();
    const [first, again] = [await replay(deliveryId, {}, "ticket"), await replay(deliveryId, {}, "ticket")];
    expect(again.body).toEqual(first.body);
    expect(relay.sent).toHaveLength(2);
    const others = [await replay(deliveryId), await replay(deliveryId), await replay(deliveryId, {}, "another")];
    expect(new Set([first, ...others].map((each) => each.body.deliveryId)).size).toBe(4);
  });

  test("that broke off after any of its writes is completed by the same call", async () => {
    const { deliveryId } = await store();
    for (const [port, method] of [
      ["deliveries", "noteReplay"],
      ["deliveries", "replaceDelivery"],
      ["queue", "sendDeliveries"],
    ] as const) {
      const target = relay.context[port] as unknown as Record<string, (...args: unknown[]) => Promise<unknown>>;
      const original = (target[method] as () => Promise<unknown>).bind(target);
      target[method] = async (...args: unknown[]) => {
        await (original as (...args: unknown[]) => Promise<unknown>)(...args);
        throw new Error("the function is gone");
      };
      expect((await replay(deliveryId, {}, method)).status).toBe(500);
      target[method] = original;
      const { body: made } = await replay(deliveryId, {}, method);
      expect(made.status).toBe("pending");
      expect(relay.sent.some((message) => message.deliveryId === made.deliveryId)).toBe(true);
    }
  });

  test("goes to any other live subscription, and to none that is deleted", async () => {
    await relay.call("POST", "/admin/sources", { sourceId: "other" });
    const elsewhere = await subscribe("other", { types: ["nothing.of.the.kind"] });
    const { deliveryId } = await store();
    const { body: made } = await replay(deliveryId, { subscriptionId: elsewhere }, "k");
    expect(made).toMatchObject({ subscriptionId: elsewhere, sourceId: "other" });
    expect(await replay(deliveryId, {}, "k")).toMatchObject({ status: 409, body: { code: "idempotency_key_used" } });
    await relay.call("DELETE", `/admin/subscriptions/${elsewhere}`);
    const gone = await replay(deliveryId, { subscriptionId: elsewhere });
    expect(gone).toMatchObject({ status: 404, body: { code: "unknown_subscription" } });
    await relay.call("DELETE", `/admin/subscriptions/${subscriptionId}`);
    expect(await replay(deliveryId)).toMatchObject({ status: 409, body: { code: "target_deleted" } });
  });

  test("of what is open, expiring or unknown is refused, and leaves nothing behind", async () => {
    const open = await store("1", parked);
    const old = await store("2", {}, 36 * dayMs);
    const before = await withoutTrail(relay.table);
    expect(await replay(open.deliveryId)).toMatchObject({ status: 409, body: { code: "not_final" } });
    // The delivery itself is over its time as well: what is left of it is read as if it were not.
    const findDelivery = relay.context.deliveries.findDelivery;
    relay.context.deliveries.findDelivery = async () => old;
    expect(await replay(old.deliveryId)).toMatchObject({ status: 410, body: { code: "content_expired" } });
    relay.context.deliveries.findDelivery = findDelivery;
    expect(await replay("dlv_none")).toMatchObject({ status: 404, body: { code: "unknown_delivery" } });
    expect(await replay(open.deliveryId, { subscription: "x" })).toMatchObject({ status: 400 });
    expect(await replay(open.deliveryId, {}, "k".repeat(257))).toMatchObject({ status: 400 });
    expect(await withoutTrail(relay.table)).toBe(before);
    expect(relay.sent).toEqual([]);
  });

  test("is the last one of a hundred", async () => {
    const replayedAs = Array.from({ length: 100 }, (_value, number) => `dlv_${number}`);
    const original = await store();
    let known: readonly string[] = [];
    for (const id of replayedAs) {
      await relay.context.deliveries.noteReplay(
        { ...original, ...(known.length > 0 ? { replayedAs: known } : {}) },
        id,
      );
      known = [...known, id];
    }
    expect(await replay(original.deliveryId)).toMatchObject({ status: 409, body: { code: "too_many_replays" } });
  });
});

/** Makes the delivery the probe of its gate's open circuit. */
async function probeWith(deliveryId: string): Promise<void> {
  const { context, clock } = relay;
  const gate = (await context.subscriptions.findSubscription(subscriptionId))?.gate as Gate;
  const circuit = { openedAtMs: 0, probeAtMs: clock.nowMs, probes: 0, refusedProbes: 0 };
  const probing = startProbe({ ...gate, circuit }, deliveryId, clock.nowMs) as Gate;
  await context.subscriptions.moveGate(gate, withTick(probing, clock.nowMs + probeLeaseMs));
}

/** The circuit is open, and a tick comes for its next probe now. */
async function expectProbeGivenBack(): Promise<void> {
  const gate = (await relay.context.subscriptions.findSubscription(subscriptionId))?.gate;
  expect(gate).toMatchObject({ circuit: { probes: 0 }, tick: { dueAtMs: relay.clock.nowMs } });
  expect(gate?.circuit?.probe).toBeUndefined();
  expect(relay.ticks).toMatchObject([{ kind: "tick", subscriptionId, seq: gate?.tick?.seq }]);
}

describe("a cancellation", () => {
  const cancel = (deliveryId: string) => relay.call("POST", `/admin/deliveries/${deliveryId}/cancel`, {});

  test.each<[string, Partial<Delivery>]>([
    ["parked", parked],
    ["pending", { status: "pending", deadLetterReason: null, attemptsStarted: 0, attempts: [] }],
    ["retry_scheduled", { status: "retry_scheduled", deadLetterReason: null, nextAttemptAtMs: 1, nextDelaySeconds: 1 }],
  ])("ends a delivery that is %s, quietly, and may be repeated", async (_status, overrides) => {
    const { deliveryId } = await store("1", overrides);
    const cancelled = await cancel(deliveryId);
    expect(cancelled).toMatchObject({
      status: 200,
      body: { status: "dead_lettered", deadLetterReason: "cancelled", nextAttemptAt: null },
    });
    expect((await cancel(deliveryId)).body).toEqual(cancelled.body);
    expect(relay.sent).toEqual([]);
  });

  test("of a probe gives it back, once", async () => {
    const { deliveryId } = await store("1", parked);
    await probeWith(deliveryId);
    await cancel(deliveryId);
    await expectProbeGivenBack();
    await cancel(deliveryId);
    await expectProbeGivenBack();
  });

  test("of one that is being attempted, or has ended, is refused", async () => {
    const open = await store("1", attempting);
    const refused = await cancel(open.deliveryId);
    expect(refused).toMatchObject({ status: 409, body: { code: "attempt_under_way" } });
    expect(refused.body.detail).toContain("2027-01-01T00:00:00.000Z");
    const { deliveryId } = await store("2");
    expect(await cancel(deliveryId)).toMatchObject({ status: 409, body: { code: "already_final" } });
    expect(await cancel("dlv_none")).toMatchObject({ status: 404 });
  });
});

describe("a test event", () => {
  test("is an ordinary event with one delivery, whatever the subscription takes", async () => {
    const picky = await subscribe("shop", { types: ["invoice.*"], filter: { header: "x", exists: true } });
    const { status, body: made } = await relay.call("POST", `/admin/subscriptions/${picky}/test`, {});
    expect(status).toBe(202);
    expect(relay.sent).toMatchObject([
      { deliveryId: made.deliveryId, subscriptionId: picky, attempt: 1, stored: true },
    ]);
    const { body: event } = await relay.call("GET", `/admin/events/${made.eventId}`);
    expect(event).toMatchObject({ type: "steadyhook.test", sourceId: "shop", method: "POST" });
    expect(event.deliveries).toMatchObject([{ deliveryId: made.deliveryId, subscriptionId: picky, replayOf: null }]);
    const { bytes } = await relay.call("GET", `/admin/events/${made.eventId}/body`);
    expect(JSON.parse(bytes.toString())).toMatchObject({ type: "steadyhook.test", subscriptionId: picky });
  });

  test("has the type and body that are asked for; a large body rests in the bucket", async () => {
    const given = { type: "invoice.paid", body: { text: "ü".repeat(20_000) + Math.random() } };
    const random = { text: Array.from({ length: 4_000 }, () => Math.random().toString(36)).join("") };
    for (const each of [given, { ...given, body: random }]) {
      const { body: made } = await relay.call("POST", `/admin/subscriptions/${subscriptionId}/test`, each);
      const { bytes } = await relay.call("GET", `/admin/events/${made.eventId}/body`);
      expect(JSON.parse(bytes.toString())).toEqual(each.body);
    }
    expect(relay.contents.size).toBe(1);
    const refused = await relay.call("POST", `/admin/subscriptions/${subscriptionId}/test`, { type: "a b" });
    expect(refused).toMatchObject({ status: 400, body: { errors: [{ field: "type" }] } });
    expect((await relay.call("POST", "/admin/subscriptions/sub_none/test", {})).status).toBe(404);
  });
});

describe("an erasure", () => {
  const erase = (eventId: string) => relay.call("DELETE", `/admin/events/${eventId}`);

  test("leaves nothing of what was sent and answered, on replays neither, and may be repeated", async () => {
    const original = await store();
    const { body: made } = await replay(original.deliveryId);
    const stored = await relay.context.deliveries.findDelivery(made.deliveryId);
    const answered = { ...(stored as Delivery), attempts: [failed], attemptsStarted: 1 };
    await relay.context.deliveries.replaceDelivery(stored, { ...answered, ...parked });
    relay.contents.set(`bodies/${original.eventId}/x`, body);
    relay.contents.set("bodies/evt_another/x", body);
    const erased = await erase(original.eventId);
    expect(erased).toMatchObject({ status: 200, body: { eventId: original.eventId, deliveries: 2 } });
    expect([...relay.contents.keys()]).toEqual(["bodies/evt_another/x"]);
    const left = await withoutTrail(relay.table);
    const packed = packContent({ headers: [["x-name", "private"]], body });
    for (const secret of [failed.preview as string, "private", JSON.stringify(packed)])
      expect(left).not.toContain(secret);
    expect(left).not.toContain(JSON.stringify(Buffer.from(original.bodySha256, "hex").toJSON().data));
    relay.clock.nowMs += 60_000;
    expect((await erase(original.eventId)).body).toEqual(erased.body);
  });

  test("keeps the ledger, cancels what is open, and is told by event, body and replay", async () => {
    const original = await store("1", { ...parked });
    await erase(original.eventId);
    const { body: event } = await relay.call("GET", `/admin/events/${original.eventId}`);
    expect(event).toMatchObject({ headers: {}, query: "", bodySha256: null, erasedAt: "2026-01-31T12:00:00.000Z" });
    expect(event.deliveries).toMatchObject([
      { status: "dead_lettered", deadLetterReason: "cancelled", attempts: [{ number: 1, statusCode: 503 }] },
    ]);
    expect(event.deliveries[0].erasedAt).toBe("2026-01-31T12:00:00.000Z");
    const gone = { status: 410, body: { code: "erased" } };
    expect(await relay.call("GET", `/admin/events/${original.eventId}/body`)).toMatchObject(gone);
    expect(await replay(original.deliveryId)).toMatchObject(gone);
  });

  test("gives back the probe that one of its deliveries was to be", async () => {
    const { eventId, deliveryId } = await store("1", parked);
    await probeWith(deliveryId);
    await erase(eventId);
    await expectProbeGivenBack();
  });

  test("ends deliveries that have not begun, so that their messages find them ended", async () => {
    const { eventId } = await store();
    await relay.context.events.addSubscription(eventId, "sub_late");
    await erase(eventId);
    const late = await relay.context.deliveries.findDelivery(deliveryIdOf(eventId, "sub_late"));
    expect(late).toMatchObject({ status: "dead_lettered", deadLetterReason: "cancelled", attemptsStarted: 0 });
  });

  test("waits for an attempt that is under way, and erases nothing until then", async () => {
    const { eventId } = await store("1", attempting);
    expect(await erase(eventId)).toMatchObject({ status: 409, body: { code: "attempt_under_way" } });
    const stored = await relay.context.events.findEvent(eventId);
    expect(stored?.content.at === "inline" && unpackContent(stored.content.packed).body).toEqual(body);
    expect((await erase("evt_none")).status).toBe(404);
  });

  test("that broke off in its middle is completed by the next one", async () => {
    const { eventId, deliveryId } = await store();
    const { events } = relay.context;
    const eraseEvent = events.eraseEvent.bind(events);
    events.eraseEvent = async (...args) => {
      await eraseEvent(...args);
      throw new Error("the function is gone");
    };
    expect((await erase(eventId)).status).toBe(500);
    events.eraseEvent = eraseEvent;
    expect((await erase(eventId)).status).toBe(200);
    expect((await relay.context.deliveries.findDelivery(deliveryId))?.attempts[0]).not.toHaveProperty("preview");
  });
});

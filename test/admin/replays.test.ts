import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { newDelivery } from "../../functions/core/delivery.js";
import { deliveryIdOf, eventIdFromKey } from "../../functions/core/ids.js";
import type { Delivery } from "../../functions/core/model.js";
import { type AdminRelay, startAdminRelay } from "../support/admin-relay.js";

const url = "https://destination.example/hooks";

let relay: AdminRelay;
let subscriptionIds: readonly string[];
beforeEach(async () => {
  relay = await startAdminRelay();
  await relay.call("POST", "/admin/sources", { sourceId: "shop" });
  const made = [1, 2].map(() => relay.call("POST", "/admin/sources/shop/subscriptions", { url }));
  subscriptionIds = (await Promise.all(made)).map(({ body }) => body.subscriptionId).toSorted();
});
afterEach(() => relay.close());

/** A dead delivery of its own event, an hour old. */
async function store(number: number, overrides: Partial<Delivery> = {}): Promise<Delivery> {
  const subscriptionId = overrides.subscriptionId ?? (subscriptionIds[0] as string);
  const receivedAtMs = relay.clock.nowMs - 3_600_000 + number;
  const eventId = eventIdFromKey("shop", `key-${number}`);
  const deliveryId = deliveryIdOf(eventId, subscriptionId);
  const origin = { deliveryId, eventId, sourceId: "shop", subscriptionId, receivedAtMs, bodySha256: "00".repeat(32) };
  const dead = { status: "dead_lettered", deadLetterReason: "exhausted" } as const;
  const delivery: Delivery = { ...newDelivery(origin, receivedAtMs), ...dead, ...overrides };
  await relay.context.deliveries.replaceDelivery(null, delivery);
  return delivery;
}

const create = (given: object) => relay.call("POST", "/admin/replays", given);

describe("a dry run", () => {
  test("says what would be replayed and skipped, by subscription, and leaves no trace", async () => {
    const other = subscriptionIds[1] as string;
    for (const number of [1, 2, 3]) await store(number);
    await store(4, { subscriptionId: other });
    await store(5, { subscriptionId: other, deadLetterReason: "cancelled" });
    await store(6, { subscriptionId: other, erasedAtMs: 1 });
    const { status, body } = await create({ filter: {}, dryRun: true, perSecond: 3 });
    expect(status).toBe(200);
    expect(body).toEqual({
      dryRun: true,
      matched: 6,
      atLeast: false,
      replay: 4,
      skipped: { cancelled: 1, erased: 1 },
      seconds: 2,
      bySubscription: [
        { sourceId: "shop", subscriptionId: subscriptionIds[0], matched: 3, replay: 3, skipped: {} },
        { sourceId: "shop", subscriptionId: other, matched: 3, replay: 1, skipped: { cancelled: 1, erased: 1 } },
      ].toSorted((a, b) => (a.subscriptionId as string).localeCompare(b.subscriptionId as string)),
    });
    expect((await relay.call("GET", "/admin/replays")).body.items).toEqual([]);
    const { body: trail } = await relay.call("GET", "/admin/audit");
    expect(trail.items.map((each: { operation: string }) => each.operation)).not.toContain("replay.create");
  });

  test.each<[object, number]>([
    [{ reason: "exhausted" }, 2],
    [{ reason: "permanent" }, 1],
    [{ statusCode: 503 }, 1],
    [{ error: "refused" }, 1],
    [{ status: "delivered" }, 1],
    [{ status: "delivered", sourceId: "shop" }, 1],
    [{ sourceId: "shop" }, 3],
    [{ sourceId: "none" }, 0],
    [{ since: "2026-01-31T11:00:00.002Z" }, 2],
    [{ until: "2026-01-31T11:00:00.002Z" }, 1],
  ])("counts what the filter %j takes", async (filter, expected) => {
    const attempt = { number: 1, startedAtMs: 0, delaySeconds: 0, durationMs: 1, retryAfterSeconds: null };
    const failed = { ...attempt, outcome: "retryable" } as const;
    await store(1, { attempts: [{ ...failed, statusCode: 503, error: null }] });
    await store(2, { attempts: [{ ...failed, statusCode: null, error: "refused" }] });
    await store(3, { deadLetterReason: "permanent", attempts: [{ ...failed, statusCode: 422, error: null }] });
    await store(4, { status: "delivered", deadLetterReason: null });
    await store(5, { status: "parked", deadLetterReason: null, parkedUntilMs: 1 });
    expect((await create({ filter, dryRun: true })).body.matched).toBe(expected);
  });
});

describe("a bulk replay", () => {
  test("is begun with an estimate, shown, listed, and its first tick is sent", async () => {
    await store(1);
    await store(2, { deadLetterReason: "cancelled" });
    const { status, headers, body } = await relay.call(
      "POST",
      "/admin/replays",
      { filter: {} },
      {
        headers: { "steadyhook-reason": "warehouse%20%C3%BC" },
        userArn: "arn:aws:iam::1:user/alex",
      },
    );
    expect(status).toBe(201);
    expect(headers["location"]).toBe(`/admin/replays/${body.replayId}`);
    expect(body).toMatchObject({
      state: "running",
      by: "arn:aws:iam::1:user/alex",
      reason: "warehouse ü",
      estimate: { matched: 2, toReplay: 1, atLeast: false },
      replayed: 0,
      secondsLeft: 1,
      perSecond: 10,
      filter: { status: "dead_lettered", subscriptionId: null },
    });
    expect(relay.ticks).toEqual([{ v: 1, kind: "replay", replayId: body.replayId, seq: 1 }]);
    expect((await relay.call("GET", `/admin/replays/${body.replayId}`)).body).toEqual(body);
    expect((await relay.call("GET", "/admin/replays")).body.items).toEqual([body]);
    expect(await relay.call("GET", "/admin/replays/rpl_none")).toMatchObject({ body: { code: "unknown_replay" } });
  });

  test("is paused, resumed with a new chain of ticks, made faster, and cancelled for good", async () => {
    await store(1);
    const { replayId } = (await create({ filter: {} })).body;
    const path = `/admin/replays/${replayId}`;
    const paused = await relay.call("PATCH", path, { state: "paused", perSecond: 50 });
    expect(paused.body).toMatchObject({ state: "paused", perSecond: 50, endedAt: null });
    expect(relay.ticks).toHaveLength(1);
    expect((await relay.call("PATCH", path, { state: "running" })).body.state).toBe("running");
    expect(relay.ticks.at(-1)).toMatchObject({ replayId, seq: 2 });
    // It runs already: nobody needs another chain.
    await relay.call("PATCH", path, { state: "running" });
    expect(relay.ticks).toHaveLength(2);
    relay.clock.nowMs += 120_000;
    await relay.call("PATCH", path, { state: "running" });
    expect(relay.ticks.at(-1)).toMatchObject({ replayId, seq: 3 });
    const cancelled = await relay.call("DELETE", path);
    expect(cancelled.body).toMatchObject({
      state: "cancelled",
      endedAt: "2026-01-31T12:02:00.000Z",
      secondsLeft: null,
    });
    for (const again of [relay.call("DELETE", path), relay.call("PATCH", path, { state: "running" })]) {
      expect(await again).toMatchObject({ status: 409, body: { code: "replay_ended" } });
    }
  });

  test("is one of three at the most", async () => {
    const made = [await create({ filter: {} }), await create({ filter: {} }), await create({ filter: {} })];
    await relay.call("PATCH", `/admin/replays/${made[0]?.body.replayId}`, { state: "paused" });
    expect(await create({ filter: {} })).toMatchObject({ status: 409, body: { code: "too_many_running" } });
    await relay.call("DELETE", `/admin/replays/${made[1]?.body.replayId}`);
    expect((await create({ filter: {} })).status).toBe(201);
  });

  test.each<[string, object]>([
    ["filter", {}],
    ["filter.reason", { filter: { reason: "cancelled" } }],
    ["filter.state", { filter: { state: "parked" } }],
    ["filter.statusCode", { filter: { statusCode: 1 } }],
    ["until", { filter: { since: "2026-01-31T12:00:00Z", until: "2026-01-31T11:00:00Z" } }],
    ["perSecond", { filter: {}, perSecond: 101 }],
  ])("with a wrong %s is refused", async (field, given) => {
    const { status, body } = await create(given);
    expect([status, body.errors.map((each: { field: string }) => each.field)]).toEqual([400, [field]]);
    expect(relay.ticks).toEqual([]);
  });

  test("to a deleted subscription is refused", async () => {
    await relay.call("DELETE", `/admin/subscriptions/${subscriptionIds[1]}`);
    const refused = await create({ filter: {}, subscriptionId: subscriptionIds[1] });
    expect(refused).toMatchObject({ status: 404, body: { code: "unknown_subscription" } });
  });
});

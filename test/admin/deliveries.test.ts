import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { AdminContext } from "../../functions/app/admin/context.js";
import { newDelivery } from "../../functions/core/delivery.js";
import type { Attempt, Delivery } from "../../functions/core/model.js";
import { type AdminRelay, startAdminRelay } from "../support/admin-relay.js";

const startMs = Date.UTC(2026, 0, 31, 12);

const failedAttempt: Attempt = {
  number: 1,
  startedAtMs: startMs,
  delaySeconds: 0,
  outcome: "retryable",
  statusCode: 503,
  error: null,
  durationMs: 41,
  retryAfterSeconds: null,
};

describe("the admin API's deliveries", () => {
  let relay: AdminRelay;
  let subscriptionIds: string[];

  beforeEach(async () => {
    relay = await startAdminRelay();
    subscriptionIds = [];
    for (const sourceId of ["a", "a", "b"]) {
      await relay.call("POST", "/admin/sources", { sourceId });
      const created = await relay.call("POST", `/admin/sources/${sourceId}/subscriptions`, {
        url: "https://destination.example/",
      });
      subscriptionIds.push(created.body.subscriptionId);
    }
  });

  afterEach(() => relay.close());

  /** Stores a delivery as the delivery function would: by one write that replaces nothing. */
  async function store(name: string, given: Partial<Delivery> = {}): Promise<void> {
    const origin = {
      deliveryId: `dlv_${name}`,
      eventId: "evt_1",
      sourceId: "a",
      subscriptionId: subscriptionIds[0] as string,
      bodySha256: "00".repeat(32),
      receivedAtMs: startMs,
    };
    const delivery: Delivery = { ...newDelivery(origin, startMs), status: "delivered", ...given };
    expect(await relay.context.deliveries.replaceDelivery(null, delivery)).toBe(true);
  }

  const list = (query: string) => relay.call("GET", "/admin/deliveries", undefined, { query });
  const names = (body: { items: { deliveryId: string }[] }) => body.items.map(({ deliveryId }) => deliveryId.slice(4));

  /** Follows the cursors to the end. */
  async function listAll(query: string): Promise<string[]> {
    const seen: string[] = [];
    for (let cursor: string | null = ""; cursor !== null; ) {
      const { status, body } = await list(cursor === "" ? query : `${query}&cursor=${cursor}`);
      expect(status).toBe(200);
      seen.push(...names(body));
      cursor = body.cursor;
    }
    return seen;
  }

  test("a delivery shows every attempt, when the next is due, and what the destination answered", async () => {
    const preview = Buffer.from('<script>\u0007"\u00e9').toString("base64");
    await store("1", {
      status: "retry_scheduled",
      attemptsStarted: 1,
      attempts: [{ ...failedAttempt, preview, previewCut: true, timings: { connectMs: 3 } }],
      nextAttemptAtMs: startMs + 30_000,
      nextDelaySeconds: 30,
    });
    const { status, body } = await relay.call("GET", "/admin/deliveries/dlv_1");
    expect(status).toBe(200);
    expect(body).toEqual({
      deliveryId: "dlv_1",
      eventId: "evt_1",
      sourceId: "a",
      subscriptionId: subscriptionIds[0],
      status: "retry_scheduled",
      attemptsStarted: 1,
      attemptsDropped: 0,
      attempts: [
        {
          number: 1,
          startedAt: "2026-01-31T12:00:00.000Z",
          delaySeconds: 0,
          outcome: "retryable",
          statusCode: 503,
          error: null,
          durationMs: 41,
          retryAfterSeconds: null,
          timings: { connectMs: 3 },
          preview: { base64: preview, text: '<script>\\u{7}"é', cut: true, lossy: true },
        },
      ],
      currentAttempt: null,
      nextAttemptAt: "2026-01-31T12:00:30.000Z",
      nextDelaySeconds: 30,
      deadLetterReason: null,
      receivedAt: "2026-01-31T12:00:00.000Z",
      createdAt: "2026-01-31T12:00:00.000Z",
      updatedAt: "2026-01-31T12:00:00.000Z",
      replayOf: null,
      replayedAs: [],
      erasedAt: null,
    });
    const listed = await list(`subscriptionId=${subscriptionIds[0]}`);
    expect(listed.body.items).toEqual([{ ...body, attempts: [expect.not.objectContaining({ preview: preview })] }]);
  });

  test.each<[what: string, bytes: Buffer, cut: boolean, text: string, lossy: boolean]>([
    ["plain text", Buffer.from("busy\n"), false, "busy\n", false],
    ["text that was cut inside a character", Buffer.from("é").subarray(0, 1), true, "", false],
    ["text that ends inside a character", Buffer.from("é").subarray(0, 1), false, "\ufffd", true],
    ["a byte order mark", Buffer.from("\ufeffa"), false, "\\u{feff}a", true],
    ["compressed bytes", Buffer.from([0x1f, 0x8b, 8]), false, "\\u{1f}\ufffd\\u{8}", true],
  ])("the preview of %s says whether its text is what came", async (_what, bytes, cut, text, lossy) => {
    const attempt = { ...failedAttempt, preview: bytes.toString("base64"), previewCut: cut };
    await store("1", { status: "delivered", attemptsStarted: 1, attempts: [attempt] });
    const { body } = await relay.call("GET", "/admin/deliveries/dlv_1");
    expect(body.attempts[0].preview).toEqual({ base64: bytes.toString("base64"), text, cut, lossy });
  });

  test("an attempt that is under way is shown without its token", async () => {
    const claim = { attempt: 1, token: "tok", guard: "msg", leaseUntilMs: 0, startedAtMs: startMs, delaySeconds: 0 };
    await store("1", { status: "attempting", attemptsStarted: 1, claim });
    const { body } = await relay.call("GET", "/admin/deliveries/dlv_1");
    expect(body.currentAttempt).toEqual({ number: 1, startedAt: "2026-01-31T12:00:00.000Z", delaySeconds: 0 });
    expect(JSON.stringify(body)).not.toMatch(/tok"|msg"/);
  });

  test("an unknown delivery is 404", async () => {
    const { status, body } = await relay.call("GET", "/admin/deliveries/dlv_none");
    expect([status, body.code]).toEqual([404, "unknown_delivery"]);
  });

  test("a subscription's deliveries come newest first, and neither skipped nor repeated", async () => {
    const count = 23;
    for (let index = 0; index < count; index += 1) {
      // Several at the same millisecond, as a burst brings them.
      await store(String(index).padStart(2, "0"), { createdAtMs: startMs + Math.floor(index / 4) });
    }
    await store("other", { subscriptionId: subscriptionIds[1] as string });
    const seen = await listAll(`subscriptionId=${subscriptionIds[0]}&limit=5`);
    expect(seen).toEqual(Array.from({ length: count }, (_, index) => String(count - 1 - index).padStart(2, "0")));
  });

  test("what arrives while pages are read does not disturb them", async () => {
    for (const name of ["1", "2", "3", "4"]) await store(name, { createdAtMs: startMs + Number(name) });
    const query = `subscriptionId=${subscriptionIds[0]}&limit=2`;
    const first = (await list(query)).body;
    await store("5", { createdAtMs: startMs + 5 });
    const second = (await list(`${query}&cursor=${first.cursor}`)).body;
    expect([...names(first), ...names(second)]).toEqual(["4", "3", "2", "1"]);
  });

  test("a retry that moves on between two pages is listed once", async () => {
    for (const second of [1, 2, 3]) {
      await store(`${second}`, { status: "retry_scheduled", nextAttemptAtMs: startMs + second * 1_000 });
    }
    const seen: string[] = [];
    for (let cursor: string | null = ""; cursor !== null; ) {
      const { body } = await list(`status=retry_scheduled&limit=1${cursor === "" ? "" : `&cursor=${cursor}`}`);
      seen.push(...names(body));
      for (const name of seen) {
        const stored = (await relay.context.deliveries.findDelivery(`dlv_${name}`)) as Delivery;
        const moved = { ...stored, nextAttemptAtMs: startMs + 3_600_000 };
        await relay.context.deliveries.replaceDelivery(stored, moved);
      }
      cursor = body.cursor;
    }
    expect([seen.length, new Set(seen)]).toEqual([3, new Set(["1", "2", "3"])]);
  });

  test("a source's deliveries are those of its subscriptions, deleted ones included", async () => {
    await store("a1", { createdAtMs: startMs + 1 });
    await store("a2", { createdAtMs: startMs + 2, subscriptionId: subscriptionIds[1] as string });
    await store("b1", { createdAtMs: startMs + 3, subscriptionId: subscriptionIds[2] as string, sourceId: "b" });
    await relay.call("DELETE", `/admin/subscriptions/${subscriptionIds[1]}`);
    expect(await listAll("sourceId=a&limit=1")).toEqual(["a2", "a1"]);
    expect(await listAll("sourceId=none")).toEqual([]);
    expect(await listAll("limit=1")).toEqual(["b1", "a2", "a1"]);
    expect(await listAll(`sourceId=b&subscriptionId=${subscriptionIds[0]}`)).toEqual([]);
  });

  test("each status is found: by subscription, by source, and over all", async () => {
    const statuses = ["delivered", "attempting", "retry_scheduled", "parked", "dead_lettered"] as const;
    for (const [index, status] of statuses.entries()) {
      for (const which of [0, 2]) {
        await store(`${status}_${which}`, {
          status,
          createdAtMs: startMs + index,
          subscriptionId: subscriptionIds[which] as string,
          sourceId: which === 0 ? "a" : "b",
          nextAttemptAtMs: status === "retry_scheduled" ? startMs + 60_000 : null,
          deadLetterReason: status === "dead_lettered" ? "exhausted" : null,
        });
      }
    }
    for (const status of statuses) {
      expect(await listAll(`status=${status}&subscriptionId=${subscriptionIds[0]}`)).toEqual([`${status}_0`]);
      expect(await listAll(`status=${status}&sourceId=b`)).toEqual([`${status}_2`]);
      expect(new Set(await listAll(`status=${status}&limit=1`))).toEqual(new Set([`${status}_0`, `${status}_2`]));
    }
    expect(await listAll("status=pending")).toEqual([]);
  });

  test("since and until bound the time of creation, whichever list is read", async () => {
    for (const status of ["delivered", "dead_lettered"] as const) {
      for (const second of [0, 1, 2, 3]) {
        const atMs = startMs + second * 1000;
        await store(`${status}_${second}`, { status, createdAtMs: atMs, updatedAtMs: atMs + 500 });
      }
    }
    const bounds = "since=2026-01-31T12:00:01Z&until=2026-01-31T13:00:03%2B01:00";
    const subscription = `subscriptionId=${subscriptionIds[0]}`;
    expect(await listAll(`${subscription}&status=delivered&${bounds}`)).toEqual(["delivered_2", "delivered_1"]);
    const dead = ["dead_lettered_2", "dead_lettered_1"];
    expect(new Set(await listAll(`${subscription}&status=dead_lettered&${bounds}`))).toEqual(new Set(dead));
    expect(await listAll(`status=dead_lettered&${bounds}`)).toEqual(dead);
    expect(await listAll(`${bounds}&limit=1`)).toHaveLength(4);
  });

  test("a rare status among many ends in a cursor, and is found by following it", async () => {
    const many: Delivery[] = Array.from({ length: 2_500 }, (_, index) => ({
      ...newDelivery(
        {
          deliveryId: `dlv_${String(index).padStart(4, "0")}`,
          eventId: "evt_1",
          sourceId: "a",
          subscriptionId: subscriptionIds[0] as string,
          bodySha256: "00",
          receivedAtMs: startMs,
        },
        startMs + index,
      ),
      status: index === 3 ? "attempting" : "delivered",
    }));
    const scripted = await startAdminRelay(scriptedDeliveries(many));
    const query = `subscriptionId=${subscriptionIds[0]}&status=attempting`;
    const first = await scripted.call("GET", "/admin/deliveries", undefined, { query });
    expect(first.body.items).toEqual([]);
    const second = await scripted.call("GET", "/admin/deliveries", undefined, {
      query: `${query}&cursor=${first.body.cursor}`,
    });
    const third = await scripted.call("GET", "/admin/deliveries", undefined, {
      query: `${query}&cursor=${second.body.cursor}`,
    });
    expect([names(second.body), names(third.body), third.body.cursor]).toEqual([[], ["0003"], null]);
    await scripted.close();
  });

  test("a page of large deliveries ends before it is larger than Lambda answers with, and goes on", async () => {
    const location = "https://destination.example/".padEnd(2_000, "x");
    const large = Array.from({ length: 30 }, (_, index): Delivery => {
      const deliveryId = `dlv_${String(index).padStart(2, "0")}`;
      const origin = { deliveryId, eventId: "evt_1", sourceId: "a", subscriptionId: subscriptionIds[0] as string };
      const delivery = newDelivery({ ...origin, bodySha256: "00", receivedAtMs: startMs }, startMs + index);
      const attempts = Array.from({ length: 100 }, () => ({ ...failedAttempt, location }));
      return { ...delivery, status: "delivered", attempts };
    });
    const scripted = await startAdminRelay(scriptedDeliveries(large));
    const query = `subscriptionId=${subscriptionIds[0]}&limit=100`;
    const first = await scripted.call("GET", "/admin/deliveries", undefined, { query });
    expect(first.bytes.length).toBeLessThan(5_000_000);
    const rest = await scripted.call("GET", "/admin/deliveries", undefined, {
      query: `${query}&cursor=${first.body.cursor}`,
    });
    expect(names(first.body).length).toBeLessThan(30);
    expect(new Set([...names(first.body), ...names(rest.body)]).size).toBe(30);
    expect(rest.body.cursor).toBeNull();
    await scripted.close();
  });

  test("more subscriptions than one answer can search are refused with a way out", async () => {
    const ids = Array.from({ length: 201 }, (_, index) => `sub_${index}`);
    const crowded = await startAdminRelay({
      subscriptions: { ...relay.context.subscriptions, subscriptionIds: async () => ids },
    });
    await crowded.call("POST", "/admin/sources", { sourceId: "a" });
    const refused = await crowded.call("GET", "/admin/deliveries", undefined, { query: "sourceId=a" });
    expect([refused.status, refused.body.code]).toEqual([400, "too_many_subscriptions"]);
    expect(refused.body.detail).toContain("subscriptionId");
    const narrower = await crowded.call("GET", "/admin/deliveries", undefined, { query: "status=parked" });
    expect(narrower.status).toBe(200);
    await crowded.close();
  });

  test.each([
    ["status", "status=lost"],
    ["status", "status=parked&status=delivered"],
    ["since", "since=yesterday"],
    ["since", "since=2026-01-31"],
    ["until", "until=2026-13-01T00:00:00Z"],
    ["until", "since=2026-01-31T12:00:00Z&until=2026-01-31T12:00:00Z"],
    ["limit", "limit=1000"],
    ["subscription", "subscription=sub_1"],
  ])("refuses a wrong %s", async (field, query) => {
    const { status, body } = await list(query);
    expect(status).toBe(400);
    expect(body.errors[0].field).toBe(field);
  });

  test("a cursor is good for the filter that gave it only", async () => {
    await store("1");
    await store("2");
    const { body } = await list(`subscriptionId=${subscriptionIds[0]}&limit=1`);
    const other = await list(`sourceId=a&limit=1&cursor=${body.cursor}`);
    expect([other.status, other.body.code]).toEqual([400, "invalid_cursor"]);
    const wider = await list(`subscriptionId=${subscriptionIds[0]}&limit=50&cursor=${body.cursor}`);
    expect(names(wider.body)).toEqual(["1"]);
  });
});

/** A relay whose deliveries are a list in memory: for more of them than a test wants to store. */
function scriptedDeliveries(deliveries: readonly Delivery[]): Partial<AdminContext> {
  const newestFirst = deliveries.toReversed().map(({ deliveryId, createdAtMs }) => ({
    deliveryId,
    position: `${new Date(createdAtMs).toISOString()}#${deliveryId}`,
  }));
  const byId = new Map(deliveries.map((delivery) => [delivery.deliveryId, delivery]));
  return {
    deliveryIndex: {
      async *entries(_list, { after }) {
        for (const entry of newestFirst) if (after === null || entry.position < after) yield entry;
      },
    },
    deliveries: {
      findDelivery: async (id) => byId.get(id) ?? null,
      findDeliveries: async (ids) => ids.flatMap((id) => byId.get(id) ?? []),
      replaceDelivery: async () => false,
      noteReplay: async () => false,
    },
  };
}

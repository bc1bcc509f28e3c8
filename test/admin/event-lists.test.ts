import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { TableEventList } from "../../functions/adapters/aws/listing-events.js";
import type { AdminContext } from "../../functions/app/admin/context.js";
import type { StoredEvent } from "../../functions/app/ports.js";
import { packContent } from "../../functions/core/content.js";
import { newDelivery } from "../../functions/core/delivery.js";
import { deliveryIdOf } from "../../functions/core/ids.js";
import { type AdminRelay, startAdminRelay } from "../support/admin-relay.js";

const startMs = Date.UTC(2026, 0, 31, 12);

describe("the admin API's lists of events", () => {
  let relay: AdminRelay;
  let subscriptionIds: string[];

  beforeEach(async () => {
    relay = await startAdminRelay();
    subscriptionIds = [];
    for (const sourceId of ["a", "a", "b"]) {
      await relay.call("POST", "/admin/sources", { sourceId });
      const made = await relay.call("POST", `/admin/sources/${sourceId}/subscriptions`, { url: "https://a.example/" });
      subscriptionIds.push(made.body.subscriptionId);
    }
  });

  afterEach(() => relay.close());

  /** Stores an event received at the given second, and its deliveries as the delivery function would. */
  async function store(name: string, second: number, sourceId: string, subscriptions: readonly string[]) {
    const receivedAtMs = startMs + second * 1_000;
    const eventId = `evt_${name}`;
    await relay.context.events.storeEvent({
      event: {
        eventId,
        sourceId,
        method: "POST",
        suffix: "",
        query: "",
        type: null,
        receivedAtMs,
        bodySha256: "00".repeat(32),
        bodyBytes: 2,
        verifiedBy: null,
        dedupeKey: null,
      },
      content: { at: "inline", packed: packContent({ headers: [], body: Buffer.from("{}") }) },
      subscriptionIds: subscriptions,
    });
    for (const subscriptionId of subscriptions) await deliver(eventId, sourceId, subscriptionId, receivedAtMs);
  }

  async function deliver(eventId: string, sourceId: string, subscriptionId: string, receivedAtMs: number) {
    const deliveryId = deliveryIdOf(eventId, subscriptionId);
    const origin = { deliveryId, eventId, sourceId, subscriptionId, bodySha256: "00".repeat(32), receivedAtMs };
    const delivery = { ...newDelivery(origin, receivedAtMs + 200), status: "delivered" } as const;
    await relay.context.deliveries.replaceDelivery(null, delivery);
  }

  const list = (query: string) => relay.call("GET", "/admin/events", undefined, { query });

  async function listAll(query: string): Promise<string[]> {
    const seen: string[] = [];
    for (let cursor: string | null = ""; cursor !== null; ) {
      const { status, body } = await list(cursor === "" ? query : `${query}&cursor=${cursor}`);
      expect(status).toBe(200);
      seen.push(...body.items.map(({ eventId }: { eventId: string }) => eventId.slice(4)));
      cursor = body.cursor;
    }
    return seen;
  }

  const first = () => subscriptionIds[0] as string;

  test("an event that went to nobody is listed as undelivered, until somebody takes it", async () => {
    await store("1", 1, "a", []);
    await store("2", 2, "a", [first()]);
    await store("3", 3, "b", []);
    expect(await listAll("state=undelivered")).toEqual(["3", "1"]);
    const { body } = await list("sourceId=a&state=undelivered");
    expect(body.items).toEqual([
      {
        eventId: "evt_1",
        sourceId: "a",
        state: "undelivered",
        method: "POST",
        suffix: "",
        query: "",
        type: null,
        receivedAt: "2026-01-31T12:00:01.000Z",
        bodySha256: "00".repeat(32),
        bodyBytes: 2,
        verifiedBy: null,
        dedupeKey: null,
        erasedAt: null,
        dedupeMissed: null,
        releasedFrom: null,
        quarantine: null,
        deliveryIds: [],
      },
    ]);
    await relay.context.events.addSubscription("evt_1", first());
    expect(await listAll("sourceId=a&state=undelivered")).toEqual([]);
    expect(await listAll("sourceId=a&state=quarantined")).toEqual([]);
  });

  test("without a state every event is listed once, newest first, however many deliveries it has", async () => {
    await store("1", 1, "a", subscriptionIds.slice(0, 2));
    await store("2", 2, "a", []);
    await store("3", 3, "b", [subscriptionIds[2] as string]);
    await store("4", 4, "a", [subscriptionIds[1] as string]);
    expect(await listAll("limit=1")).toEqual(["4", "3", "2", "1"]);
    expect(await listAll("sourceId=a&limit=2")).toEqual(["4", "2", "1"]);
    const { body } = await list("sourceId=a");
    const [, , oldest] = body.items;
    expect(oldest.state).toBeNull();
    expect(oldest.deliveryIds).toEqual(subscriptionIds.slice(0, 2).map((id) => deliveryIdOf("evt_1", id)));
  });

  test("a deleted subscription's events stay listed", async () => {
    await store("1", 1, "a", [first()]);
    await relay.call("DELETE", `/admin/subscriptions/${first()}`);
    expect(await listAll("sourceId=a")).toEqual(["1"]);
  });

  test("a replay is no second event", async () => {
    await store("1", 1, "a", [first()]);
    const origin = { eventId: "evt_1", sourceId: "a", subscriptionId: first(), bodySha256: "00".repeat(32) };
    const replay = newDelivery({ ...origin, deliveryId: "dlv_replay", receivedAtMs: startMs }, startMs + 9_000);
    const replayOf = deliveryIdOf("evt_1", first());
    await relay.context.deliveries.replaceDelivery(null, { ...replay, status: "delivered", replayOf });
    expect(await listAll("sourceId=a&limit=1")).toEqual(["1"]);
  });

  test("since and until bound the receipt, whichever list is read", async () => {
    for (const second of [0, 1, 2, 3]) {
      await store(`to_${second}`, second, "a", [first()]);
      await store(`un_${second}`, second, "a", []);
    }
    const bounds = "since=2026-01-31T12:00:01Z&until=2026-01-31T12:00:03Z";
    expect(await listAll(`sourceId=a&state=undelivered&${bounds}`)).toEqual(["un_2", "un_1"]);
    expect(await listAll(`sourceId=a&${bounds}&limit=3`)).toEqual(["to_2", "un_2", "to_1", "un_1"]);
  });

  test("what has expired is not listed", async () => {
    await store("1", 1, "a", []);
    relay.clock.nowMs += 38 * 86_400_000;
    expect(await listAll("state=undelivered")).toEqual([]);
  });

  test.each([
    ["state", "state=lost"],
    ["since", "since=yesterday"],
    ["until", "since=2026-01-31T12:00:00Z&until=2026-01-31T12:00:00Z"],
    ["limit", "limit=101"],
    ["status", "status=parked"],
  ])("refuses a wrong %s", async (field, query) => {
    const { status, body } = await list(query);
    expect([status, body.errors?.[0].field]).toEqual([400, field]);
  });

  test("a cursor is good for its own list", async () => {
    for (const second of [1, 2]) await store(`${second}`, second, "a", []);
    const { body } = await list("state=undelivered&limit=1");
    expect((await list(`sourceId=a&limit=1&cursor=${body.cursor}`)).body.code).toBe("invalid_cursor");
  });

  test("more sources or subscriptions than one answer can search are refused with a way out", async () => {
    const ids = Array.from({ length: 201 }, (_, index) => `id_${index}`);
    const sources = ids.map((sourceId) => ({ sourceId }));
    const crowded = await startAdminRelay({
      sources: { ...relay.context.sources, listSources: async () => ({ items: sources as never, after: null }) },
      subscriptions: { ...relay.context.subscriptions, subscriptionIds: async () => ids },
    });
    const refused = async (query: string) => {
      const { status, body } = await crowded.call("GET", "/admin/events", undefined, { query });
      return [status, body.code, body.detail];
    };
    expect(await refused("state=undelivered")).toEqual([400, "too_many_sources", expect.stringContaining("sourceId")]);
    expect(await refused("sourceId=a")).toEqual([400, "too_many_subscriptions", expect.stringContaining("state")]);
    await crowded.close();
  });

  test("an event that was released meanwhile is no longer shown as quarantined, though its entry lags behind", async () => {
    const events = new TableEventList(
      { client: () => relay.table.client, tableName: relay.table.tableName },
      () => startMs,
    );
    await store("1", 1, "a", []);
    const release = { atMs: startMs, by: null, as: "evt_2" };
    const of = (quarantine: StoredEvent["quarantine"]): AdminContext["eventList"] => ({
      async *entries() {
        yield { kind: "quarantined", eventId: "evt_1", position: "2026-01-31T12:00:01.000Z#evt_1" };
      },
      findEvents: async (ids) =>
        (await events.findEvents(ids)).map((found) => ({
          ...found,
          ...(quarantine === undefined ? {} : { quarantine }),
        })),
    });
    const listed = async (eventList: AdminContext["eventList"]) => {
      Object.assign(relay.context, { eventList });
      return (await relay.call("GET", "/admin/events", undefined, { query: "sourceId=a&state=quarantined" })).body
        .items;
    };
    expect(await listed(of({ reason: "x" }))).toMatchObject([{ eventId: "evt_1", state: "quarantined" }]);
    expect(await listed(of({ reason: "x", released: release }))).toEqual([]);
  });
});

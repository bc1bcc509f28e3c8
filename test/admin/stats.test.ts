import { BatchWriteItemCommand } from "@aws-sdk/client-dynamodb";
import { marshall } from "@aws-sdk/util-dynamodb";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { MetricsHistory, Span } from "../../functions/app/admin/metrics-history.js";
import { newDelivery } from "../../functions/core/delivery.js";
import type { Delivery } from "../../functions/core/model.js";
import { type AdminRelay, startAdminRelay } from "../support/admin-relay.js";

const dayMs = 86_400_000;

describe("the admin API's stats", () => {
  let relay: AdminRelay;

  beforeEach(async () => {
    relay = await startAdminRelay();
  });

  afterEach(() => relay.close());

  async function store(name: string, status: Delivery["status"], ageMs = 0): Promise<void> {
    const atMs = relay.clock.nowMs - ageMs;
    const origin = { deliveryId: `dlv_${name}`, eventId: "evt_1", sourceId: "a", subscriptionId: "sub_1" };
    const delivery = newDelivery({ ...origin, bodySha256: "00".repeat(32), receivedAtMs: atMs }, atMs);
    const due = status === "retry_scheduled" ? { nextAttemptAtMs: atMs + 30_000 } : {};
    await relay.context.deliveries.replaceDelivery(null, { ...delivery, status, ...due });
  }

  test("count what is open or dead, and show how much waits in each queue", async () => {
    await store("1", "retry_scheduled");
    await store("2", "retry_scheduled");
    await store("3", "parked", 3 * dayMs);
    await store("4", "dead_lettered", dayMs - 1);
    await store("5", "dead_lettered", dayMs + 1);
    await store("6", "delivered");
    const { status, body } = await relay.call("GET", "/admin/stats");
    expect(status).toBe(200);
    const depth = { visible: 1, delayed: 2, inFlight: 3 };
    expect(body).toEqual({
      asOf: "2026-01-31T12:00:00.000Z",
      deliveries: {
        retrying: { count: 2, atLeast: false },
        parked: { count: 1, atLeast: false },
        deadLettered: { count: 2, atLeast: false },
        deadLetteredLastDay: { count: 1, atLeast: false },
      },
      faults: { count: 0, atLeast: false },
      queues: { delivery: depth, slowLane: depth, control: depth, deadLetter: depth, fault: depth },
      window: null,
    });
  });

  describe("of the past", () => {
    const asked: Span[] = [];
    /** One attempt in each step, a retry in every fourth. */
    const history: MetricsHistory = {
      async sums(names, span) {
        asked.push(span);
        const ofName = (name: string) => (_: unknown, step: number) =>
          name === "Attempts" || (name === "Retried" && step % 4 === 0) ? 1 : 0;
        const entries = names.map((name) => [name, Array.from({ length: span.steps }, ofName(name))]);
        return Object.fromEntries(entries);
      },
    };

    beforeEach(async () => {
      await relay.close();
      asked.length = 0;
      relay = await startAdminRelay({ history });
    });

    test("come from the metrics, for the last hour and the last day", async () => {
      const { body } = await relay.call("GET", "/admin/stats");
      const none = { accepted: 0, refused: 0, delivered: 0, lastAttemptReached: 0, deadLettered: 0, parked: 0 };
      expect(body.window).toEqual({
        lastHour: { ...none, circuitOpened: 0, faults: 0, attempts: 60, retried: 15, retryRate: 0.25 },
        lastDay: { ...none, circuitOpened: 0, faults: 0, attempts: 288, retried: 72, retryRate: 0.25 },
      });
      expect(body).not.toHaveProperty("series");
      // Whole steps, up to and with the one that is now.
      const hourMs = 3_600_000;
      expect(asked).toEqual([
        { fromMs: relay.clock.nowMs + 60_000 - hourMs, steps: 60, stepSeconds: 60 },
        { fromMs: relay.clock.nowMs + 300_000 - 24 * hourMs, steps: 288, stepSeconds: 300 },
      ]);
    });

    test.each([
      ["1h", 60, 60, "2026-01-31T11:01:00.000Z"],
      ["24h", 288, 300, "2026-01-30T12:05:00.000Z"],
    ])("are a series for %s", async (series, steps, stepSeconds, startsAt) => {
      const { body } = await relay.call("GET", "/admin/stats", undefined, { query: `series=${series}` });
      expect(body.series).toMatchObject({ stepSeconds, startsAt });
      expect(body.series.counts.attempts).toHaveLength(steps);
      expect(body.series.counts.retried.slice(0, 5)).toEqual([1, 0, 0, 0, 1]);
    });

    test("are refused for any other span", async () => {
      const { status, body } = await relay.call("GET", "/admin/stats", undefined, { query: "series=7d" });
      expect(status).toBe(400);
      expect(body).toMatchObject({ code: "invalid_request", errors: [{ field: "series" }] });
    });
  });

  test("have no rate where there was no attempt, and are null when the metrics cannot be read", async () => {
    await relay.close();
    const zeros: MetricsHistory = {
      sums: async (names, { steps }) => Object.fromEntries(names.map((name) => [name, Array(steps).fill(0)])) as never,
    };
    relay = await startAdminRelay({ history: zeros });
    expect((await relay.call("GET", "/admin/stats")).body.window.lastHour.retryRate).toBeNull();
    await relay.close();
    relay = await startAdminRelay({ history: { sums: async () => null } });
    const { body } = await relay.call("GET", "/admin/stats", undefined, { query: "series=1h" });
    expect(body).toMatchObject({ window: null, series: null });
  });

  test("count deliveries only, not what else is due", async () => {
    const gate = { pk: "SUB#sub_1", sk: "GATE", dpk: "DUE#0", dsk: "2026-01-31T12:00:00.000Z#sub_1" };
    await write([gate]);
    await store("1", "retry_scheduled");
    expect((await relay.call("GET", "/admin/stats")).body.deliveries.retrying).toEqual({ count: 1, atLeast: false });
  });

  test("end a count at its bound, and say so", async () => {
    const entry = (index: number) => ({
      pk: `DLV#dlv_${index}`,
      sk: "DELIVERY",
      dpk: "PARKED#0",
      dsk: `2026-01-31T12:00:00.000Z#dlv_${index}`,
    });
    for (let start = 0; start < 5_025; start += 25) {
      await write(Array.from({ length: 25 }, (_, index) => entry(start + index)));
    }
    expect((await relay.call("GET", "/admin/stats")).body.deliveries.parked).toEqual({ count: 5_000, atLeast: true });
  });

  async function write(items: readonly Record<string, string>[]): Promise<void> {
    const requests = items.map((item) => ({ PutRequest: { Item: marshall(item) } }));
    await relay.table.client.send(new BatchWriteItemCommand({ RequestItems: { [relay.table.tableName]: requests } }));
  }
});

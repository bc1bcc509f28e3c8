import { BatchWriteItemCommand } from "@aws-sdk/client-dynamodb";
import { marshall } from "@aws-sdk/util-dynamodb";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
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
    });
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

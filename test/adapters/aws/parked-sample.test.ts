import { afterEach, beforeEach, expect, it } from "vitest";
import { DynamoDeliveryTable } from "../../../functions/adapters/aws/delivery-table.js";
import { DynamoParkedSample } from "../../../functions/adapters/aws/parked-sample.js";
import { newDelivery, park } from "../../../functions/core/delivery.js";
import { startTable, type TestTable } from "../../support/dynalite.js";

const startMs = Date.UTC(2026, 0, 31, 12);
let table: TestTable;

beforeEach(async () => {
  table = await startTable();
});
afterEach(() => table.close());

it("names parked deliveries of every shard, of one shard those whose wait ends first", async () => {
  const at = { client: () => table.client, tableName: table.tableName };
  const deliveries = new DynamoDeliveryTable(at, { now: () => startMs, retentionDays: 30 });
  for (let index = 0; index < 120; index++) {
    const origin = { deliveryId: `dlv_${index}`, eventId: "evt", sourceId: "src", subscriptionId: "sub" };
    const made = newDelivery({ ...origin, bodySha256: "00".repeat(32), receivedAtMs: startMs }, startMs);
    await deliveries.replaceDelivery(null, park(made, startMs, startMs + index * 60_000));
  }
  const sampled = await new DynamoParkedSample(at).soonestToEnd();
  expect(new Set(sampled).size).toBe(100);
  // Of 120 the first ones of each shard: whatever the spread, the very first are among them.
  expect(sampled).toEqual(expect.arrayContaining(["dlv_0", "dlv_1", "dlv_2", "dlv_3"]));
  expect((await deliveries.findDeliveries(sampled)).every(({ status }) => status === "parked")).toBe(true);
});

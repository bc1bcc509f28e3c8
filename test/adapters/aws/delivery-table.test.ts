import { DescribeTableCommand, GetItemCommand, QueryCommand, UpdateItemCommand } from "@aws-sdk/client-dynamodb";
import { marshall } from "@aws-sdk/util-dynamodb";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { DynamoDeliveryTable } from "../../../functions/adapters/aws/delivery-table.js";
import { DynamoEventTable } from "../../../functions/adapters/aws/event-table.js";
import {
  deliveryKey,
  eventKey,
  listingPartition,
  shardOf,
  statePartition,
} from "../../../functions/adapters/aws/keys.js";
import { successPreviewBytes } from "../../../functions/core/attempt-history.js";
import { packContent } from "../../../functions/core/content.js";
import { claimAttempt, deadLetter, newDelivery, park, recordAttempt } from "../../../functions/core/delivery.js";
import { deliveryIdOf } from "../../../functions/core/ids.js";
import type { Attempt, Delivery } from "../../../functions/core/model.js";
import { tableLayout } from "../../../functions/shared/table-layout.js";
import { anEvent, aPolicy } from "../../support/builders.js";
import { startTable, type TestTable } from "../../support/dynalite.js";
import { itemBytes } from "../../support/item-bytes.js";
import { virtualClock } from "../../support/virtual-clock.js";

let table: TestTable;
const clock = virtualClock();
const start = clock.now();
beforeAll(async () => {
  table = await startTable();
});
afterAll(() => table.close());

const adapters = () => {
  const at = { client: () => table.client, tableName: table.tableName };
  const options = { now: clock.now, retentionDays: 30 };
  return { deliveries: new DynamoDeliveryTable(at, options), events: new DynamoEventTable(at, options) };
};

let made = 0;
const aDelivery = (): Delivery => {
  const eventId = `evt_${String(++made).padStart(26, "0")}`;
  const subscriptionId = `sub_${"0".repeat(26)}`;
  const deliveryId = deliveryIdOf(eventId, subscriptionId);
  const sourceId = `src_${"0".repeat(26)}`;
  return newDelivery(
    { deliveryId, eventId, sourceId, subscriptionId, bodySha256: "ab".repeat(32), receivedAtMs: start },
    start,
  );
};
const lease = {
  token: "0b7e5a3c-1111-4222-8333-444455556666",
  guard: "9f1c2d3e-aaaa-4bbb-8ccc-ddddeeeeffff",
  leaseUntilMs: start + 95_000,
};
const attempt = (overrides: Partial<Attempt> = {}): Attempt => ({
  number: 1,
  startedAtMs: start,
  delaySeconds: 0,
  outcome: "delivered",
  statusCode: 200,
  error: null,
  durationMs: 41,
  retryAfterSeconds: null,
  address: "203.0.113.10",
  timings: { dnsMs: 1, connectMs: 11, tlsMs: 20, firstByteMs: 41 },
  preview: Buffer.from("ok").toString("base64"),
  ...overrides,
});
const context = { policy: aPolicy(), retentionDays: 30, nowMs: start, random: () => 0.5 };
const rawItem = async (key: { pk: string; sk: string }) =>
  (await table.client.send(new GetItemCommand({ TableName: table.tableName, Key: marshall(key) }))).Item ?? {};

describe("the delivery table", () => {
  it("reads back what it wrote, in every state", async () => {
    const { deliveries } = adapters();
    const claimed = claimAttempt(aDelivery(), lease, start);
    const failed = recordAttempt(claimed, attempt({ outcome: "retryable", statusCode: 503 }), context);
    const parked = park(failed, start + 1, start + 1_000_000);
    const dead = deadLetter(parked, "max_age", start + 2);
    const steps = [null, claimed, failed, parked, dead];
    for (const [index, next] of steps.entries()) {
      if (next === null) continue;
      expect(await deliveries.replaceDelivery(steps[index - 1] ?? null, next)).toBe(true);
      expect(await deliveries.findDelivery(next.deliveryId)).toEqual(next);
    }
  });

  it("refuses a write that does not start from what is stored", async () => {
    const { deliveries } = adapters();
    const claimed = claimAttempt(aDelivery(), lease, start);
    expect(await deliveries.replaceDelivery(null, claimed)).toBe(true);
    expect(await deliveries.replaceDelivery(null, { ...claimed, sourceId: "other" })).toBe(false);
    const anothers = {
      ...claimed,
      claim: { ...lease, token: "other", attempt: 1, startedAtMs: start, delaySeconds: 0 },
    };
    expect(await deliveries.replaceDelivery(anothers, deadLetter(anothers, "permanent", start))).toBe(false);
    expect(await deliveries.findDelivery(claimed.deliveryId)).toEqual(claimed);
  });

  it("lets exactly one of many simultaneous claims win", async () => {
    const { deliveries } = adapters();
    const delivery = aDelivery();
    const claims = Array.from({ length: 10 }, (_value, index) =>
      claimAttempt(delivery, { ...lease, token: `t${index}` }, start),
    );
    const won = await Promise.all(claims.map((claim) => deliveries.replaceDelivery(null, claim)));
    expect(won.filter(Boolean)).toHaveLength(1);
  });

  it("keeps attributes that it does not know", async () => {
    const { deliveries } = adapters();
    const claimed = claimAttempt(aDelivery(), lease, start);
    await deliveries.replaceDelivery(null, claimed);

    await table.client.send(
      new UpdateItemCommand({
        TableName: table.tableName,
        Key: marshall(deliveryKey(claimed.deliveryId)),
        UpdateExpression: "SET newer = :value",
        ExpressionAttributeValues: { ":value": { S: "kept" } },
      }),
    );
    await deliveries.replaceDelivery(claimed, recordAttempt(claimed, attempt(), context));
    expect((await rawItem(deliveryKey(claimed.deliveryId)))["newer"]).toEqual({ S: "kept" });
  });

  it("treats an expired delivery as absent, though the table has not removed it yet", async () => {
    const { deliveries } = adapters();
    const claimed = claimAttempt(aDelivery(), lease, start);
    const done = recordAttempt(claimed, attempt(), context);
    await deliveries.replaceDelivery(null, claimed);
    await deliveries.replaceDelivery(claimed, done);
    clock.advance(31 * 86_400);
    expect(await deliveries.findDelivery(done.deliveryId)).toBeNull();
    expect(await deliveries.replaceDelivery(null, claimed)).toBe(true);
    clock.set(start);
  });

  it("gives no expiry to anything that is still open", async () => {
    const { deliveries } = adapters();
    const claimed = claimAttempt(aDelivery(), lease, start);
    const failed = recordAttempt(claimed, attempt({ outcome: "retryable", statusCode: 503 }), context);
    for (const [before, next] of [
      [null, claimed],
      [claimed, failed],
      [failed, park(failed, start, start + 1_000_000)],
    ] as const) {
      await deliveries.replaceDelivery(before, next);
      expect(await rawItem(deliveryKey(next.deliveryId))).not.toHaveProperty(tableLayout.ttlAttribute);
    }
  });

  it("lists each delivery under its subscription, and open ones under their state", async () => {
    const { deliveries } = adapters();
    const claimed = claimAttempt(aDelivery(), lease, start);
    const failed = recordAttempt(claimed, attempt({ outcome: "retryable", statusCode: 503 }), context);
    await deliveries.replaceDelivery(null, claimed);
    const shard = shardOf(claimed.deliveryId);
    const listed = async (index: "listing" | "state", partition: string) => {
      const { name, partitionKey } = tableLayout.indexes[index];
      const answer = await table.client.send(
        new QueryCommand({
          TableName: table.tableName,
          IndexName: name,
          KeyConditionExpression: "#key = :partition",
          ExpressionAttributeNames: { "#key": partitionKey },
          ExpressionAttributeValues: { ":partition": { S: partition } },
        }),
      );
      return (answer.Items ?? []).filter((item) => item["pk"]?.S === deliveryKey(claimed.deliveryId).pk).length;
    };
    const open = statePartition(claimed.subscriptionId, "open", shard);
    expect(await listed("listing", listingPartition(claimed.subscriptionId, shard))).toBe(1);
    expect(await listed("state", open)).toBe(0);
    await deliveries.replaceDelivery(claimed, failed);
    expect(await listed("state", open)).toBe(1);
    const again = claimAttempt(failed, { ...lease, token: "t2" }, start);
    await deliveries.replaceDelivery(failed, again);
    expect(await listed("state", open)).toBe(1);
    await deliveries.replaceDelivery(again, recordAttempt(again, attempt({ number: 2 }), context));
    expect(await listed("state", open)).toBe(0);
  });

  it("spends four write units on a first-try success: event, claim, listing and record fit 1 KB each", async () => {
    const { deliveries, events } = adapters();
    const body = Buffer.from(JSON.stringify({ id: "evt_1N", object: "event", amount: 4200, currency: "eur" }));
    const delivery = aDelivery();
    const event = anEvent(body, { eventId: delivery.eventId, sourceId: delivery.sourceId, type: "invoice.paid" });
    const headers = [
      ["content-type", "application/json"],
      ["user-agent", "Provider/1.0 (+https://provider.example/docs)"],
      ["x-hub-signature-256", `sha256=${"ab".repeat(32)}`],
    ] as const;
    const packed = packContent({ headers, body });
    await events.storeEvent({ event, content: { at: "inline", packed }, subscriptionIds: [delivery.subscriptionId] });
    const claimed = claimAttempt(delivery, lease, start);
    await deliveries.replaceDelivery(null, claimed);
    // All that is kept of a talkative destination: as much preview as a success has, and a name for the request.
    const preview = Buffer.alloc(successPreviewBytes, "x").toString("base64");
    const talkative = { preview, previewCut: true, requestId: "3f2b8c1e-7d4a-4e9b-9c51-2a6f0e8d7b34" };
    const claimBytes = itemBytes(await rawItem(deliveryKey(delivery.deliveryId)));
    await deliveries.replaceDelivery(claimed, recordAttempt(claimed, attempt(talkative), context));
    const recordBytes = itemBytes(await rawItem(deliveryKey(delivery.deliveryId)));
    const eventBytes = itemBytes(await rawItem(eventKey(event.eventId)));
    for (const bytes of [eventBytes, claimBytes, recordBytes]) expect(bytes).toBeLessThanOrEqual(1024);
    const { Table } = await table.client.send(new DescribeTableCommand({ TableName: table.tableName }));
    const item = await rawItem(deliveryKey(delivery.deliveryId));
    const writtenIndexes = (Table?.GlobalSecondaryIndexes ?? []).filter((index) =>
      index.KeySchema?.every((key) => item[key.AttributeName as string] !== undefined),
    );
    expect(writtenIndexes.map((index) => index.IndexName)).toEqual(["listing"]);
  });
});

describe("the event table", () => {
  it("keeps the first write of an event and returns it to later ones", async () => {
    const { events } = adapters();
    const event = anEvent(undefined, {
      eventId: "evt_first",
      suffix: "/a",
      query: "b=1",
      type: "t",
      verifiedBy: "sec_1",
      dedupeKey: "k",
    });
    const stored = {
      event,
      content: { at: "inline" as const, packed: Buffer.from([0, 255]) },
      subscriptionIds: ["sub_a"],
    };
    expect(await events.storeEvent(stored)).toEqual(stored);
    expect(await events.storeEvent({ ...stored, subscriptionIds: ["sub_b"] })).toEqual(stored);
    expect(await events.findEvent("evt_first")).toEqual(stored);
  });

  it("lists an event that went to nobody, until a subscription is added", async () => {
    const { events } = adapters();
    const event = anEvent(undefined, { eventId: "evt_nobody" });
    await events.storeEvent({ event, content: { at: "bucket", key: "bodies/x" }, subscriptionIds: [] });
    expect((await rawItem(eventKey("evt_nobody")))["spk"]?.S).toBe(
      statePartition("demo", "undelivered", shardOf("evt_nobody")),
    );
    await Promise.all([events.addSubscription("evt_nobody", "sub_a"), events.addSubscription("evt_nobody", "sub_b")]);
    expect((await events.findEvent("evt_nobody"))?.subscriptionIds.toSorted()).toEqual(["sub_a", "sub_b"]);
    expect(await rawItem(eventKey("evt_nobody"))).not.toHaveProperty("spk");
  });
});

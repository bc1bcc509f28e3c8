import { DynamoDBClient, UpdateItemCommand } from "@aws-sdk/client-dynamodb";
import { marshall } from "@aws-sdk/util-dynamodb";
import { describe, expect, it } from "vitest";
import { TableSourceStore } from "../../../functions/adapters/aws/config-sources.js";
import { TableSubscriptionStore } from "../../../functions/adapters/aws/config-subscriptions.js";
import { DynamoDeliveryTable } from "../../../functions/adapters/aws/delivery-table.js";
import { DynamoEventTable } from "../../../functions/adapters/aws/event-table.js";
import { deliveryKey, eventKey, type Key, sourceKey, subscriptionKey } from "../../../functions/adapters/aws/keys.js";
import { Vault } from "../../../functions/adapters/aws/vault.js";
import { anEvent } from "../../support/builders.js";
import { aSourceRecord, aSubscriptionRecord } from "../../support/config-records.js";
import type { ContractAws } from "../../support/contract-aws.js";
import { memoryDataKeys } from "../../support/memory-data-keys.js";
import type { VirtualClock } from "../../support/virtual-clock.js";
import { aDelivery, aSubscriptionId, claimed, recorded, retentionDays } from "./some-deliveries.js";

export interface AwsTableSubject {
  readonly aws: ContractAws;
  readonly clock: VirtualClock;
}

/** What is true of the table itself, and of the way to it. */
export function awsTableContract(makeSubject: () => AwsTableSubject): void {
  const tablesOver = ({ aws, clock }: AwsTableSubject, client: () => DynamoDBClient = () => aws.clients.dynamodb) => {
    const [at, options] = [
      { client, tableName: aws.tableName },
      { now: clock.now, retentionDays },
    ];
    return { deliveries: new DynamoDeliveryTable(at, options), events: new DynamoEventTable(at, options) };
  };

  describe("an item", () => {
    it("keeps what a newer version wrote into it through every step of an older one", async () => {
      const subject = makeSubject();
      const { deliveries, events } = tablesOver(subject);
      const nowMs = subject.clock.now();
      const first = claimed(aDelivery(nowMs), nowMs);
      await deliveries.replaceDelivery(null, first);
      await setNewer(subject, deliveryKey(first.deliveryId));
      const failed = recorded(first, 503, nowMs);
      const second = claimed(failed, nowMs);
      await deliveries.replaceDelivery(first, failed);
      await deliveries.replaceDelivery(failed, second);
      await deliveries.replaceDelivery(second, recorded(second, 200, nowMs));
      expect(await subject.aws.rawItem(deliveryKey(first.deliveryId))).toMatchObject({ newer: { S: "kept" } });

      const event = anEvent(undefined, { eventId: first.eventId, receivedAtMs: nowMs });
      await events.storeEvent({ event, content: { at: "bucket", key: "bodies/x" }, subscriptionIds: [] });
      await setNewer(subject, eventKey(event.eventId));
      await events.addSubscription(event.eventId, "sub_a");
      expect(await subject.aws.rawItem(eventKey(event.eventId))).toMatchObject({ newer: { S: "kept" } });
    });

    it("has an expiry only while its delivery is final", async () => {
      const subject = makeSubject();
      const { deliveries } = tablesOver(subject);
      const nowMs = subject.clock.now();
      const first = claimed(aDelivery(nowMs), nowMs);
      await deliveries.replaceDelivery(null, first);
      const key = deliveryKey(first.deliveryId);
      expect(await subject.aws.rawItem(key)).not.toHaveProperty("expiresAt");
      await deliveries.replaceDelivery(first, recorded(first, 200, nowMs));
      const expiresAt = String(Math.ceil(nowMs / 1000) + retentionDays * 86_400);
      expect(await subject.aws.rawItem(key)).toMatchObject({ expiresAt: { N: expiresAt } });
    });

    it("holds no secret, in no coding of it", async () => {
      const { aws, clock } = makeSubject();
      const reader = {
        client: () => aws.clients.dynamodb,
        tableName: aws.tableName,
        vault: new Vault(memoryDataKeys()),
        now: clock.now,
      };
      const [sourceId, subscriptionId] = [`sealed-${aSubscriptionId(clock.now()).slice(4)}`, aSubscriptionId(1)];
      const secrets = [{ id: "sec_1", createdAtMs: 1 }];
      const value = "whsec_dmlzaWJsZSB0byBub2JvZHkgYXQgYWxsIQ==";
      await new TableSourceStore(reader).createSource(aSourceRecord({ sourceId, secrets }), { sec_1: value });
      const record = aSubscriptionRecord({ sourceId, subscriptionId, secrets });
      await new TableSubscriptionStore(reader, retentionDays).createSubscription(record, { sec_1: value });
      for (const key of [sourceKey(sourceId), subscriptionKey(sourceId, subscriptionId)]) {
        const item = await aws.rawItem(key);
        expect(item["sealed"]).toBeDefined();
        const bytes = Buffer.from(JSON.stringify(item, (_name, part) => readable(part)));
        const plain = Buffer.from(value.slice("whsec_".length), "base64");
        for (const coded of [value, plain.toString(), plain.toString("hex"), plain.toString("base64").slice(0, -4)]) {
          expect(bytes.includes(coded)).toBe(false);
        }
      }
    });
  });

  describe("a write whose answer is lost", () => {
    it("is sent again, refused, and found to be one's own", async () => {
      const subject = makeSubject();
      const lossy = losingFirstAnswer(subject.aws);
      const { deliveries } = tablesOver(subject, () => lossy.client);
      const first = claimed(aDelivery(subject.clock.now()), subject.clock.now(), "mine");
      expect(await deliveries.replaceDelivery(null, first)).toBe(false);
      expect(lossy.sent()).toBe(2);
      expect(await deliveries.findDelivery(first.deliveryId)).toEqual(first);
      lossy.client.destroy();
    });

    it("of an event stores it once, and answers what is stored", async () => {
      const subject = makeSubject();
      const lossy = losingFirstAnswer(subject.aws);
      const { events } = tablesOver(subject, () => lossy.client);
      const { eventId } = aDelivery(subject.clock.now());
      const event = anEvent(undefined, { eventId, receivedAtMs: subject.clock.now() });
      const stored = {
        event,
        content: { at: "inline", packed: Buffer.from("x") },
        subscriptionIds: ["sub_a"],
      } as const;
      expect(await events.storeEvent(stored)).toEqual(stored);
      lossy.client.destroy();
    });
  });
}

async function setNewer({ aws }: AwsTableSubject, key: Key): Promise<void> {
  await aws.clients.dynamodb.send(
    new UpdateItemCommand({
      TableName: aws.tableName,
      Key: marshall(key),
      UpdateExpression: "SET newer = :value",
      ExpressionAttributeValues: { ":value": { S: "kept" } },
    }),
  );
}

/** Bytes as the characters that they are, so that text in them is found. */
const readable = (part: unknown) => (part instanceof Uint8Array ? Buffer.from(part).toString("latin1") : part);

/** A client whose first call arrives, while its answer does not: the SDK sends it again. */
function losingFirstAnswer(aws: ContractAws) {
  const { endpoint, region, credentials } = aws.clients.dynamodb.config;
  const client = new DynamoDBClient({ region, credentials, maxAttempts: 3, ...(endpoint ? { endpoint } : {}) });
  let sent = 0;
  client.middlewareStack.add(
    (next) => async (input) => {
      const answer = await next(input);
      if (++sent === 1) throw Object.assign(new Error("socket hang up"), { code: "ECONNRESET", name: "TimeoutError" });
      return answer;
    },
    { step: "deserialize", priority: "low" },
  );
  return { client, sent: () => sent };
}

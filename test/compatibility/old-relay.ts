import { GetItemCommand, PutItemCommand } from "@aws-sdk/client-dynamodb";
import { marshall, unmarshall } from "@aws-sdk/util-dynamodb";
import { TableAuditTrail } from "../../functions/adapters/aws/audit-table.js";
import { CachedSourceConfigs, CachedSubscriptionConfigs } from "../../functions/adapters/aws/config-table.js";
import { DynamoDeliveryTable } from "../../functions/adapters/aws/delivery-table.js";
import { DynamoDueList } from "../../functions/adapters/aws/due-list.js";
import { DynamoEventTable } from "../../functions/adapters/aws/event-table.js";
import { DynamoFaultTable } from "../../functions/adapters/aws/fault-table.js";
import { CachedGates } from "../../functions/adapters/aws/gates.js";
import { deliveryKey, type Key } from "../../functions/adapters/aws/keys.js";
import { TableDeliveryIndex } from "../../functions/adapters/aws/listing-index.js";
import { DynamoParkedList } from "../../functions/adapters/aws/parked-list.js";
import { TableQuarantine } from "../../functions/adapters/aws/quarantine-table.js";
import { TableQuarantinedEvents } from "../../functions/adapters/aws/quarantined-events.js";
import { DynamoReplayTable } from "../../functions/adapters/aws/replay-table.js";
import { CachedSubscriptionSettings } from "../../functions/adapters/aws/subscription-settings.js";
import { DynamoSweepLease } from "../../functions/adapters/aws/sweep-lease.js";
import { Vault } from "../../functions/adapters/aws/vault.js";
import type { ReplayTickContext } from "../../functions/app/control/replay-tick.js";
import type { DeliveryContext } from "../../functions/app/delivery/delivery-context.js";
import { invocationTime } from "../../functions/app/delivery/invocation-time.js";
import { processBatch } from "../../functions/app/delivery/process-batch.js";
import type { DeliveryMessage } from "../../functions/app/ports.js";
import { startTable } from "../support/dynalite.js";
import { memoryRelay } from "../support/memory-relay.js";
import { fixedDataKeys } from "./fixed-data-keys.js";
import type { Fixture } from "./fixtures.js";
import * as subjects from "./subjects.js";

const retentionDays = 30;
const systemDefaults = { policyPreset: "default", connectSeconds: 15, readSeconds: 60 };

/** What a writer of a later version may add anywhere: it must survive, and disturb nobody. */
export const newerField = { addedLater: { by: "a newer version", list: [1, 2] } };

/** Today's code over a table that holds what earlier versions wrote. */
export async function oldRelay() {
  const table = await startTable();
  const memory = memoryRelay({ subscriptions: [] });
  memory.clock.set(subjects.startMs + 20_000);
  const { now } = memory.clock;
  const at = { client: () => table.client, tableName: table.tableName };
  const reader = { ...at, now, vault: new Vault(fixedDataKeys) };
  const options = { now, retentionDays };
  const sent: DeliveryMessage[] = [];
  const replays = new DynamoReplayTable(at);
  const deliveries = new DynamoDeliveryTable(at, options);
  const context: DeliveryContext & Pick<ReplayTickContext, "replays" | "deliveries"> = {
    ...memory.context,
    replays,
    subscriptions: new CachedSubscriptionConfigs(reader, systemDefaults),
    gates: new CachedGates(reader),
    events: new DynamoEventTable(at, options),
    deliveries,
    queue: { sendDeliveries: async (messages) => void sent.push(...messages), returnAfter: async () => {} },
    settings: { retentionDays, maxQueueDelaySeconds: 900 },
  };
  await memory.contents.put(subjects.bucketKey, subjects.packed);

  return {
    context,
    clock: memory.clock,
    requests: memory.requests,
    answers: memory.answers,
    faulted: memory.faulted,
    contents: memory.contents,
    deadLetters: memory.deadLetters,
    /** Messages that were announced. */
    sent,
    sources: new CachedSourceConfigs(reader),
    quarantine: new TableQuarantine(at, reader.vault),
    quarantined: new TableQuarantinedEvents(reader),
    dueList: new DynamoDueList(at),
    parked: new DynamoParkedList(at),
    settings: new CachedSubscriptionSettings({ ...at, now }, systemDefaults),
    lease: new DynamoSweepLease(at),
    faults: new DynamoFaultTable(at, memory.contents, retentionDays),
    control: memory.queue,
    replayTicks: { control: memory.queue, deliveryIndex: new TableDeliveryIndex(at), retentionDays },
    trail: new TableAuditTrail(at, now),

    /** Puts items into the table as they are. */
    async put(...items: Readonly<Record<string, unknown>>[]): Promise<void> {
      for (const item of items) {
        const Item = marshall(item, { removeUndefinedValues: true });
        await table.client.send(new PutItemCommand({ TableName: table.tableName, Item }));
      }
    },
    item: rawItem,
    delivery: () => context.deliveries.findDelivery(subjects.deliveryId),
    deliveryItem: () => rawItem(deliveryKey(subjects.deliveryId)),
    /** Receives a message; the ids of those that come back. */
    receive(message: Fixture["value"], messageId = "a-message", receiveCount = 1): Promise<readonly string[]> {
      const record = { messageId, receiptHandle: messageId, receiveCount, body: JSON.stringify(message) };
      return processBatch(context, [record], invocationTime(now(), 90_000));
    },
    close: () => table.close(),
  };

  async function rawItem(key: Key): Promise<Record<string, unknown>> {
    const { Item } = await table.client.send(new GetItemCommand({ TableName: table.tableName, Key: marshall(key) }));
    if (Item === undefined) throw new Error(`nothing under ${key.pk}`);
    return unmarshall(Item);
  }
}

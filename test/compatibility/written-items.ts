import { GetItemCommand, PutItemCommand } from "@aws-sdk/client-dynamodb";
import { marshall, unmarshall } from "@aws-sdk/util-dynamodb";
import { auditKey, TableAuditTrail } from "../../functions/adapters/aws/audit-table.js";
import { TableSourceStore } from "../../functions/adapters/aws/config-sources.js";
import { TableSubscriptionStore } from "../../functions/adapters/aws/config-subscriptions.js";
import { DynamoDeliveryTable } from "../../functions/adapters/aws/delivery-table.js";
import { DynamoEventTable } from "../../functions/adapters/aws/event-table.js";
import { DynamoFaultTable } from "../../functions/adapters/aws/fault-table.js";
import { CachedGates } from "../../functions/adapters/aws/gates.js";
import {
  deliveryKey,
  eventKey,
  gateKey,
  type Key,
  replayKey,
  sourceKey,
  subscriptionKey,
  subscriptionNameKey,
  unverifiedCountKey,
} from "../../functions/adapters/aws/keys.js";
import { TableQuarantine } from "../../functions/adapters/aws/quarantine-table.js";
import { TableQuarantinedEvents } from "../../functions/adapters/aws/quarantined-events.js";
import { DynamoReplayTable } from "../../functions/adapters/aws/replay-table.js";
import { DynamoSweepLease } from "../../functions/adapters/aws/sweep-lease.js";
import { Vault } from "../../functions/adapters/aws/vault.js";
import { MemoryContentStore } from "../../functions/adapters/memory/memory-content-store.js";
import { keepFault } from "../../functions/app/faults/keep-fault.js";
import { closeCircuit, openCircuit, startProbe } from "../../functions/core/circuit.js";
import { claimAttempt, deadLetter, park, recordAttempt } from "../../functions/core/delivery.js";
import { erasedDelivery } from "../../functions/core/erasure.js";
import type { Attempt, Delivery, Gate } from "../../functions/core/model.js";
import { newTally, tallied } from "../../functions/core/outcome-tally.js";
import { presetCircuit } from "../../functions/core/presets.js";
import { stoppedReplay } from "../../functions/core/replay-ticks.js";
import { withTick } from "../../functions/core/ticks.js";
import { aPolicy, aRelease } from "../support/builders.js";
import type { TestTable } from "../support/dynalite.js";
import { fixedDataKeys } from "./fixed-data-keys.js";
import * as subjects from "./subjects.js";
import { writtenMessages } from "./written-messages.js";

const { startMs, event, deliveryId, sourceId, subscriptionId } = subjects;
const retentionDays = 30;

/** Writes every kind of item as today's code does, and gives them as they lie in the table, by the fixtures' names. */
export async function writtenItems(table: TestTable): Promise<ReadonlyMap<string, Record<string, unknown>>> {
  const items = new Map<string, Record<string, unknown>>();
  const keep = async (name: string, key: Key): Promise<void> => {
    items.set(name, await rawItem(table, key));
  };
  await writeConfig(table, keep);
  await writeEvents(table, keep);
  await writeDeliveries(table, keep);
  await writeFaults(table, keep);
  await writeOperations(table, keep);
  await new DynamoSweepLease(at(table)).take(startMs, startMs + 60_000);
  await keep("sweep-lease", { pk: "SWEEPER", sk: "LEASE" });
  return items;
}

type Keep = (name: string, key: Key) => Promise<void>;

const at = (table: TestTable) => ({ client: () => table.client, tableName: table.tableName, now: () => startMs });

async function rawItem(table: TestTable, key: Key): Promise<Record<string, unknown>> {
  const { Item } = await table.client.send(new GetItemCommand({ TableName: table.tableName, Key: marshall(key) }));
  if (Item === undefined) throw new Error(`nothing was written under ${key.pk} ${key.sk}`);
  return unmarshall(Item);
}

async function writeConfig(table: TestTable, keep: Keep): Promise<void> {
  const reader = { ...at(table), vault: new Vault(fixedDataKeys) };
  const gates = new CachedGates(reader);
  const subscriptions = new TableSubscriptionStore(reader, retentionDays);
  const { source, subscription, signingSecret } = subjects;
  await new TableSourceStore(reader).createSource(source, { [source.secrets[0]?.id ?? ""]: "shared secret" });
  await subscriptions.createSubscription(subscription, { [subscription.secrets[0]?.id ?? ""]: signingSecret });
  await keep("source", sourceKey(sourceId));
  const { sourceWithHandshake } = subjects;
  await new TableSourceStore(reader).createSource(sourceWithHandshake, subjects.handshakeSecrets);
  await keep("source-with-handshake", sourceKey(sourceWithHandshake.sourceId));
  const { sourceWithTemplate } = subjects;
  await new TableSourceStore(reader).createSource(sourceWithTemplate, {
    [source.secrets[0]?.id ?? ""]: "shared secret",
  });
  await keep("source-with-template", sourceKey(sourceWithTemplate.sourceId));
  await keep("subscription", subscriptionKey(sourceId, subscriptionId));
  await keep("name-claim", subscriptionNameKey(sourceId, subscription.name ?? ""));
  await keep("gate", gateKey(subscriptionId));
  await gates.noteParked(subscriptionId, startMs);
  await keep("gate-holds-parked", gateKey(subscriptionId));
  const holding = await rawItem(table, gateKey(subscriptionId));
  await gates.disable(subscriptionId, "gone", 1, startMs + 1000);
  await keep("gate-disabled", gateKey(subscriptionId));
  await subscriptions.deleteSubscription(subscription, startMs + 2000);
  await keep("gate-deleted", gateKey(subscriptionId));
  await keep("subscription-deleted", subscriptionKey(sourceId, subscriptionId));
  // Another story of the same gate.
  await table.client.send(new PutItemCommand({ TableName: table.tableName, Item: marshall(holding) }));
  await writeGateStates(gates, keep);
}

/** What a gate goes through while its destination is down, and after: the last step leaves it closed and at rest. */
async function writeGateStates(gates: CachedGates, keep: Keep): Promise<void> {
  const move = async (name: string, change: (gate: Gate) => Gate): Promise<void> => {
    const gate = await gates.find(subscriptionId, { fresh: true });
    if (gate === null || !(await gates.replaceGate(gate, change(gate)))) throw new Error(`${name} was not written`);
    await keep(name, gateKey(subscriptionId));
  };
  const settings = presetCircuit("default");
  const even = () => 0.5;
  const failures = [0, 1, 2].reduce(
    (tally) => tallied(tally, "failure", startMs + 500),
    newTally(1, undefined, startMs),
  );
  await gates.addOutcomes(subscriptionId, failures, startMs + 500);
  await keep("gate-counting", gateKey(subscriptionId));
  await move("gate-held", (gate) => withTick({ ...gate, heldUntilMs: startMs + 60_000 }, startMs + 60_000));
  await move("gate-open", (gate) => {
    const open = openCircuit(gate, settings, startMs + 1_000, even);
    return withTick(open, open.circuit?.probeAtMs ?? 0);
  });
  await move("gate-half-open", (gate) => {
    const probing = startProbe(gate, deliveryId, startMs + 20_000) ?? gate;
    return withTick(probing, startMs + 201_000, "a-tick");
  });
  await move("gate-closed", (gate) => withTick(closeCircuit(gate, startMs + 21_000), startMs + 21_000));
  await gates.reserveSlot(subscriptionId, 50, startMs + 21_000);
  await move("gate-released", (gate) => {
    const release = aRelease(startMs + 21_000, {
      after: "2026-01-01T12:00:00.000Z#dlv_0",
      sent: 1,
      released: 1,
    });
    return withTick({ ...gate, release }, startMs + 22_000, "a-tick");
  });
  await move("gate-release-over", (gate) => {
    const { release } = gate;
    const ended = release === undefined ? {} : { release: { ...release, endedAtMs: startMs + 60_000 } };
    return withTick({ ...gate, ...ended, holdsParked: false }, null, "a-tick");
  });
}

async function writeEvents(table: TestTable, keep: Keep): Promise<void> {
  const events = new DynamoEventTable(at(table), { now: () => startMs, retentionDays });
  const subscriptionIds = [subscriptionId];
  const store = async (
    name: string,
    eventId: string,
    stored: Omit<Parameters<typeof events.storeEvent>[0], "event">,
  ) => {
    await events.storeEvent({ event: { ...event, eventId }, ...stored });
    await keep(name, eventKey(eventId));
  };
  const inline = { at: "inline", packed: subjects.packed } as const;
  await store("event-inline", event.eventId, { content: inline, subscriptionIds });
  await store("event-bucket", "evt_bucket", { content: { at: "bucket", key: subjects.bucketKey }, subscriptionIds });
  await store("event-undelivered", "evt_undelivered", { content: inline, subscriptionIds: [] });
  await writeQuarantine(table, keep);
}

async function writeQuarantine(table: TestTable, keep: Keep): Promise<void> {
  const { quarantinedId, release } = subjects;
  const reader = { ...at(table), vault: new Vault(fixedDataKeys) };
  const quarantine = new TableQuarantine(reader, reader.vault);
  await quarantine.countUnverified(sourceId, startMs, 100);
  await keep("unverified-count", unverifiedCountKey(sourceId, "2026-01-01"));
  await quarantine.keep({
    event: { ...event, eventId: quarantinedId, verifiedBy: null, dedupeKey: null },
    content: { at: "inline", packed: subjects.packed },
    reason: "credentials mismatch",
    credentials: { headers: [["authorization", "Basic dXNlcjpwYXNz"]] },
  });
  await keep("event-quarantined", eventKey(quarantinedId));
  await new TableQuarantinedEvents(reader).noteReleased(quarantinedId, release);
  await keep("event-released", eventKey(quarantinedId));
}

async function writeDeliveries(table: TestTable, keep: Keep): Promise<void> {
  const deliveries = new DynamoDeliveryTable(at(table), { now: () => startMs, retentionDays });
  const write = async (name: string, previous: Delivery | null, next: Delivery): Promise<Delivery> => {
    if (!(await deliveries.replaceDelivery(previous, next))) throw new Error(`${name} was not written`);
    await keep(name, deliveryKey(deliveryId));
    return next;
  };
  const policy = aPolicy();
  const context = { policy, retentionDays, random: () => 0.5 };
  const lease = (token: string, nowMs: number) => ({ token, guard: subjects.guard, leaseUntilMs: nowMs + 95_000 });
  const attempting = claimAttempt(subjects.unborn, lease("token-1", startMs), startMs);
  await write("delivery-attempting", null, attempting);
  const retry = recordAttempt(attempting, failure(1, startMs), { ...context, nowMs: startMs + 50 });
  await write("delivery-retry-scheduled", attempting, retry);
  const parked = park(retry, startMs + 100, startMs + 23 * 86_400_000);
  await write("delivery-parked", retry, parked);
  const second = claimAttempt(parked, lease("token-2", startMs + 10_050), startMs + 10_050);
  await write("delivery-attempting-again", parked, second);
  const delivered = recordAttempt(second, success(2, startMs + 10_050), { ...context, nowMs: startMs + 10_100 });
  await write("delivery-delivered", second, delivered);
  // Another end of the same story.
  await deliveries.replaceDelivery(delivered, { ...second, updatedAtMs: startMs + 10_060 });
  const dead = await write("delivery-dead-lettered", second, deadLetter(second, "cancelled", startMs + 10_100));
  await deliveries.noteReplay(dead, subjects.replayId);
  await keep("delivery-replayed", deliveryKey(deliveryId));
  await deliveries.replaceDelivery(dead, erasedDelivery(dead, startMs + 20_000));
  await keep("delivery-erased", deliveryKey(deliveryId));
  const replay = { ...subjects.unborn, deliveryId: subjects.replayId, replayOf: deliveryId };
  await deliveries.replaceDelivery(null, replay);
  await keep("delivery-replay", deliveryKey(subjects.replayId));
}

const failure = (number: number, startedAtMs: number): Attempt => ({
  number,
  startedAtMs,
  delaySeconds: 0,
  outcome: "retryable",
  statusCode: 503,
  error: null,
  durationMs: 50,
  retryAfterSeconds: null,
  retryAfterText: "soon",
  address: "203.0.113.7",
  timings: { dnsMs: 1, connectMs: 2, tlsMs: 3, firstByteMs: 40 },
  preview: Buffer.from("busy").toString("base64"),
});

const success = (number: number, startedAtMs: number): Attempt => ({
  number,
  startedAtMs,
  delaySeconds: 10,
  outcome: "delivered",
  statusCode: 200,
  error: null,
  durationMs: 50,
  retryAfterSeconds: null,
});

async function writeFaults(table: TestTable, keep: Keep): Promise<void> {
  const contents = new MemoryContentStore();
  const faults = new DynamoFaultTable(at(table), contents, retentionDays);
  const message = JSON.stringify(writtenMessages().get("delivery"));
  const record = { queue: "delivery", messageId: subjects.guard, cause: "Error: no table", body: message } as const;
  const fault = await keepFault(faults, record, startMs);
  const key = { pk: `FLT#${fault.faultId}`, sk: "FAULT" };
  await keep("fault", key);
  await faults.markRedriven(fault, startMs + 1000);
  await keep("fault-redriven", key);
  const long = await keepFault(faults, { ...record, messageId: "long", body: "x".repeat(300_000) }, startMs);
  await keep("fault-with-long-body", { pk: `FLT#${long.faultId}`, sk: "FAULT" });
}

async function writeOperations(table: TestTable, keep: Keep): Promise<void> {
  const { replayJob, auditEntry } = subjects;
  const replays = new DynamoReplayTable(at(table));
  await replays.createReplay(replayJob);
  await keep("bulk-replay", replayKey(replayJob.replayId));
  await replays.replaceReplay(replayJob, {
    ...stoppedReplay(replayJob, "cancelled", startMs + 5_000),
    counts: { scanned: 12, replayed: 10, skipped: { already_replayed: 2 } },
    after: "2026-01-01T12:00:00.000Z#dlv_0",
    revision: 2,
  });
  await keep("bulk-replay-ended", replayKey(replayJob.replayId));
  const trail = new TableAuditTrail(at(table), () => startMs);
  await trail.begin(auditEntry);
  await keep("audit-begun", auditKey(auditEntry));
  await trail.end({ ...auditEntry, outcome: { status: 201, code: null } });
  await keep("audit", auditKey(auditEntry));
}

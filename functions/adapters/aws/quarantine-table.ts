import { UpdateItemCommand } from "@aws-sdk/client-dynamodb";
import { marshall } from "@aws-sdk/util-dynamodb";
import type { QuarantineStore, UnverifiedRequest } from "../../app/ports.js";
import { quarantineExpiresAt } from "../../core/expiry.js";
import type { Quarantine } from "../../core/model.js";
import { LruMap } from "./config-cache.js";
import { absent, putItem } from "./config-writes.js";
import { eventAttributes } from "./event-table.js";
import { itemVersion } from "./item-version.js";
import type { Table } from "./items.js";
import { eventKey, shardOf, statePartition, timeKey, unverifiedCountKey } from "./keys.js";
import { sealCredentials } from "./sealed-credentials.js";
import type { Vault } from "./vault.js";

/** How long what is too much is counted in memory: a flood costs one write per environment in this time. */
const countedInMemoryMs = 5_000;

/** Sources whose counts are in memory. */
const mostCounts = 1_000;

interface Count {
  /** As the table said. */
  readonly known: number;
  readonly askedAtMs: number;
  /** Requests since then, which the table does not know of yet. */
  readonly since: number;
}

/** The quarantine as ingress writes it: one item per request, an event like any other, and one count per source and day. */
export class TableQuarantine implements QuarantineStore {
  private readonly counts = new LruMap<Count>(mostCounts);

  constructor(
    private readonly table: Table,
    private readonly vault: Vault,
  ) {}

  async countUnverified(sourceId: string, nowMs: number, most: number): Promise<number> {
    const day = new Date(nowMs).toISOString().slice(0, 10);
    const key = `${sourceId} ${day}`;
    const { known, askedAtMs, since } = this.counts.get(key) ?? { known: 0, askedAtMs: 0, since: 0 };
    if (known > most && nowMs - askedAtMs < countedInMemoryMs && nowMs >= askedAtMs) {
      this.counts.set(key, { known, askedAtMs, since: since + 1 });
      return known + since + 1;
    }
    const count = await this.add(sourceId, day, since + 1, nowMs);
    this.counts.set(key, { known: count, askedAtMs: nowMs, since: 0 });
    return count;
  }

  /** An unconditional addition: exact, however many environments count at once. */
  private async add(sourceId: string, day: string, requests: number, nowMs: number): Promise<number> {
    const answer = await this.table.client().send(
      new UpdateItemCommand({
        TableName: this.table.tableName,
        Key: marshall(unverifiedCountKey(sourceId, day)),
        UpdateExpression: "ADD #requests :requests SET v = :v, expiresAt = :expiresAt",
        ExpressionAttributeNames: { "#requests": "requests" },
        ExpressionAttributeValues: marshall({
          ":requests": requests,
          ":v": itemVersion,
          ":expiresAt": quarantineExpiresAt(nowMs),
        }),
        ReturnValues: "UPDATED_NEW",
      }),
    );
    return Number(answer.Attributes?.["requests"]?.N);
  }

  async keep({ event, content, reason, credentials }: UnverifiedRequest): Promise<void> {
    const { eventId, sourceId, receivedAtMs } = event;
    const quarantine: Quarantine = { reason };
    const item = {
      ...eventKey(eventId),
      ...eventAttributes({ event, content }),
      subscriptionIds: [],
      quarantine,
      // The event is the owner: a blob that is copied to another one's item does not open.
      sealed: await sealCredentials(this.vault, eventId, credentials),
      spk: statePartition(sourceId, "quarantined", shardOf(eventId)),
      ssk: timeKey(receivedAtMs, eventId),
      expiresAt: quarantineExpiresAt(receivedAtMs),
    };
    if (!(await putItem(this.table, item, absent))) throw new Error(`there is an event ${eventId} already`);
  }
}

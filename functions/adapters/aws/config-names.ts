import { DeleteItemCommand, PutItemCommand } from "@aws-sdk/client-dynamodb";
import { marshall } from "@aws-sdk/util-dynamodb";
import type { SubscriptionRecord } from "../../app/admin/definitions.js";
import { applies } from "./config-expression.js";
import { type NameClaim, nameFromItem, nameItem, subscriptionFromItem } from "./config-items.js";
import { type ConfigTable, readItem } from "./config-reads.js";
import { subscriptionKey, subscriptionNameKey } from "./keys.js";

/**
 * A claim younger than this may belong to a creation that is still under way (an HTTP API cuts a request off after
 * 30 s): it is respected although nothing stands behind it yet.
 */
const graceMs = 60_000;

type Named = Pick<SubscriptionRecord, "sourceId" | "subscriptionId" | "name">;

/** Names that are unique within their source, each held by an item of its own. */
export class SubscriptionNames {
  constructor(private readonly table: ConfigTable) {}

  /** True: the name is this subscription's now, or it has none. A claim that nothing stands behind is taken over. */
  async claim({ sourceId, subscriptionId, name }: Named, nowMs: number): Promise<boolean> {
    if (name === null) return true;
    const claim: NameClaim = { subscriptionId, claimedAtMs: nowMs };
    if (await this.put(sourceId, name, claim, null)) return true;
    const item = await readItem(this.table, subscriptionNameKey(sourceId, name), nowMs, true);
    if (item === null) return this.put(sourceId, name, claim, null);
    const held = nameFromItem(item);
    if (held.subscriptionId !== subscriptionId && (await this.isInUse(sourceId, name, held, nowMs))) return false;
    return this.put(sourceId, name, claim, held);
  }

  /** Gives the name up if this subscription still holds it. */
  async release({ sourceId, subscriptionId, name }: Named): Promise<void> {
    if (name === null) return;
    await applies(
      this.table.client.send(
        new DeleteItemCommand({
          TableName: this.table.tableName,
          Key: marshall(subscriptionNameKey(sourceId, name)),
          ConditionExpression: "subscriptionId = :holder",
          ExpressionAttributeValues: marshall({ ":holder": subscriptionId }),
        }),
      ),
    );
  }

  private async isInUse(sourceId: string, name: string, held: NameClaim, nowMs: number): Promise<boolean> {
    const item = await readItem(this.table, subscriptionKey(sourceId, held.subscriptionId), nowMs, true);
    const holder = item === null ? null : subscriptionFromItem(item).record;
    if (holder !== null && holder.deletedAtMs === null && holder.name === name) return true;
    return holder?.deletedAtMs == null && nowMs - held.claimedAtMs < graceMs;
  }

  private put(sourceId: string, name: string, claim: NameClaim, held: NameClaim | null): Promise<boolean> {
    const condition =
      held === null
        ? { ConditionExpression: "attribute_not_exists(pk)" }
        : {
            ConditionExpression: "subscriptionId = :holder AND claimedAtMs = :since",
            ExpressionAttributeValues: marshall({ ":holder": held.subscriptionId, ":since": held.claimedAtMs }),
          };
    const item = nameItem(subscriptionNameKey(sourceId, name), claim);
    return applies(
      this.table.client.send(new PutItemCommand({ TableName: this.table.tableName, Item: item, ...condition })),
    );
  }
}

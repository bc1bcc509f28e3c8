import { paginateQuery } from "@aws-sdk/client-dynamodb";
import { marshall, unmarshall } from "@aws-sdk/util-dynamodb";
import type { DueEntry, DueList } from "../../app/ports.js";
import { indexShards, tableLayout } from "../../shared/table-layout.js";
import { changeItem, type Item, type Table } from "./items.js";
import { deliveryKey, duePartition, gateKey, type Key, type DueList as ListName, replayKey, timeKey } from "./keys.js";

const { name: indexName, partitionKey, sortKey } = tableLayout.indexes.due;

const listNames = { overdue: "DUE", parked: "PARKED" } as const satisfies Record<string, ListName>;

/** Entries of a page: what one batch read takes. */
const pageSize = 100;

/** What is due, by the sparse `due` index. */
export class DynamoDueList implements DueList {
  constructor(private readonly table: Table) {}

  async *due(list: "overdue" | "parked", untilMs: number): AsyncGenerator<readonly DueEntry[]> {
    for (let shard = 0; shard < indexShards; shard++) {
      const pages = paginateQuery(
        { client: this.table.client(), pageSize },
        {
          TableName: this.table.tableName,
          IndexName: indexName,
          KeyConditionExpression: `${partitionKey} = :list AND ${sortKey} < :until`,
          ExpressionAttributeValues: marshall({
            ":list": duePartition(listNames[list], shard),
            // "~" sorts after every id, so that the millisecond itself is included.
            ":until": timeKey(untilMs, "~"),
          }),
        },
      );
      for await (const page of pages) {
        yield (page.Items ?? []).map((item) => unmarshall(item)).flatMap((item) => entryOf(item) ?? []);
      }
    }
  }

  postpone(entry: DueEntry, untilMs: number): Promise<boolean> {
    const unmoved = { expression: `#${sortKey} = :read`, values: { ":read": entry.position } };
    const id = idOf(entry);
    return changeItem(this.table, keyOf(entry), { [sortKey]: timeKey(untilMs, id) }, unmoved);
  }
}

function idOf(entry: DueEntry): string {
  if (entry.kind === "delivery") return entry.deliveryId;
  return entry.kind === "gate" ? entry.subscriptionId : entry.replayId;
}

function keyOf(entry: DueEntry): Key {
  if (entry.kind === "delivery") return deliveryKey(entry.deliveryId);
  return entry.kind === "gate" ? gateKey(entry.subscriptionId) : replayKey(entry.replayId);
}

/** Null for an item of a kind that this version does not know. */
function entryOf(item: Item): DueEntry | null {
  const [pk, position] = [item["pk"] as string, item[sortKey] as string];
  if (item["sk"] === deliveryKey("").sk) {
    return { kind: "delivery", deliveryId: pk.slice(deliveryKey("").pk.length), position };
  }
  if (item["sk"] === gateKey("").sk) {
    return { kind: "gate", subscriptionId: pk.slice(gateKey("").pk.length), position };
  }
  if (item["sk"] === replayKey("").sk) {
    return { kind: "replay", replayId: pk.slice(replayKey("").pk.length), position };
  }
  return null;
}

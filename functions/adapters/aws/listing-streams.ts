import { QueryCommand, type QueryCommandInput } from "@aws-sdk/client-dynamodb";
import { marshall } from "@aws-sdk/util-dynamodb";
import type { ListRange } from "../../app/admin/ports.js";
import { indexShards } from "../../shared/table-layout.js";
import type { Table } from "./items.js";
import { mergeStreams, type Positioned, type ReadNext } from "./listing-merge.js";

/** Lists made of partitions of an index, each in order, merged into one. */

export interface Index {
  readonly name: string;
  readonly partitionKey: string;
  readonly sortKey: string;
}

/** One partition of an index, as a list reads it. */
export interface Stream<Entry extends Positioned> {
  readonly index: Index;
  readonly partition: string;
  /** Whether entries before `sinceMs`, or from `untilMs` on, can be told by their place in the order. */
  readonly bounded: { readonly since: boolean; readonly until: boolean };
  /** Null: the item is of another kind and is left out. */
  readonly entry: (pk: string, position: string) => Entry | null;
}

type Start = QueryCommandInput["ExclusiveStartKey"];

/** The name of each partition of a sharded key. */
export const sharded = (partition: (shard: number) => string): readonly string[] =>
  Array.from({ length: indexShards }, (_value, shard) => partition(shard));

/** All entries of the streams in one order; read as they are taken. */
export function listStreams<Entry extends Positioned>(
  table: Table,
  streams: readonly Stream<Entry>[],
  range: ListRange,
  descending: boolean,
): AsyncIterable<Entry> {
  // Each stream holds a part of the page only: reading twice the fair share saves most second reads.
  const pageSize = Math.max(4, Math.ceil((2 * range.expected) / streams.length));
  const readers = streams.map((stream) => reader(table, stream, range, { descending, pageSize }));
  return mergeStreams(readers, { after: range.after, descending });
}

interface Reading {
  readonly descending: boolean;
  readonly pageSize: number;
}

function reader<Entry extends Positioned>(
  table: Table,
  stream: Stream<Entry>,
  range: ListRange,
  reading: Reading,
): ReadNext<Entry> {
  let ended = false;
  return async (after) => {
    const found: Entry[] = [];
    let start: Start;
    while (!ended && found.length === 0) {
      const query = queryOf(stream, after, range, reading);
      const command = new QueryCommand({ TableName: table.tableName, ...query, ExclusiveStartKey: start });
      const answer = await table.client().send(command);
      const entries = (answer.Items ?? []).map((item) =>
        stream.entry(item["pk"]?.S ?? "", item[stream.index.sortKey]?.S ?? ""),
      );
      found.push(
        ...entries.filter((entry) => entry !== null && entry.position !== after).map((entry) => entry as Entry),
      );
      start = answer.LastEvaluatedKey;
      ended = start === undefined;
    }
    return found;
  };
}

/** Sort keys are `<ISO time>#<id>`: these are before and after all of them. */
const lowest = "0";
const highest = "~";

function queryOf<Entry extends Positioned>(
  { index, partition, bounded }: Stream<Entry>,
  after: string | null,
  range: ListRange,
  { descending, pageSize }: Reading,
) {
  const since = bounded.since && range.sinceMs !== null ? new Date(range.sinceMs).toISOString() : lowest;
  const until = bounded.until && range.untilMs !== null ? new Date(range.untilMs).toISOString() : highest;
  const low = after === null || descending ? since : after;
  const high = after === null || !descending ? until : after;
  // A range that ends before it begins is an error to DynamoDB; this one holds nothing.
  const [first, last] = low < high ? [low, high] : [low, low];
  return {
    IndexName: index.name,
    KeyConditionExpression: "#partition = :partition AND #sort BETWEEN :low AND :high",
    ExpressionAttributeNames: { "#partition": index.partitionKey, "#sort": index.sortKey },
    ExpressionAttributeValues: marshall({ ":partition": partition, ":low": first, ":high": last }),
    ScanIndexForward: !descending,
    // The bounds are inclusive: the entry to go on after comes once more, and is left out.
    Limit: pageSize + 1,
  };
}

import { QueryCommand } from "@aws-sdk/client-dynamodb";
import { marshall } from "@aws-sdk/util-dynamodb";
import type { Page, PageRequest, ReplayStore } from "../../app/admin/ports.js";
import type { ReplayJob } from "../../core/replay-job.js";
import { tableLayout } from "../../shared/table-layout.js";
import { type ItemChanges, sweepGraceMs } from "./delivery-item.js";
import { isKnownVersion, itemVersion, requireKnownVersion } from "./item-version.js";
import { changeItem, getItem, getItems, type Item, type Table } from "./items.js";
import { duePartition, type Key, replayKey, replayListPartition, shardOf, timeKey } from "./keys.js";

const { due, state } = tableLayout.indexes;

/** Days that a bulk replay stays after its end. */
const keptDays = 90;
const daySeconds = 86_400;

/** Bulk replays in DynamoDB: one item each. */
export class DynamoReplayTable implements ReplayStore {
  constructor(private readonly table: Table) {}

  async createReplay(job: ReplayJob): Promise<void> {
    const listed = {
      [state.partitionKey]: replayListPartition,
      [state.sortKey]: timeKey(job.createdAtMs, job.replayId),
    };
    const absent = { expression: "attribute_not_exists(pk)" };
    if (await changeItem(this.table, replayKey(job.replayId), { ...jobChanges(job), ...listed }, absent)) return;
    throw new Error(`there is a bulk replay ${job.replayId} already`);
  }

  async findReplay(replayId: string): Promise<ReplayJob | null> {
    const item = await getItem(this.table, replayKey(replayId));
    return item === null ? null : jobFromItem(item);
  }

  replaceReplay(previous: ReplayJob, next: ReplayJob): Promise<boolean> {
    const unchanged = { expression: "#revision = :read", values: { ":read": previous.revision } };
    return changeItem(this.table, replayKey(next.replayId), jobChanges(next), unchanged);
  }

  async listReplays({ after, limit }: PageRequest): Promise<Page<ReplayJob>> {
    const answer = await this.table.client().send(
      new QueryCommand({
        TableName: this.table.tableName,
        IndexName: state.name,
        KeyConditionExpression: "#partition = :partition AND #sort < :before",
        ExpressionAttributeNames: { "#partition": state.partitionKey, "#sort": state.sortKey },
        ExpressionAttributeValues: marshall({ ":partition": replayListPartition, ":before": after ?? "~" }),
        ScanIndexForward: false,
        Limit: limit,
      }),
    );
    const places = (answer.Items ?? []).map((item) => ({ pk: item["pk"]?.S ?? "", at: item[state.sortKey]?.S ?? "" }));
    const items = await getItems(
      this.table,
      places.map(({ pk }): Key => ({ ...replayKey(""), pk })),
    );
    const jobs = new Map(items.filter(isKnownVersion).map((item) => [item["pk"] as string, jobFromItem(item)]));
    const last = answer.LastEvaluatedKey === undefined ? undefined : places.at(-1);
    return { items: places.flatMap(({ pk }) => jobs.get(pk) ?? []), after: last?.at ?? null };
  }
}

/** All attributes but the key and the entry on the list of all. */
function jobChanges({ replayId, ...job }: ReplayJob): ItemChanges {
  const { filter, ...fields } = job;
  const { endedAtMs } = job;
  return {
    v: itemVersion,
    ...Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, value ?? undefined])),
    filter: withoutNulls(filter),
    tick: withoutNulls(job.tick),
    ...dueEntry(replayId, job),
    expiresAt: endedAtMs === null ? undefined : Math.ceil(endedAtMs / 1000) + keptDays * daySeconds,
  };
}

const withoutNulls = (value: object): Item =>
  Object.fromEntries(Object.entries(value).filter(([, each]) => each !== null));

/** While it runs the sweeper looks at it some minutes after its next tick. */
function dueEntry(replayId: string, { state: jobState, tick }: Pick<ReplayJob, "state" | "tick">): ItemChanges {
  if (jobState !== "running") return { [due.partitionKey]: undefined, [due.sortKey]: undefined };
  return {
    [due.partitionKey]: duePartition("DUE", shardOf(replayId)),
    [due.sortKey]: timeKey((tick.dueAtMs ?? 0) + sweepGraceMs, replayId),
  };
}

/**
 * Reads an item back.
 *
 * @throws {UnknownItemVersionError} for one that only a later version can read.
 */
function jobFromItem(item: Item): ReplayJob {
  requireKnownVersion(item);
  const filter = item["filter"] as Item;
  const tick = item["tick"] as Item;
  const orNull = <Value>(value: unknown): Value | null => (value ?? null) as Value | null;
  return {
    replayId: (item["pk"] as string).slice(replayKey("").pk.length),
    revision: item["revision"] as number,
    state: item["state"] as ReplayJob["state"],
    failure: orNull(item["failure"]),
    filter: {
      status: filter["status"] as ReplayJob["filter"]["status"],
      reason: orNull(filter["reason"]),
      subscriptionId: orNull(filter["subscriptionId"]),
      sourceId: orNull(filter["sourceId"]),
      sinceMs: orNull(filter["sinceMs"]),
      untilMs: orNull(filter["untilMs"]),
      statusCode: orNull(filter["statusCode"]),
      error: orNull(filter["error"]),
    },
    searched: orNull(item["searched"]),
    target: orNull(item["target"]),
    includeReplayed: item["includeReplayed"] as boolean,
    perSecond: item["perSecond"] as number,
    by: item["by"] as string,
    reason: orNull(item["reason"]),
    createdAtMs: item["createdAtMs"] as number,
    updatedAtMs: item["updatedAtMs"] as number,
    endedAtMs: orNull(item["endedAtMs"]),
    estimate: item["estimate"] as ReplayJob["estimate"],
    counts: item["counts"] as ReplayJob["counts"],
    after: orNull(item["after"]),
    tick: { seq: tick["seq"] as number, dueAtMs: orNull(tick["dueAtMs"]), by: orNull(tick["by"]) },
  };
}

import { QueryCommand } from "@aws-sdk/client-dynamodb";
import { marshall } from "@aws-sdk/util-dynamodb";
import type { Page, PageRequest, SecretValues, SourceStore } from "../../app/admin/ports.js";
import type { OpenSource } from "../../app/ports.js";
import type { Source } from "../../core/model.js";
import { sourceSecretNames } from "../../core/sealed-secrets.js";
import { tableLayout } from "../../shared/table-layout.js";
import { sourceFields, sourceFromItem, sourceItem } from "./config-items.js";
import { readItem, subscriptionPages } from "./config-reads.js";
import { type ConfigReader, openSource } from "./config-table.js";
import { absent, deleteItem, putItem, stillHas } from "./config-writes.js";
import { changeItem, getItems, type Item } from "./items.js";
import { type Key, sourceKey, sourceListPartition } from "./keys.js";

/** Sources as the admin API changes them: one conditional write each. */
export class TableSourceStore implements SourceStore {
  constructor(private readonly table: ConfigReader) {}

  async findSource(sourceId: string): Promise<Source | null> {
    const item = await this.read(sourceId);
    return item === null ? null : sourceFromItem(item).record;
  }

  async openSource(sourceId: string): Promise<OpenSource | null> {
    const item = await this.read(sourceId);
    if (item === null) return null;
    const { record, sealed } = sourceFromItem(item);
    return openSource(this.table.vault, record, sealed);
  }

  async listSources(page: PageRequest): Promise<Page<Source>> {
    const answer = await this.table.client().send(listQuery(this.table.tableName, page));
    const keys = (answer.Items ?? []).map(({ pk, sk }) => ({ pk: pk?.S, sk: sk?.S }) as Key);
    const sources = (await getItems(this.table, keys)).map((item) => sourceFromItem(item).record);
    return {
      items: sources.sort((a, b) => (a.sourceId < b.sourceId ? -1 : 1)),
      after: answer.LastEvaluatedKey?.["ssk"]?.S ?? null,
    };
  }

  async createSource(source: Source, secrets: SecretValues): Promise<boolean> {
    return putItem(this.table, sourceItem(source, await this.seal(source, secrets)), absent);
  }

  async replaceSource(source: Source, secrets: SecretValues | null): Promise<boolean> {
    const sealed = secrets === null ? {} : { sealed: (await this.seal(source, secrets)) ?? undefined };
    const changes = { ...sourceFields(source), ...sealed };
    return changeItem(this.table, sourceKey(source.sourceId), changes, stillHas({ version: source.version - 1 }));
  }

  deleteSource({ sourceId, version }: Source): Promise<boolean> {
    return deleteItem(this.table, sourceKey(sourceId), stillHas({ version }));
  }

  async hasSubscriptions(sourceId: string): Promise<boolean> {
    for await (const items of subscriptionPages(this.table, sourceId)) if (items.some(isLive)) return true;
    return false;
  }

  private read(sourceId: string): Promise<Item | null> {
    return readItem(this.table, sourceKey(sourceId));
  }

  private async seal(source: Source, secrets: SecretValues): Promise<Buffer | null> {
    return sourceSecretNames(source).length === 0 ? null : this.table.vault.seal(source.sourceId, secrets);
  }
}

/** False for the tombstone of a deleted subscription. */
export const isLive = (item: Item): boolean => (item["deletedAtMs"] ?? null) === null;

function listQuery(tableName: string, { after, limit }: PageRequest): QueryCommand {
  const { state } = tableLayout.indexes;
  const start = after === null ? {} : { ExclusiveStartKey: marshall(listKey(after)) };
  return new QueryCommand({
    TableName: tableName,
    IndexName: state.name,
    KeyConditionExpression: "spk = :list",
    ExpressionAttributeValues: marshall({ ":list": sourceListPartition }),
    Limit: limit,
    ...start,
  });
}

const listKey = (sourceId: string) => ({ ...sourceKey(sourceId), spk: sourceListPartition, ssk: sourceId });

import { DeleteItemCommand, PutItemCommand, QueryCommand, UpdateItemCommand } from "@aws-sdk/client-dynamodb";
import { marshall } from "@aws-sdk/util-dynamodb";
import type { Page, PageRequest, SecretValues, SourceStore } from "../../app/admin/ports.js";
import type { OpenSource } from "../../app/ports.js";
import type { Source } from "../../core/model.js";
import { tableLayout } from "../../shared/table-layout.js";
import { applies, updateExpression } from "./config-expression.js";
import { type Item, sourceFields, sourceFromItem, sourceItem } from "./config-items.js";
import { readItem, readItems, subscriptionPages } from "./config-reads.js";
import { type ConfigReader, openSecrets } from "./config-table.js";
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
    return { ...record, secretValues: await openSecrets(this.table.vault, sourceId, record.secrets, sealed) };
  }

  async listSources(page: PageRequest): Promise<Page<Source>> {
    const answer = await this.table.client.send(listQuery(this.table.tableName, page));
    const keys = (answer.Items ?? []).map(({ pk, sk }) => ({ pk: pk?.S, sk: sk?.S }) as Key);
    const sources = (await readItems(this.table, keys)).map((item) => sourceFromItem(item).record);
    return {
      items: sources.sort((a, b) => (a.sourceId < b.sourceId ? -1 : 1)),
      after: answer.LastEvaluatedKey?.["ssk"]?.S ?? null,
    };
  }

  async createSource(source: Source, secrets: SecretValues): Promise<boolean> {
    return applies(
      this.table.client.send(
        new PutItemCommand({
          TableName: this.table.tableName,
          Item: sourceItem(source, await this.seal(source, secrets)),
          ConditionExpression: "attribute_not_exists(pk)",
        }),
      ),
    );
  }

  async replaceSource(source: Source, secrets: SecretValues | null): Promise<boolean> {
    const sealed = secrets === null ? null : await this.seal(source, secrets);
    return applies(
      this.table.client.send(
        new UpdateItemCommand({
          TableName: this.table.tableName,
          Key: marshall(sourceKey(source.sourceId)),
          ...updateExpression({
            set: { ...sourceFields(source), ...(sealed === null ? {} : { sealed }) },
            remove: source.secrets.length === 0 ? ["sealed"] : [],
            onlyIf: { version: source.version - 1 },
          }),
        }),
      ),
    );
  }

  async deleteSource(source: Source): Promise<boolean> {
    return applies(
      this.table.client.send(
        new DeleteItemCommand({
          TableName: this.table.tableName,
          Key: marshall(sourceKey(source.sourceId)),
          ConditionExpression: "version = :version",
          ExpressionAttributeValues: marshall({ ":version": source.version }),
        }),
      ),
    );
  }

  async hasSubscriptions(sourceId: string): Promise<boolean> {
    const pages = subscriptionPages(this.table, sourceKey(sourceId).pk, this.table.now(), { consistent: true });
    for await (const items of pages) if (items.some(isLive)) return true;
    return false;
  }

  private read(sourceId: string): Promise<Item | null> {
    return readItem(this.table, sourceKey(sourceId), this.table.now(), true);
  }

  private async seal(source: Source, secrets: SecretValues): Promise<Buffer | null> {
    return source.secrets.length === 0 ? null : this.table.vault.seal(source.sourceId, secrets);
  }
}

/** False for the tombstone of a deleted subscription. */
export const isLive = (item: Item): boolean => item["deletedAtMs"]?.N === undefined;

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

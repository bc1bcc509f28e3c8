import { join } from "node:path";
import conditionParser from "dynalite/db/conditionParser.js";
import db, { type Store, type Table } from "dynalite/db/index.js";
import updateParser from "dynalite/db/updateParser.js";
import type { LocalAccount } from "../arns.js";
import { AwsError } from "../aws-error.js";
import { asObject, type JsonObject, optionalString, requiredString } from "../json-input.js";
import type { StateStore } from "../state-store.js";
import { makeDirect } from "./direct-store.js";
import { runOperation } from "./operations.js";
import { rebuildIndexes, valuesOf } from "./rebuild-indexes.js";
import { rememberParses } from "./remembered-parses.js";

for (const parser of [conditionParser, updateParser]) rememberParses(parser);

const ttlPrefix = "dynamodb!ttl!";

/** DynamoDB is dynalite on disk, without the server that it comes with. */
export class DynamoDb {
  private constructor(
    private readonly dynaliteStore: Store,
    private readonly state: StateStore,
  ) {}

  /** Opens the tables, ends what a killed process left half done, and rebuilds every index. */
  static async open(dataDir: string, state: StateStore, account: LocalAccount): Promise<DynamoDb> {
    const path = join(dataDir, "dynamodb");
    const store = db.create({ path, createTableMs: 0, deleteTableMs: 0, updateTableMs: 0 });
    store.tableDb.awsAccountId = account.accountId;
    store.tableDb.awsRegion = account.region;
    await store.db.open();
    const tables: Table[] = [];
    for await (const text of valuesOf(store, "table~")) tables.push(JSON.parse(text));
    for (const table of tables) {
      await settleStatus(store, table);
      await rebuildIndexes(store, table);
    }
    makeDirect(store);
    return new DynamoDb(store, state);
  }

  /**
   * One call, input and output as the JSON protocol has them.
   *
   * @throws {AwsError} what DynamoDB would answer.
   */
  async call(operation: string, input: JsonObject): Promise<JsonObject> {
    switch (operation) {
      // dynalite does not know these.
      case "UpdateTimeToLive":
        return this.#updateTimeToLive(input);
      case "DescribeTimeToLive":
        return { TimeToLiveDescription: await this.#describeTimeToLive(requiredString(input, "TableName")) };
      case "UpdateContinuousBackups":
      case "DescribeContinuousBackups":
        return { ContinuousBackupsDescription: { ContinuousBackupsStatus: "DISABLED" } };
      default:
        return runOperation(this.dynaliteStore, operation, input);
    }
  }

  async close(): Promise<void> {
    await this.dynaliteStore.lifecycleManager.gracefulClose();
  }

  /** Kept and shown, without effect: readers leave out what has expired, as they must on AWS too. */
  async #updateTimeToLive(input: JsonObject): Promise<JsonObject> {
    const tableName = requiredString(input, "TableName");
    const specification = asObject(input["TimeToLiveSpecification"], "TimeToLiveSpecification");
    const attribute = optionalString(specification, "AttributeName");
    if (attribute === undefined) throw new AwsError("ValidationException", "AttributeName is required.");
    const key = ttlPrefix + tableName;
    const enabled = specification["Enabled"] === true;
    await this.state.write([enabled ? { type: "put", key, value: attribute } : { type: "del", key }]);
    return { TimeToLiveSpecification: { AttributeName: attribute, Enabled: enabled } };
  }

  async #describeTimeToLive(tableName: string): Promise<JsonObject> {
    const attribute = await this.state.get(ttlPrefix + tableName);
    return attribute === undefined
      ? { TimeToLiveStatus: "DISABLED" }
      : { TimeToLiveStatus: "ENABLED", AttributeName: attribute };
  }
}

/** A table that was being created or changed when the process ended would be so for ever. */
async function settleStatus(store: Store, table: Table): Promise<void> {
  const indexes = table.GlobalSecondaryIndexes ?? [];
  const settled = table.TableStatus === "ACTIVE" && indexes.every((index) => index.IndexStatus === "ACTIVE");
  if (settled) return;
  table.TableStatus = "ACTIVE";
  for (const index of indexes) index.IndexStatus = "ACTIVE";
  await store.db.batch([{ type: "put", key: `table~${table.TableName}`, value: table }]);
}

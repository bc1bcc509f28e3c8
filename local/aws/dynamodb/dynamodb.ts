import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { join } from "node:path";
import { Readable } from "node:stream";
import dynalite from "dynalite";
import db, { type Store, type Table } from "dynalite/db/index.js";
import type { LocalAccount } from "../arns.js";
import { AwsError } from "../aws-error.js";
import { asObject, type JsonObject, optionalString, requiredString } from "../json-input.js";
import type { StateStore } from "../state-store.js";
import { makeDirect } from "./direct-store.js";
import { rebuildIndexes, valuesOf } from "./rebuild-indexes.js";

const ttlPrefix = "dynamodb!ttl!";

/**
 * DynamoDB is dynalite on disk. It is never exposed as it is: it ends the process on a request that breaks off, so it
 * gets whole requests only.
 */
export class DynamoDb {
  private constructor(
    private readonly server: Server,
    private readonly dynaliteStore: Store,
    private readonly state: StateStore,
  ) {}

  /** Opens the tables, ends what a killed process left half done, and rebuilds every index. */
  static async open(dataDir: string, state: StateStore, account: LocalAccount): Promise<DynamoDb> {
    const { server, store } = createDynalite(join(dataDir, "dynamodb"));
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
    return new DynamoDb(server, store, state);
  }

  /** Whether {@link call} answers an operation: dynalite does not know it. */
  answers(operation: string): boolean {
    return /^(Update|Describe)(TimeToLive|ContinuousBackups)$/.test(operation);
  }

  async call(operation: string, input: JsonObject): Promise<object> {
    switch (operation) {
      case "UpdateTimeToLive":
        return this.#updateTimeToLive(input);
      case "DescribeTimeToLive":
        return { TimeToLiveDescription: await this.#describeTimeToLive(requiredString(input, "TableName")) };
      default:
        return { ContinuousBackupsDescription: { ContinuousBackupsStatus: "DISABLED" } };
    }
  }

  /** Hands any other request, its body read to the end, to dynalite. */
  forward(request: IncomingMessage, body: Buffer, response: ServerResponse): void {
    const { method, url, headers } = request;
    this.server.emit(
      "request",
      Object.assign(Readable.from(body.length > 0 ? [body] : []), { method, url, headers }),
      response,
    );
  }

  async close(): Promise<void> {
    await this.dynaliteStore.lifecycleManager.gracefulClose();
  }

  /** Kept and shown, without effect: readers leave out what has expired, as they must on AWS too. */
  async #updateTimeToLive(input: JsonObject): Promise<object> {
    const tableName = requiredString(input, "TableName");
    const specification = asObject(input["TimeToLiveSpecification"], "TimeToLiveSpecification");
    const attribute = optionalString(specification, "AttributeName");
    if (attribute === undefined) throw new AwsError("ValidationException", "AttributeName is required.");
    const key = ttlPrefix + tableName;
    const enabled = specification["Enabled"] === true;
    await this.state.write([enabled ? { type: "put", key, value: attribute } : { type: "del", key }]);
    return { TimeToLiveSpecification: { AttributeName: attribute, Enabled: enabled } };
  }

  async #describeTimeToLive(tableName: string): Promise<object> {
    const attribute = await this.state.get(ttlPrefix + tableName);
    return attribute === undefined
      ? { TimeToLiveStatus: "DISABLED" }
      : { TimeToLiveStatus: "ENABLED", AttributeName: attribute };
  }
}

/** dynalite keeps its store to itself, and closes it only when it listens, which it does not here. */
function createDynalite(path: string): { readonly server: Server; readonly store: Store } {
  const original = db.create;
  let store: Store | undefined;
  db.create = (options) => {
    store = original(options);
    return store;
  };
  try {
    const server = dynalite({ path, createTableMs: 0, deleteTableMs: 0, updateTableMs: 0 });
    if (store === undefined) throw new Error("This version of dynalite makes its store in another way.");
    return { server, store };
  } finally {
    db.create = original;
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

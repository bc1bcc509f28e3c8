import {
  type BatchGetItemCommandInput,
  type BatchGetItemCommandOutput,
  ConditionalCheckFailedException,
  type DynamoDBClient,
  GetItemCommand,
  type GetItemCommandInput,
  type GetItemCommandOutput,
  type PutItemCommandInput,
  type QueryCommandInput,
  type QueryCommandOutput,
  type UpdateItemCommandInput,
} from "@aws-sdk/client-dynamodb";
import type { SendMessageBatchCommandInput, SendMessageCommandInput } from "@aws-sdk/client-sqs";
import type { TableWiring } from "../../local/wiring.js";
import { queryUnits, queueRequests, type RawItem, readUnits, refusedWriteUnits, writeUnits } from "./counting-units.js";
import { itemBytes } from "./item-bytes.js";

/** What a call is billed, as far as this relay's calls are. */
export interface CallUnits {
  readonly writeUnits: number;
  readonly readUnits: number;
  readonly queueRequests: number;
  /** Size of the item that a write left behind, as DynamoDB counts it; 0 for anything else. */
  readonly itemBytes: number;
}

/** A call as it is under way: its operation (`UpdateItem`), its input, and what makes it. */
export interface CallUnderWay {
  readonly operation: string;
  readonly input: object;
  readonly make: () => Promise<unknown>;
}

const nothing: CallUnits = { writeUnits: 0, readUnits: 0, queueRequests: 0, itemBytes: 0 };

/**
 * Makes calls and says what they are billed. Around a write the item is read, by a client that nobody counts; writes of
 * one item wait for each other, so that before and after belong to this one.
 */
export class CallMeter {
  readonly #writing = new Map<string, Promise<unknown>>();

  constructor(
    private readonly table: TableWiring,
    private readonly reader: DynamoDBClient,
  ) {}

  /** Resolves when the call is over, however it ended: `outcome` gives its answer or throws its error. */
  async measure(call: CallUnderWay): Promise<{ readonly units: CallUnits; readonly outcome: () => unknown }> {
    switch (call.operation) {
      case "PutItem":
        return this.#inTurn(this.#keyOf((call.input as PutItemCommandInput).Item ?? {}), call);
      case "UpdateItem":
      case "DeleteItem":
        return this.#inTurn((call.input as UpdateItemCommandInput).Key ?? {}, call);
      default: {
        const output = await call.make();
        return { units: unitsOf(call.operation, call.input, output), outcome: () => output };
      }
    }
  }

  #keyOf(item: RawItem): RawItem {
    const names = this.table.keySchema.map(({ AttributeName }) => AttributeName);
    return Object.fromEntries(names.flatMap((name) => (item[name] === undefined ? [] : [[name, item[name]]])));
  }

  #inTurn(key: RawItem, call: CallUnderWay) {
    const name = JSON.stringify(key);
    const before = this.#writing.get(name) ?? Promise.resolve();
    const mine = before.then(() => this.#write(key, call));
    this.#writing.set(name, mine);
    return mine;
  }

  async #write(key: RawItem, call: CallUnderWay) {
    const before = await this.#read(key);
    try {
      const output = await call.make();
      const after = await this.#read(key);
      const units = {
        ...nothing,
        writeUnits: writeUnits(this.table, before, after),
        itemBytes: itemBytes(after ?? {}),
      };
      return { units, outcome: () => output };
    } catch (error) {
      if (!(error instanceof ConditionalCheckFailedException)) throw error;
      const outcome = () => {
        throw error;
      };
      return { units: { ...nothing, writeUnits: refusedWriteUnits(before) }, outcome };
    }
  }

  async #read(key: RawItem): Promise<RawItem | null> {
    const input = { TableName: this.table.name, Key: { ...key }, ConsistentRead: true };
    return (await this.reader.send(new GetItemCommand(input))).Item ?? null;
  }
}

function unitsOf(operation: string, input: object, output: unknown): CallUnits {
  switch (operation) {
    case "GetItem": {
      const { Item = null } = output as GetItemCommandOutput;
      return { ...nothing, readUnits: readUnits(Item, (input as GetItemCommandInput).ConsistentRead === true) };
    }
    case "BatchGetItem":
      return {
        ...nothing,
        readUnits: batchGetUnits(input as BatchGetItemCommandInput, output as BatchGetItemCommandOutput),
      };
    case "Query": {
      const { Items = [] } = output as QueryCommandOutput;
      return { ...nothing, readUnits: queryUnits(Items, (input as QueryCommandInput).ConsistentRead === true) };
    }
    case "SendMessage":
      return { ...nothing, queueRequests: queueRequests(textBytes((input as SendMessageCommandInput).MessageBody)) };
    case "SendMessageBatch": {
      const { Entries = [] } = input as SendMessageBatchCommandInput;
      const bytes = Entries.reduce((sum, entry) => sum + textBytes(entry.MessageBody), 0);
      return { ...nothing, queueRequests: queueRequests(bytes) };
    }
    case "ChangeMessageVisibility":
      return { ...nothing, queueRequests: 1 };
    case "PutObject":
    case "GetObject":
    case "Decrypt":
    case "GenerateDataKey":
    case "CreateSchedule":
      return nothing;
    default:
      throw new Error(`nobody has said what ${operation} is billed`);
  }
}

/** Every key that was asked for is billed as a read of its own, also one that is not there. */
function batchGetUnits(input: BatchGetItemCommandInput, output: BatchGetItemCommandOutput): number {
  const tables = Object.entries(input.RequestItems ?? {});
  return tables.reduce((sum, [name, { Keys = [], ConsistentRead = false }]) => {
    const found = output.Responses?.[name] ?? [];
    const unanswered = output.UnprocessedKeys?.[name]?.Keys?.length ?? 0;
    const absent = Array.from({ length: Keys.length - found.length - unanswered }, () => null);
    return [...found, ...absent].reduce((units, item) => units + readUnits(item, ConsistentRead), sum);
  }, 0);
}

const textBytes = (text: string | undefined): number => Buffer.byteLength(text ?? "");

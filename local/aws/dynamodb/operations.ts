import { createRequire } from "node:module";
import type { Store } from "dynalite/db/index.js";
import validations, { type DynaliteError } from "dynalite/validations/index.js";
import { AwsError } from "../aws-error.js";
import type { JsonObject } from "../json-input.js";

const require = createRequire(import.meta.url);

/** All that dynalite knows. */
const names = new Set([
  "BatchGetItem",
  "BatchWriteItem",
  "CreateTable",
  "DeleteItem",
  "DeleteTable",
  "DescribeTable",
  "GetItem",
  "ListTables",
  "ListTagsOfResource",
  "PutItem",
  "Query",
  "Scan",
  "TagResource",
  "UntagResource",
  "UpdateItem",
  "UpdateTable",
]);

type Action = (store: Store, input: object, callback: (error: unknown, output?: JsonObject) => void) => void;

interface Operation {
  readonly run: Action;
  readonly types: object;
  readonly custom: unknown;
}

const loaded = new Map<string, Operation>();

/**
 * Runs one of dynalite's operations as its HTTP server does, without that server: it would make a stream of a body that is
 * read already, and end the process on a request that breaks off.
 *
 * @throws {AwsError} what DynamoDB would answer, `ConditionalCheckFailedException` for one.
 */
export async function runOperation(store: Store, name: string, input: JsonObject): Promise<JsonObject> {
  const { run, types, custom } = operationOf(name);
  try {
    const checked = validations.checkTypes(input, types);
    validations.checkValidations(checked, types, custom, store);
    return await new Promise((resolve, reject) => {
      run(store, checked, (error, output) => (error ? reject(error) : resolve(output ?? {})));
    });
  } catch (error) {
    throw translate(error);
  }
}

function operationOf(name: string): Operation {
  if (!names.has(name)) {
    throw new AwsError("UnknownOperationException", `The local DynamoDB has no operation ${name}.`);
  }
  const known = loaded.get(name);
  if (known !== undefined) return known;
  const file = name[0]?.toLowerCase() + name.slice(1);
  const { types, custom } = require(`dynalite/validations/${file}`) as Omit<Operation, "run">;
  const operation = { run: require(`dynalite/actions/${file}`) as Action, types, custom };
  loaded.set(name, operation);
  return operation;
}

function translate(error: unknown): unknown {
  const { statusCode, body } = error as DynaliteError;
  if (statusCode === undefined || body === undefined) return error;
  const code = body.__type.split("#").at(-1) as string;
  return new AwsError(code, body.message ?? body.Message ?? "", { statusCode });
}

import { AwsError } from "../aws-error.js";
import { messageOperations } from "./message-operations.js";
import { queueOperations } from "./queue-operations.js";
import type { SqsOperation, SqsRequest } from "./request.js";

const operations: Readonly<Record<string, SqsOperation>> = { ...queueOperations, ...messageOperations };

/** Answers one call of the JSON protocol (`AmazonSQS.<operation>`). */
export async function callSqs(operation: string, request: SqsRequest): Promise<object> {
  const run = Object.hasOwn(operations, operation) ? operations[operation] : undefined;
  if (run === undefined)
    throw new AwsError("UnknownOperationException", `The local SQS has no operation ${operation}.`);
  return run(request);
}

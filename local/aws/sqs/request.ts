import { type JsonObject, optionalInteger, requiredString } from "../json-input.js";
import { invalidParameter } from "./message-rules.js";
import type { MoveTasks } from "./move-tasks.js";
import type { Queue } from "./queue.js";
import type { Sqs } from "./sqs.js";

/** What an operation needs to know of its request. */
export interface SqsRequest {
  readonly sqs: Sqs;
  readonly moveTasks: MoveTasks;
  readonly input: JsonObject;
  /** Base of queue URLs, without a slash at the end. */
  readonly baseUrl: string;
  readonly accountId: string;
  /** Aborts when the caller is gone. */
  readonly signal: AbortSignal;
}

/** One operation of the JSON protocol: input in, output out. */
export type SqsOperation = (request: SqsRequest) => Promise<object> | object;

/** Host and account of a queue URL do not matter: a URL from an earlier start, on another port, still works. */
export function queueOf({ sqs, input }: Pick<SqsRequest, "sqs" | "input">): Queue {
  return sqs.queue(requiredString(input, "QueueUrl").split("/").at(-1) as string);
}

/** An optional integer within its limits. */
export function ranged(input: JsonObject, name: string, min: number, max: number): number | undefined {
  const value = optionalInteger(input, name);
  if (value === undefined || (value >= min && value <= max)) return value;
  throw invalidParameter(
    `Value ${value} for parameter ${name} is invalid. Reason: Must be between ${min} and ${max}, if provided.`,
  );
}

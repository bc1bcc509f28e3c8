import { AwsError } from "../aws-error.js";
import { asObject, type JsonObject, optionalInteger, optionalObject, optionalString } from "../json-input.js";
import type { MessageAttribute, MessageAttributes, MessageContent } from "./message.js";

/** Bytes that one message, and one batch together, may have, attributes included. */
export const maximumRequestBytes = 1_048_576;
const maximumDelaySeconds = 900;
const maximumAttributes = 10;

/** XML 1.0's characters: SQS refuses every other one, lone surrogates too. */
const illegalCharacter = /[^\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/u;
const groupIdPattern = /^[\w!"#$%&'()*+,\-./:;<=>?@[\\\]^`{|}~]{1,128}$/;
const attributeNamePattern = /^(?!\.)(?!.*\.\.)(?!.*\.$)(?!aws\.|amazon\.)[\w.-]{1,256}$/i;
const dataTypePattern = /^(String|Number|Binary)(\..{1,248})?$/;

/** A message to be sent, checked. */
export interface Outgoing {
  readonly content: MessageContent;
  readonly groupId: string | null;
  /** Null: the queue's own delay. */
  readonly delaySeconds: number | null;
}

export const invalidParameter = (message: string): AwsError =>
  new AwsError("InvalidParameterValueException", message, { queryCode: "InvalidParameterValue" });

/**
 * Reads one message of SendMessage or SendMessageBatch.
 * @throws {AwsError} as SQS refuses it.
 */
export function readOutgoing(input: JsonObject, maximumBytes: number): Outgoing {
  const body = optionalString(input, "MessageBody");
  if (body === undefined || body === "") {
    throw new AwsError("MissingParameter", "The request must contain the parameter MessageBody.");
  }
  const attributes = readAttributes(optionalObject(input, "MessageAttributes") ?? {});
  checkCharacters(body, attributes);
  if (outgoingBytes(input) > maximumBytes) {
    throw invalidParameter(
      `One or more parameters are invalid. Reason: Message must be shorter than ${maximumBytes} bytes.`,
    );
  }
  refuseFifoParameters(input);
  return {
    content: { body, attributes, traceHeader: readTraceHeader(input) },
    groupId: readGroupId(input),
    delaySeconds: readDelay(input),
  };
}

function readDelay(input: JsonObject): number | null {
  const seconds = optionalInteger(input, "DelaySeconds");
  if (seconds === undefined) return null;
  if (seconds >= 0 && seconds <= maximumDelaySeconds) return seconds;
  throw invalidParameter(
    `Value ${seconds} for parameter DelaySeconds is invalid. Reason: DelaySeconds must be >= 0 and <= ${maximumDelaySeconds}.`,
  );
}

function readGroupId(input: JsonObject): string | null {
  const groupId = optionalString(input, "MessageGroupId");
  if (groupId === undefined) return null;
  if (groupIdPattern.test(groupId)) return groupId;
  throw invalidParameter(
    `Value ${groupId} for parameter MessageGroupId is invalid. Reason: MessageGroupId can only include alphanumeric and punctuation characters. 1 to 128 in length.`,
  );
}

function refuseFifoParameters(input: JsonObject): void {
  const deduplicationId = optionalString(input, "MessageDeduplicationId");
  if (deduplicationId === undefined) return;
  throw invalidParameter(
    `Value ${deduplicationId} for parameter MessageDeduplicationId is invalid. Reason: The request includes a parameter that is not valid for this queue type.`,
  );
}

function readTraceHeader(input: JsonObject): string | null {
  const header = optionalObject(input, "MessageSystemAttributes")?.["AWSTraceHeader"];
  return header === undefined ? null : (optionalString(asObject(header, "AWSTraceHeader"), "StringValue") ?? null);
}

function readAttributes(input: JsonObject): MessageAttributes {
  const entries = Object.entries(input);
  if (entries.length > maximumAttributes) {
    throw invalidParameter(
      `Number of message attributes [${entries.length}] exceeds the allowed maximum [${maximumAttributes}].`,
    );
  }
  return Object.fromEntries(entries.map(([name, value]) => [name, readAttribute(name, asObject(value, name))]));
}

function readAttribute(name: string, input: JsonObject): MessageAttribute {
  const dataType = optionalString(input, "DataType") ?? "";
  const text = optionalString(input, "StringValue");
  const binary = optionalString(input, "BinaryValue");
  if (!attributeNamePattern.test(name)) {
    throw invalidParameter(`The message attribute name '${name}' is invalid.`);
  }
  if (!dataTypePattern.test(dataType)) {
    throw invalidParameter(`The message attribute '${name}' has an invalid message attribute type.`);
  }
  const value = dataType.startsWith("Binary") ? binary : text;
  if (value === undefined || value === "") {
    throw invalidParameter(`The message attribute '${name}' must contain a non-empty value of type ${dataType}.`);
  }
  if (dataType.startsWith("Number") && !Number.isFinite(Number(value))) {
    throw invalidParameter(`Can't cast the value of message attribute '${name}' to a number.`);
  }
  return dataType.startsWith("Binary")
    ? { DataType: dataType, BinaryValue: value }
    : { DataType: dataType, StringValue: value };
}

/** Bytes of a message that count against the limits: body, and name, type and value of each attribute. */
export function outgoingBytes(input: JsonObject): number {
  let bytes = Buffer.byteLength(optionalString(input, "MessageBody") ?? "");
  for (const [name, value] of Object.entries(optionalObject(input, "MessageAttributes") ?? {})) {
    const attribute = asObject(value, name);
    bytes += Buffer.byteLength(name) + Buffer.byteLength(optionalString(attribute, "DataType") ?? "");
    bytes += Buffer.byteLength(optionalString(attribute, "StringValue") ?? "");
    bytes += Buffer.byteLength(optionalString(attribute, "BinaryValue") ?? "", "base64");
  }
  return bytes;
}

function checkCharacters(body: string, attributes: MessageAttributes): void {
  const texts = [body, ...Object.values(attributes).map((attribute) => attribute.StringValue ?? "")];
  if (!texts.some((text) => illegalCharacter.test(text))) return;
  throw new AwsError(
    "InvalidMessageContents",
    "Invalid characters found. Valid unicode characters are #x9 | #xA | #xD | #x20 to #xD7FF | #xE000 to #xFFFD | #x10000 to #x10FFFF.",
  );
}

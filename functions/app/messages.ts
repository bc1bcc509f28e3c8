import type { EventMeta } from "../core/model.js";
import type {
  ContentRef,
  ControlMessage,
  DeadLetterMessage,
  DeliveryMessage,
  EventMessage,
  RelayMessage,
  TickMessage,
} from "./ports.js";

/**
 * The text that a queue message holds: JSON in ASCII, so that its length is its size in bytes and no character is one
 * that SQS refuses (it takes the XML characters only). A body travels as base64 inside.
 */

/** A message that this version cannot read: unknown version or kind, or a field that is not what it should be. */
export class UnreadableMessageError extends Error {
  override readonly name = "UnreadableMessageError";
}

/** Text of a message for the delivery queue; its length is the message's size in bytes. */
export function encodeMessage(message: RelayMessage): string {
  return message.kind === "event"
    ? asciiJson({ ...message, content: encodeContent(message.content) })
    : asciiJson(message);
}

/** Text of a message for the dead-letter queue. */
export function encodeDeadLetter(message: DeadLetterMessage): string {
  return asciiJson(message);
}

/** Text of a message for the control queue. */
export function encodeTick(message: ControlMessage): string {
  return asciiJson(message);
}

/** Reads a message of the control queue back; throws {@link UnreadableMessageError} as {@link decodeMessage} does. */
export function decodeControl(text: string): ControlMessage {
  const message = fieldsOf(parseJson(text), "message");
  if (message["v"] !== 1 || message["kind"] !== "replay") return decodeTick(text);
  const replayId = matching(message, "replayId", replayIdPattern, "the id of a bulk replay");
  return { v: 1, kind: "replay", replayId, seq: wholeNumber(message, "seq", 0) };
}

/**
 * Reads a tick of a gate back; throws {@link UnreadableMessageError} as {@link decodeMessage} does. The
 * first versions sent `release` messages: one of these asks for the ticks that a release is made of.
 */
export function decodeTick(text: string): TickMessage {
  const message = versionOne(text);
  const { kind } = message;
  if (kind !== "tick" && kind !== "release") throw unreadable("kind", "is not tick");
  return {
    v: 1,
    kind: "tick",
    subscriptionId: matching(message, "subscriptionId", subscriptionIdPattern, "a subscription id"),
    seq: kind === "release" || message["seq"] === null ? null : wholeNumber(message, "seq", 0),
    generation: wholeNumber(message, "generation", 0),
  };
}

/**
 * Reads a message back. Fields that a newer writer added are ignored; an unknown `v` or `kind`, a missing field or one
 * of another shape throws {@link UnreadableMessageError}, whose message names it.
 */
export function decodeMessage(text: string): RelayMessage {
  const message = versionOne(text);
  switch (message["kind"]) {
    case "event":
      return decodeEventMessage(message);
    case "delivery":
      return decodeDeliveryMessage(message);
    default:
      throw unreadable("kind", "is neither event nor delivery");
  }
}

function versionOne(text: string): Fields {
  const message = fieldsOf(parseJson(text), "message");
  if (message["v"] === 1) return message;
  const wrapped = wrappedIn(message);
  if (wrapped !== null) return versionOne(wrapped);
  throw unreadable("v", "is not a version that this relay reads (1)");
}

function decodeEventMessage(message: Fields): EventMessage {
  return {
    v: 1,
    kind: "event",
    ...continued(message),
    event: decodeEventMeta(fieldsOf(message["event"], "event")),
    content: decodeContent(fieldsOf(message["content"], "content")),
  };
}

function decodeEventMeta(event: Fields): EventMeta {
  return {
    eventId: matching(event, "eventId", eventIdPattern, "an event id"),
    sourceId: matching(event, "sourceId", sourceIdPattern, "a source id"),
    method: matching(event, "method", methodPattern, "an upper-case method"),
    suffix: matching(event, "suffix", suffixPattern, "empty or a path"),
    query: text(event, "query"),
    type: textOrNull(event, "type"),
    receivedAtMs: wholeNumber(event, "receivedAtMs", 0),
    bodySha256: matching(event, "bodySha256", sha256Pattern, "a hex SHA-256"),
    bodyBytes: wholeNumber(event, "bodyBytes", 0),
    verifiedBy: textOrNull(event, "verifiedBy"),
    dedupeKey: textOrNull(event, "dedupeKey"),
    ...optionalText(event, "dedupeMissed"),
    ...optionalText(event, "releasedFrom"),
  } as EventMeta;
}

function decodeDeliveryMessage(message: Fields): DeliveryMessage {
  return {
    v: 1,
    kind: "delivery",
    ...continued(message),
    deliveryId: matching(message, "deliveryId", deliveryIdPattern, "a delivery id"),
    eventId: matching(message, "eventId", eventIdPattern, "an event id"),
    sourceId: matching(message, "sourceId", sourceIdPattern, "a source id"),
    subscriptionId: matching(message, "subscriptionId", subscriptionIdPattern, "a subscription id"),
    attempt: wholeNumber(message, "attempt", 1),
    dueAtMs: wholeNumber(message, "dueAtMs", 0),
    ...(message["stored"] === true ? { stored: true } : {}),
    ...(message["slotAtMs"] === undefined ? {} : { slotAtMs: wholeNumber(message, "slotAtMs", 0) }),
    ...(message["repair"] === true ? { repair: true } : {}),
  };
}

const optionalText = (fields: Fields, name: string): Fields =>
  fields[name] === undefined ? {} : { [name]: text(fields, name) };

function continued(message: Fields): { readonly as?: string } {
  return message["as"] === undefined ? {} : { as: text(message, "as") };
}

/** A message's text as it first came, and the id that it was first received under. */
export interface FirstReceived {
  readonly messageId: string;
  readonly body: string;
}

/** Of a message that may have been sent back from the faults, read or not. `messageId`: what the queue calls it now. */
export function firstReceived({ messageId, body }: FirstReceived): FirstReceived {
  const message = objectIn(body);
  const as = message?.["as"];
  if (message === null || typeof as !== "string") return { messageId, body };
  return { messageId: as, body: wrappedIn(message) ?? body };
}

/**
 * The text of a message that goes back to its queue in the name of the one that it was first received as. One that has
 * gone back before keeps the name of the first: what that one claimed, no other may repair. What has no place for a
 * name, since it is no JSON object, goes back inside of one.
 */
export const continueAs = (body: string, messageId: string): string =>
  asciiJson({ as: messageId, ...(objectIn(body) ?? { verbatim: body }) });

/** The text that {@link continueAs} put into an object; null: it is a message as it was written. */
function wrappedIn({ as, verbatim, ...others }: Fields): string | null {
  const isWrapping = typeof as === "string" && typeof verbatim === "string" && Object.keys(others).length === 0;
  return isWrapping ? verbatim : null;
}

function objectIn(body: string): Fields | null {
  try {
    return fieldsOf(JSON.parse(body), "message");
  } catch {
    // Not ours, or not readable.
    return null;
  }
}

function encodeContent(content: ContentRef): Fields {
  return content.at === "inline" ? { at: "inline", packed: content.packed.toString("base64") } : { ...content };
}

function decodeContent(content: Fields): ContentRef {
  switch (content["at"]) {
    case "inline":
      return { at: "inline", packed: base64(content, "packed") };
    case "bucket":
      return { at: "bucket", key: matching(content, "key", bucketKeyPattern, "a bucket key") };
    default:
      throw unreadable("content.at", "is neither inline nor bucket");
  }
}

type Fields = Readonly<Record<string, unknown>>;

const eventIdPattern = /^evt_[\w-]{1,60}$/;
const replayIdPattern = /^rpl_[\w-]{1,60}$/;
const deliveryIdPattern = /^dlv_[\w-]{1,60}$/;
const subscriptionIdPattern = /^sub_[\w-]{1,60}$/;
const sourceIdPattern = /^[\w-]{1,64}$/;
const methodPattern = /^[A-Z0-9!#$%&'*+.^_`|~-]{1,64}$/;
const suffixPattern = /^(\/.*)?$/s;
const sha256Pattern = /^[0-9a-f]{64}$/;
const bucketKeyPattern = /^.{1,1024}$/s;

/** JSON with everything beyond printable ASCII escaped. */
function asciiJson(value: object): string {
  return JSON.stringify(value).replace(
    /[\u007f-\uffff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw unreadable("message", "is not JSON");
  }
}

function fieldsOf(value: unknown, name: string): Fields {
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw unreadable(name, "is not an object");
  return value as Fields;
}

function text(fields: Fields, name: string): string {
  const value = fields[name];
  if (typeof value !== "string") throw unreadable(name, "is not a text");
  return value;
}

function textOrNull(fields: Fields, name: string): string | null {
  return fields[name] === null ? null : text(fields, name);
}

function matching(fields: Fields, name: string, pattern: RegExp, what: string): string {
  const value = text(fields, name);
  if (!pattern.test(value)) throw unreadable(name, `is not ${what}`);
  return value;
}

function wholeNumber(fields: Fields, name: string, least: number): number {
  const value = fields[name];
  if (!Number.isSafeInteger(value) || (value as number) < least) {
    throw unreadable(name, `is not a whole number of at least ${least}`);
  }
  return value as number;
}

function base64(fields: Fields, name: string): Buffer {
  const value = text(fields, name);
  const bytes = Buffer.from(value, "base64");
  // Node skips what is not base64: then fewer bytes come out than the text's length stands for.
  if (value.length % 4 !== 0 || bytes.length !== Buffer.byteLength(value, "base64")) {
    throw unreadable(name, "is not base64");
  }
  return bytes;
}

const unreadable = (name: string, reason: string): UnreadableMessageError =>
  new UnreadableMessageError(`${name} ${reason}`);

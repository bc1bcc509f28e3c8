import { createHash } from "node:crypto";
import { packContent } from "../../core/content.js";
import { headerValue } from "../../core/header-list.js";
import type { AnswerKind, EventMeta, Handshake, Headers } from "../../core/model.js";
import { storableHeaders } from "../../core/outbound-headers.js";
import { contentKey } from "../delivery/stored-content.js";
import { encodeMessage } from "../messages.js";
import type { Clock, ContentStore, EventMessage, EventQueue, OpenSource, SourceConfigs } from "../ports.js";
import { type AnsweredHandshake, shakeHands } from "./handshake.js";
import { identify, isUsableKey, isUsableType, readType } from "./identity.js";
import type { InboundRequest, ProviderRequest, PublishRequest, Refused } from "./inbound-request.js";
import { type SnsAccess, verifyRequest } from "./verify-request.js";

/** What a request comes to. A rejected promise means that the event is not durable: the caller must send it again. */
export type Acceptance =
  | { readonly eventId: string; readonly answer: AnswerKind }
  | { readonly handshake: Handshake["kind"]; readonly reply: AnsweredHandshake }
  | Refused;

export interface IngressPorts {
  readonly sources: SourceConfigs;
  readonly queue: EventQueue;
  readonly contents: ContentStore;
  readonly sns: SnsAccess;
  readonly clock: Clock;
  /** At least 10 random bytes. */
  readonly entropy: () => Buffer;
}

/**
 * SQS takes 1,048,576 bytes with attributes. The margin is for what a later version adds to a message on its way
 * through the queues.
 */
const maxMessageBytes = 1_048_576 - 4_096;

/**
 * Takes a request in: resolves once the queue holds its event durably. With the source's configuration in memory and a
 * body that fits into the message that is one call, the send.
 */
export async function acceptEvent(ports: IngressPorts, request: InboundRequest): Promise<Acceptance> {
  const source = await ports.sources.find(request.sourceId);
  if (source === null) return { refused: "unknown_source" };
  const nowMs = ports.clock();
  const handshake = request.door === "in" ? await shakeHands(ports.sns, source, request, nowMs) : null;
  if (handshake !== null) return handshake;
  const admitted = request.door === "publish" ? admitPublished(request) : await admit(ports, source, request, nowMs);
  if ("refused" in admitted) return admitted;
  const { dedupeKey, eventId } = identify(source, admitted.dedupeKey, request, { nowMs, entropy: ports.entropy() });
  const event: EventMeta = {
    eventId,
    sourceId: source.sourceId,
    ...admitted.target,
    type: admitted.type ?? readType(source, request),
    receivedAtMs: nowMs,
    bodySha256: createHash("sha256").update(request.body).digest("hex"),
    bodyBytes: request.body.length,
    verifiedBy: admitted.verifiedBy,
    dedupeKey,
  };
  const packed = packContent({ headers: admitted.headers, body: request.body });
  await ports.queue.sendEvent(await makeMessage(ports, event, packed));
  return { eventId, answer: request.door === "publish" ? "event-id" : source.answer };
}

/** What of a request goes into its event. */
interface Admitted {
  readonly target: Pick<EventMeta, "method" | "suffix" | "query">;
  readonly headers: Headers;
  readonly verifiedBy: string | null;
  /** Named by the publish call; null: the source's rules find them. */
  readonly type: string | null;
  readonly dedupeKey: string | null;
}

async function admit(
  { sns }: IngressPorts,
  source: OpenSource,
  request: ProviderRequest,
  nowMs: number,
): Promise<Admitted | Refused> {
  if (source.verification?.scheme === "iam") return { refused: "publish_only" };
  const { method, suffix, query, headers, body } = request;
  const verdict = await verifyRequest(sns, source, { method, suffix, query, headers, body, nowMs });
  if (!verdict.ok) return { refused: "unverified", reason: verdict.reason };
  return {
    target: { method, suffix, query },
    headers: storableHeaders(headers, source.verification),
    verifiedBy: verdict.secretId,
    type: null,
    dedupeKey: null,
  };
}

/**
 * A published event holds the body and its content type, and nothing else of the call: neither its headers nor its
 * query, where a presigned call has its credentials. An encoded body is refused, since its receivers would not be told.
 */
function admitPublished({ headers }: PublishRequest): Admitted | Refused {
  const type = headerValue(headers, "steadyhook-event-type");
  const dedupeKey = headerValue(headers, "idempotency-key");
  const encoding = headerValue(headers, "content-encoding") ?? "identity";
  if (type !== null && !isUsableType(type)) return { refused: "invalid_event_type" };
  if (dedupeKey !== null && !isUsableKey(dedupeKey)) return { refused: "invalid_idempotency_key" };
  if (encoding.toLowerCase() !== "identity") return { refused: "content_encoding" };
  return {
    target: { method: "POST", suffix: "", query: "" },
    headers: headers.filter(([name]) => name === "content-type"),
    verifiedBy: null,
    type,
    dedupeKey,
  };
}

/** The content goes along when it fits; else it is put into the bucket first, and the message says where. */
async function makeMessage(ports: IngressPorts, event: EventMeta, packed: Buffer): Promise<EventMessage> {
  const key = contentKey(event);
  const pointing: EventMessage = { v: 1, kind: "event", event, content: { at: "bucket", key } };
  const inlineBytes = encodeMessage(pointing).length + Math.ceil(packed.length / 3) * 4;
  if (inlineBytes <= maxMessageBytes) return { ...pointing, content: { at: "inline", packed } };
  await ports.contents.put(key, packed);
  return pointing;
}

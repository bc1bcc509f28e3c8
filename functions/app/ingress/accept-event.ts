import { createHash } from "node:crypto";
import { packContent } from "../../core/content.js";
import { headerValue } from "../../core/header-list.js";
import { freshEventId } from "../../core/ids.js";
import type { AnswerKind, EventMeta, Handshake, Headers } from "../../core/model.js";
import { storableHeaders } from "../../core/outbound-headers.js";
import type { Clock, ContentStore, EventQueue, OpenSource, QuarantineStore, SourceConfigs } from "../ports.js";
import { eventMessage } from "./event-message.js";
import type { AnsweredHandshake, Shaken } from "./handshake.js";
import { identify, isUsableKey, isUsableType, type ReadableRequest, readType } from "./identity.js";
import type { InboundRequest, ProviderRequest, PublishRequest, Refused } from "./inbound-request.js";
import { type SnsAccess, verifyRequest } from "./verify-request.js";
import { withoutCredentials } from "./without-credentials.js";

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
  /** Given when it is asked for: most requests are verified. */
  readonly quarantine: () => Promise<QuarantineStore>;
  readonly clock: Clock;
  /** At least 10 random bytes. */
  readonly entropy: () => Buffer;
}

/**
 * Takes a request in: resolves once the queue holds its event durably. With the source's configuration in memory and a
 * body that fits into the message that is one call, the send.
 */
export async function acceptEvent(ports: IngressPorts, request: InboundRequest): Promise<Acceptance> {
  const source = await ports.sources.find(request.sourceId);
  if (source === null) return { refused: "unknown_source" };
  const nowMs = ports.clock();
  const handshake = request.door === "in" ? await answerHandshake(ports, source, request, nowMs) : null;
  if (handshake !== null) return handshake;
  const admitted = request.door === "publish" ? admitPublished(request) : await admit(ports, source, request, nowMs);
  if ("refused" in admitted) return admitted;
  const identity = identify(source, admitted.dedupeKey, admitted.readable, () => freshEventId(nowMs, ports.entropy()));
  const event: EventMeta = {
    ...identity,
    sourceId: source.sourceId,
    ...admitted.target,
    type: admitted.type ?? readType(source, admitted.readable),
    receivedAtMs: nowMs,
    bodySha256: createHash("sha256").update(request.body).digest("hex"),
    bodyBytes: request.body.length,
    verifiedBy: admitted.verifiedBy,
  };
  const packed = packContent({ headers: admitted.headers, body: request.body });
  await ports.queue.sendEvent(await eventMessage(ports.contents, event, packed));
  return { eventId: identity.eventId, answer: request.door === "publish" ? "event-id" : source.answer };
}

/** Few sources have one: what answers it is loaded by the first request to one of them. */
async function answerHandshake(
  { sns }: IngressPorts,
  source: OpenSource,
  request: ProviderRequest,
  nowMs: number,
): Promise<Shaken | Refused | null> {
  if (source.handshake === null) return null;
  const { shakeHands } = await import("./handshake.js");
  return shakeHands(sns, source, request, nowMs);
}

/** What of a request goes into its event. */
interface Admitted {
  readonly target: Pick<EventMeta, "method" | "suffix" | "query">;
  readonly headers: Headers;
  /** What identity and type are read from: they are kept too. */
  readonly readable: ReadableRequest;
  readonly verifiedBy: string | null;
  /** Named by the publish call; null: the source's rules find them. */
  readonly type: string | null;
  readonly dedupeKey: string | null;
}

async function admit(
  ports: IngressPorts,
  source: OpenSource,
  request: ProviderRequest,
  nowMs: number,
): Promise<Admitted | Refused> {
  if (source.verification?.scheme === "iam") return { refused: "publish_only" };
  const { method, suffix, query, headers, body } = request;
  const verdict = await verifyRequest(ports.sns, source, { method, suffix, query, headers, body, nowMs });
  if (!verdict.ok) return refuseUnverified(ports, source, request, { reason: verdict.reason, nowMs });
  const shown = withoutCredentials(source, request);
  return {
    target: { method, suffix: shown.suffix, query: shown.query },
    headers: storableHeaders(shown.headers, source.verification),
    readable: shown,
    verifiedBy: verdict.secretId,
    type: null,
    dedupeKey: null,
  };
}

/** Few requests come here: what keeps them is loaded by the first one. */
async function refuseUnverified(
  ports: IngressPorts,
  source: OpenSource,
  request: ProviderRequest,
  finding: { readonly reason: string; readonly nowMs: number },
): Promise<Refused> {
  const refusal = { refused: "unverified", reason: finding.reason } as const;
  if (source.verification?.onFailure !== "quarantine") return refusal;
  const { keepAside } = await import("./quarantine.js");
  return { ...refusal, quarantine: await keepAside(ports, source, request, finding) };
}

/**
 * A published event holds the body and its content type, and nothing else of the call: neither its headers nor its
 * query, where a presigned call has its credentials. An encoded body is refused, since its receivers would not be told.
 */
function admitPublished({ headers, body }: PublishRequest): Admitted | Refused {
  const type = headerValue(headers, "steadyhook-event-type");
  const dedupeKey = headerValue(headers, "idempotency-key");
  const encoding = headerValue(headers, "content-encoding") ?? "identity";
  if (type !== null && !isUsableType(type)) return { refused: "invalid_event_type" };
  if (dedupeKey !== null && !isUsableKey(dedupeKey)) return { refused: "invalid_idempotency_key" };
  if (encoding.toLowerCase() !== "identity") return { refused: "content_encoding" };
  return {
    target: { method: "POST", suffix: "", query: "" },
    headers: headers.filter(([name]) => name === "content-type"),
    readable: { headers, body },
    verifiedBy: null,
    type,
    dedupeKey,
  };
}

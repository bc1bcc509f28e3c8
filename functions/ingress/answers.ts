import type { AnsweredHandshake } from "../app/ingress/handshake.js";
import type { KeptAside } from "../app/ingress/inbound-request.js";
import type { AnswerKind } from "../core/model.js";

/** What the gateway makes an HTTP response of (payload 1.0 and 2.0 alike). */
export interface HttpAnswer {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Codes of the problem documents that ingress answers with: stable API. */
export type ProblemCode =
  | "malformed_request"
  | "invalid_event_type"
  | "invalid_idempotency_key"
  | "unverified"
  | "handshake_refused"
  | "publish_only"
  | "not_found"
  | "unknown_source"
  | "method_not_allowed"
  | "body_too_large"
  | "uri_too_long"
  | "content_encoding"
  | "not_durable";

/** A request that is answered without an event. */
export interface Refusal {
  readonly refused: ProblemCode;
  readonly sourceId?: string;
  /** For the operator's log, never for the answer. */
  readonly reason?: string;
  readonly quarantine?: KeptAside;
}

interface Problem {
  readonly status: number;
  readonly title: string;
  readonly detail: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Seconds after which a provider that heeds `Retry-After` tries again when the event could not be kept. */
const retryAfterSeconds = 10;

const problems: Readonly<Record<ProblemCode, Problem>> = {
  malformed_request: { status: 400, title: "Bad Request", detail: "The request has no valid method." },
  invalid_event_type: {
    status: 400,
    title: "Bad Request",
    detail: "The header steadyhook-event-type must hold 1 to 256 characters, or be left out.",
  },
  invalid_idempotency_key: {
    status: 400,
    title: "Bad Request",
    detail: "The header idempotency-key must hold 1 to 1,024 bytes, or be left out.",
  },
  // One text for every reason: what exactly was wrong helps nobody but a forger. The log has it.
  unverified: { status: 401, title: "Unauthorized", detail: "The request could not be verified." },
  handshake_refused: { status: 403, title: "Forbidden", detail: "The handshake was not accepted." },
  publish_only: {
    status: 403,
    title: "Forbidden",
    detail: "This source takes events from POST /publish/{sourceId} only.",
  },
  not_found: { status: 404, title: "Not Found", detail: "There is nothing at this path." },
  unknown_source: { status: 404, title: "Not Found", detail: "There is no such source." },
  method_not_allowed: {
    status: 405,
    title: "Method Not Allowed",
    detail: "Events are published with POST.",
    headers: { allow: "POST" },
  },
  body_too_large: { status: 413, title: "Content Too Large", detail: "A body may have 6 MiB." },
  uri_too_long: { status: 414, title: "URI Too Long", detail: "Path and query may have 16,384 characters." },
  content_encoding: {
    status: 415,
    title: "Unsupported Media Type",
    detail: "Publish the body without a content encoding: it is delivered as it is, with its content type alone.",
    headers: { "accept-encoding": "identity" },
  },
  not_durable: {
    status: 503,
    title: "Service Unavailable",
    detail: "The event could not be kept. Send it again.",
    headers: { "retry-after": String(retryAfterSeconds) },
  },
};

/** The event is durable and has this id; the source says in which form its provider wants to hear it. */
export function accepted(eventId: string, kind: AnswerKind): HttpAnswer {
  switch (kind) {
    case "empty":
      return empty;
    case "no-content":
      return { statusCode: 204, headers: {}, body: "" };
    case "twiml":
      return { statusCode: 200, headers: { "content-type": "text/xml" }, body: "<Response/>" };
    default:
      return { statusCode: 202, headers: { "content-type": "application/json" }, body: JSON.stringify({ eventId }) };
  }
}

/** 200, which every provider takes, where some take no 202 and no 204. */
const empty: HttpAnswer = { statusCode: 200, headers: {}, body: "" };

/** What somebody else chose is text and nothing else, whatever a browser would like to make of it. */
const inert = {
  "cache-control": "no-store",
  "content-security-policy": "sandbox; default-src 'none'",
  "x-content-type-options": "nosniff",
};

/** 200 with what the provider wants to hear before it sends events. */
export function shaken(reply: AnsweredHandshake): HttpAnswer {
  if ("echo" in reply) {
    return { statusCode: 200, headers: { "content-type": "text/plain; charset=utf-8", ...inert }, body: reply.echo };
  }
  if ("json" in reply) {
    const body = JSON.stringify(reply.json);
    return { statusCode: 200, headers: { "content-type": "application/json", ...inert }, body };
  }
  return empty;
}

/** An RFC 9457 problem document; the same code always gives the same document. */
export function problem(code: ProblemCode): HttpAnswer {
  const { status, title, detail, headers = {} } = problems[code];
  return {
    statusCode: status,
    headers: { "content-type": "application/problem+json", ...headers },
    body: JSON.stringify({ type: "about:blank", title, status, detail, code }),
  };
}

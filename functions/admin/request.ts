import type { APIGatewayProxyEventV2 } from "aws-lambda";
import { isObject, type JsonObject } from "../app/admin/merge-patch.js";
import { AdminProblem, invalidRequest, refusal } from "../app/admin/problem.js";
import type { Preconditions } from "../app/admin/versions.js";

/** A request to the admin API, read from the gateway's event. */
export interface AdminRequest {
  readonly method: string;
  readonly path: string;
  /** Each parameter once; a repeated one is refused when it is read. */
  readonly query: URLSearchParams;
  readonly conditions: Preconditions;
  /** Whoever signed the request; null where nobody has to (the local relay). */
  readonly caller: string | null;
  /** What the caller says that it is for (`steadyhook-reason`), percent-encoded where it is not ASCII; null: nothing. */
  readonly reason: string | null;
  readonly idempotencyKey: string | null;
  /** Parsed when it is asked for: throws the 400, 413 or 415 that says why it cannot be. */
  body(): JsonObject;
  /** The same; a request without a body has an empty object. */
  optionalBody(): JsonObject;
  /** For operations that take no fields: throws what {@link optionalBody} does, and the 400 that names each field. */
  requireNoFields(): void;
}

/** Configuration is small; more than this is no configuration. */
const largestBody = 256 * 1024;

const jsonType = /^application\/(merge-patch\+)?json\s*(;|$)/i;

export function readRequest(event: APIGatewayProxyEventV2): AdminRequest {
  const { http } = event.requestContext;
  return {
    method: http.method.toUpperCase(),
    path: event.rawPath,
    query: new URLSearchParams(event.rawQueryString),
    conditions: {
      ifMatch: event.headers["if-match"] ?? null,
      ifNoneMatch: event.headers["if-none-match"] ?? null,
    },
    caller: callerOf(event),
    reason: readReason(event.headers["steadyhook-reason"]),
    idempotencyKey: event.headers["idempotency-key"] ?? null,
    body: () => readBody(event),
    optionalBody: () => readOptionalBody(event),
    requireNoFields: () => requireNone(Object.keys(readOptionalBody(event)), "field"),
  };
}

function callerOf({ requestContext }: APIGatewayProxyEventV2): string | null {
  const { authorizer } = requestContext as { readonly authorizer?: { readonly iam?: { readonly userArn?: string } } };
  return authorizer?.iam?.userArn ?? null;
}

function readReason(text: string | undefined): string | null {
  if (text === undefined) return null;
  try {
    return decodeURIComponent(text);
  } catch {
    // A percent sign that encodes nothing.
    return text;
  }
}

function readOptionalBody(event: APIGatewayProxyEventV2): JsonObject {
  if ((event.body ?? "") !== "") return readBody(event);
  requireJson(event);
  return {};
}

/** A JSON content type is asked for because a browser cannot send it to another site without asking first. */
function requireJson({ headers }: APIGatewayProxyEventV2): void {
  if (jsonType.test(headers["content-type"] ?? "")) return;
  throw refusal(415, "unsupported_media_type", "Writes are application/json: say so in content-type.");
}

function readBody(event: APIGatewayProxyEventV2): JsonObject {
  requireJson(event);
  const bytes = Buffer.from(event.body ?? "", event.isBase64Encoded ? "base64" : "utf8");
  if (bytes.length > largestBody) {
    throw refusal(413, "body_too_large", `The body has ${bytes.length} bytes; ${largestBody} are the most.`);
  }
  const value = parseJson(bytes);
  if (isObject(value)) return value;
  throw invalidRequest([{ field: "", reason: "must be a JSON object" }]);
}

function parseJson(bytes: Buffer): unknown {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch (error) {
    // The parser's message quotes the body, which may hold a secret: only the place is passed on.
    const place = /position \d+( \(line \d+ column \d+\))?/.exec((error as Error).message);
    const where = place === null ? "" : ` (at ${place[0]})`;
    const detail = `The body is not JSON${where}.`;
    const errors = [{ field: "", reason: `is not JSON${where}` }];
    throw new AdminProblem({ status: 400, code: "malformed_json", detail, errors });
  }
}

/** The query as an object for a schema; a parameter that stands twice is a list, which no schema takes. */
export function queryObject(query: URLSearchParams): JsonObject {
  return Object.fromEntries(
    [...new Set(query.keys())].map((name) => {
      const values = query.getAll(name);
      return [name, values.length === 1 ? values[0] : values];
    }),
  );
}

/** For operations that take none: throws the 400 that names each parameter. */
export const requireNoParameters = (query: URLSearchParams): void =>
  requireNone([...new Set(query.keys())], "parameter");

function requireNone(names: readonly string[], kind: "field" | "parameter"): void {
  if (names.length === 0) return;
  const fix = `Leave it out: this takes no ${kind}s.`;
  throw invalidRequest(names.map((field) => ({ field, reason: `is not a known ${kind}`, fix })));
}

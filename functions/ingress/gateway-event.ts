import type { Headers } from "../core/model.js";

/** A request as the gateway hands it over, whichever payload format it uses. */
export interface GatewayRequest {
  /** Upper-case; null when the event has none. */
  readonly method: string | null;
  /** Decoded by the gateway, without the stage. */
  readonly path: string;
  /** Raw, without `?`. */
  readonly query: string;
  readonly headers: Headers;
  /** Bytes that the body comes to once decoded. */
  readonly bodyBytes: number;
  /** The body's bytes as they were on the wire. */
  body(): Buffer;
  /** The route that the gateway matched, e.g. `POST /publish/{sourceId}`; empty when unknown. */
  readonly routeKey: string;
  /** The source id that the gateway's own match found; empty when unknown. */
  readonly matchedSourceId: string;
  readonly requestId: string | null;
}

/**
 * Reads an event of an HTTP API (payload 2.0) or of a REST API or an emulator (1.0). Whatever is missing or of another
 * type counts as absent: nothing that a caller sends makes this throw.
 */
export function readGatewayEvent(event: unknown): GatewayRequest {
  const fields = record(event);
  const context = record(fields["requestContext"]);
  const http = record(context["http"]);
  const body = text(fields["body"]);
  const encoding = isBase64(fields["isBase64Encoded"]) ? "base64" : "utf8";
  return {
    method: (text(http["method"]) || text(fields["httpMethod"])).toUpperCase() || null,
    path: withoutStage(text(fields["rawPath"]) || text(fields["path"]), text(context["stage"])),
    query: text(fields["rawQueryString"]) || rebuiltQuery(fields),
    headers: readHeaders(fields),
    bodyBytes: Buffer.byteLength(body, encoding),
    body: () => Buffer.from(body, encoding),
    routeKey: text(fields["routeKey"]),
    matchedSourceId: text(record(fields["pathParameters"])["sourceId"]),
    requestId: text(context["requestId"]) || null,
  };
}

/** Some emulators give the flag as text. Anything else means text, even when it looks like base64. */
const isBase64 = (flag: unknown): boolean => flag === true || flag === "true";

/** A named stage is the path's first segment, and only there; some emulators put `$default` there too. */
function withoutStage(path: string, stage: string): string {
  return stage !== "" && path.startsWith(`/${stage}/`) ? path.slice(stage.length + 1) : path;
}

/**
 * Lower-case names in the order received; repeated headers joined by comma, as payload 2.0 has them already. Cookies,
 * which 2.0 keeps apart, are left out.
 */
function readHeaders(event: Fields): Headers {
  const joined = new Map<string, string>();
  for (const [name, value] of entriesOf(event, "multiValueHeaders", "headers")) {
    const key = name.toLowerCase();
    const earlier = joined.get(key);
    joined.set(key, earlier === undefined ? value : `${earlier},${value}`);
  }
  return [...joined];
}

/** Payload 1.0 has the parameters decoded only: encoded again, they are equal in meaning, not always in bytes. */
function rebuiltQuery(event: Fields): string {
  if (event["version"] === "2.0") return "";
  return entriesOf(event, "multiValueQueryStringParameters", "queryStringParameters")
    .map(([name, value]) => `${encode(name)}=${encode(value)}`)
    .join("&");
}

/** Name and value pairs of the list form if the event has it, else of the single form. */
function entriesOf(event: Fields, lists: string, singles: string): [name: string, value: string][] {
  const multiple = Object.entries(record(event[lists]));
  const entries = multiple.length > 0 ? multiple : Object.entries(record(event[singles]));
  return entries.flatMap(([name, value]) =>
    [value].flat().flatMap((one): [string, string][] => (typeof one === "string" ? [[name, one]] : [])),
  );
}

/** A lone surrogate cannot be encoded; it becomes U+FFFD. */
const encode = (part: string): string => encodeURIComponent(Buffer.from(part).toString());

type Fields = Readonly<Record<string, unknown>>;

const record = (value: unknown): Fields => (typeof value === "object" && value !== null ? (value as Fields) : {});

const text = (value: unknown): string => (typeof value === "string" ? value : "");

import { isUtf8 } from "node:buffer";
import type { IncomingMessage } from "node:http";
import { accountId } from "./local-account.js";

/** The request as an HTTP API hands it to a function (payload format 2.0), with the gateway's real quirks. */
export interface GatewayRequest {
  readonly method: string;
  readonly httpVersion: string;
  /** Names and values in turn, as received. */
  readonly rawHeaders: readonly string[];
  readonly target: RequestTarget;
  readonly sourceIp: string;
  readonly port: number;
  readonly body: Buffer;
}

export interface RequestTarget {
  /** Decoded, and cut at a decoded `?`: what the gateway really does. */
  readonly rawPath: string;
  /** As sent, without `?`. */
  readonly rawQueryString: string;
}

export interface MatchedRoute {
  readonly routeKey: string;
  readonly pathParameters: Readonly<Record<string, string>>;
  /** The route asks for AWS_IAM: nothing is signed locally, so the caller is a fixed local identity. */
  readonly iam: boolean;
}

/** Splits and decodes a request line's target; null when its percent-encoding cannot be decoded. */
export function requestTarget(url: string): RequestTarget | null {
  const path = url.replace(/^https?:\/\/[^/?]*/i, "");
  const mark = path.indexOf("?");
  const encoded = mark === -1 ? path : path.slice(0, mark);
  try {
    const decoded = decodeURIComponent(encoded);
    const cut = decoded.indexOf("?");
    const rawPath = cut === -1 ? decoded : decoded.slice(0, cut);
    return { rawPath: rawPath === "" ? "/" : rawPath, rawQueryString: mark === -1 ? "" : path.slice(mark + 1) };
  } catch {
    return null;
  }
}

/** What of a node:http request the event is made of. */
export function gatewayRequest(request: IncomingMessage, target: RequestTarget, body: Buffer): GatewayRequest {
  return {
    method: request.method ?? "GET",
    httpVersion: request.httpVersion,
    rawHeaders: request.rawHeaders,
    target,
    sourceIp: (request.socket.remoteAddress ?? "127.0.0.1").replace(/^::ffff:/, ""),
    port: request.socket.localPort ?? 0,
    body,
  };
}

/** Builds the event. Absent parts are left out, as the gateway leaves them out. */
export function gatewayEvent(
  request: GatewayRequest,
  route: MatchedRoute,
  requestId: string,
  traceId: string,
  nowMs: number,
): Record<string, unknown> {
  const { headers, cookies } = headersOf(request, traceId);
  const { rawPath, rawQueryString } = request.target;
  const domainName = (headers["host"] ?? "localhost").replace(/:\d+$/, "");
  const text = isText(headers["content-type"], request.body);
  return {
    version: "2.0",
    routeKey: route.routeKey,
    rawPath,
    rawQueryString,
    ...(cookies.length === 0 ? {} : { cookies }),
    headers,
    ...(rawQueryString === "" ? {} : { queryStringParameters: queryParameters(rawQueryString) }),
    ...(Object.keys(route.pathParameters).length === 0 ? {} : { pathParameters: route.pathParameters }),
    requestContext: {
      accountId,
      apiId: "local",
      ...(route.iam ? { authorizer: { iam: localIdentity } } : {}),
      domainName,
      domainPrefix: domainName.split(".")[0],
      http: {
        method: request.method,
        path: rawPath,
        protocol: `HTTP/${request.httpVersion}`,
        sourceIp: request.sourceIp,
        userAgent: headers["user-agent"] ?? "",
      },
      requestId,
      routeKey: route.routeKey,
      stage: "$default",
      time: commonLogTime(nowMs),
      timeEpoch: nowMs,
    },
    ...(request.body.length === 0 ? {} : { body: request.body.toString(text ? "utf8" : "base64") }),
    isBase64Encoded: request.body.length > 0 && !text,
  };
}

/** Stands where the gateway puts the caller whose signature it checked. */
const localIdentity = {
  accessKey: "local",
  accountId,
  callerId: "local",
  cognitoIdentity: null,
  principalOrgId: null,
  userArn: `arn:aws:iam::${accountId}:user/local`,
  userId: "local",
};

interface EventHeaders {
  readonly headers: Partial<Record<string, string>>;
  readonly cookies: readonly string[];
}

function headersOf(request: GatewayRequest, traceId: string): EventHeaders {
  const lists = new Map<string, string[]>();
  for (let index = 0; index + 1 < request.rawHeaders.length; index += 2) {
    const name = (request.rawHeaders[index] as string).toLowerCase();
    lists.set(name, [...(lists.get(name) ?? []), request.rawHeaders[index + 1] as string]);
  }
  const cookies = (lists.get("cookie") ?? []).flatMap((value) => value.split(/; */)).filter((cookie) => cookie !== "");
  lists.delete("cookie");
  // The gateway reads the whole body before it invokes: what follows it has a length and no transfer coding.
  lists.delete("transfer-encoding");
  lists.set("content-length", [String(request.body.length)]);
  lists.set("x-forwarded-for", [[...(lists.get("x-forwarded-for") ?? []), request.sourceIp].join(", ")]);
  lists.set("x-forwarded-port", [String(request.port)]);
  lists.set("x-forwarded-proto", ["http"]);
  lists.set("x-amzn-trace-id", lists.get("x-amzn-trace-id") ?? [traceId]);
  return { headers: Object.fromEntries([...lists].map(([name, values]) => [name, values.join(",")])), cookies };
}

/** Measured on AWS: only these types arrive as text, and only in UTF-8; forms and bodies without a type are base64. */
const textTypes = /^(text\/[^;\s]+|application\/(json|xml|javascript))$/i;

function isText(contentType: string | undefined, body: Buffer): boolean {
  if (contentType === undefined) return false;
  const [type = "", ...parameters] = contentType.split(";").map((part) => part.trim());
  const charset = parameters.find((parameter) => /^charset=/i.test(parameter));
  if (!textTypes.test(type)) return false;
  if (charset !== undefined && !/^charset="?utf-?8"?$/i.test(charset)) return false;
  // What AWS makes of bytes that are not UTF-8 under a text type is not documented: here they stay exact.
  return isUtf8(body);
}

function queryParameters(rawQueryString: string): Record<string, string> {
  const parameters = new Map<string, string>();
  for (const [name, value] of new URLSearchParams(rawQueryString)) {
    const before = parameters.get(name);
    parameters.set(name, before === undefined ? value : `${before},${value}`);
  }
  return Object.fromEntries(parameters);
}

const months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/** `12/Mar/2020:19:03:58 +0000` */
function commonLogTime(ms: number): string {
  const [date, time] = new Date(ms).toISOString().split("T") as [string, string];
  const [year, month, day] = date.split("-") as [string, string, string];
  return `${day}/${months[Number(month) - 1]}/${year}:${time.slice(0, 8)} +0000`;
}

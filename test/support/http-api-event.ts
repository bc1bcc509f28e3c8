import type { APIGatewayProxyEventV2 } from "aws-lambda";

/** What a test says about a request; the rest is as an HTTP API sends it. */
export interface HttpApiRequest {
  /** Default POST. */
  readonly method?: string;
  /** As the gateway hands it over: decoded, without the query. Default `/in/src`. */
  readonly path?: string;
  /** Raw query string without `?`. */
  readonly query?: string;
  /** Any case; a list becomes one comma-joined value, cookies move to `cookies`. */
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  /** Bytes as on the wire; absent: the event has no `body` key. */
  readonly body?: Buffer | string;
  /** Overrides the gateway's choice by content type. */
  readonly base64?: boolean;
  /** ARN of the caller on an IAM-authorised route. */
  readonly userArn?: string;
  readonly pathParameters?: Readonly<Record<string, string>>;
  readonly routeKey?: string;
}

/** Only these content types arrive as text; everything else, and no content type at all, arrives base64. */
const textTypes = /^(text\/|application\/(json|xml|javascript))/i;

/** A payload 2.0 event with the gateway's quirks: lower-case joined headers, base64 by content type. */
export function httpApiEvent(request: HttpApiRequest = {}): APIGatewayProxyEventV2 {
  const { method = "POST", path = "/in/src", query = "", routeKey = "$default" } = request;
  const { cookie, ...headers } = gatewayHeaders(request.headers ?? {});
  return {
    version: "2.0",
    routeKey,
    rawPath: path,
    rawQueryString: query,
    headers,
    ...(cookie === undefined ? {} : { cookies: cookie.split(/;\s*/) }),
    ...(query === "" ? {} : { queryStringParameters: joinedQuery(query) }),
    ...(request.pathParameters === undefined ? {} : { pathParameters: { ...request.pathParameters } }),
    requestContext: requestContext(request, method, path, routeKey),
    ...bodyFields(request, headers["content-type"] ?? ""),
  };
}

function gatewayHeaders(given: NonNullable<HttpApiRequest["headers"]>): Record<string, string | undefined> {
  const entries = Object.entries(given).map(([name, value]) => [name.toLowerCase(), [value].flat().join(",")] as const);
  return { host: "relay.example", ...Object.fromEntries(entries) };
}

function joinedQuery(query: string): Record<string, string> {
  const params = new URLSearchParams(query);
  return Object.fromEntries([...new Set(params.keys())].map((name) => [name, params.getAll(name).join(",")]));
}

function bodyFields(request: HttpApiRequest, contentType: string): Pick<APIGatewayProxyEventV2, "isBase64Encoded"> {
  if (request.body === undefined) return { isBase64Encoded: false };
  const bytes = Buffer.from(request.body as string);
  const base64 = request.base64 ?? !textTypes.test(contentType);
  const body = bytes.toString(base64 ? "base64" : "utf8");
  return { body, isBase64Encoded: base64 } as Pick<APIGatewayProxyEventV2, "isBase64Encoded">;
}

function requestContext(
  request: HttpApiRequest,
  method: string,
  path: string,
  routeKey: string,
): APIGatewayProxyEventV2["requestContext"] {
  const authorizer = request.userArn === undefined ? {} : { authorizer: { iam: { userArn: request.userArn } } };
  return {
    accountId: "111122223333",
    apiId: "api",
    domainName: "relay.example",
    domainPrefix: "relay",
    http: { method, path, protocol: "HTTP/1.1", sourceIp: "192.0.2.1", userAgent: "test" },
    requestId: "request-1",
    routeKey,
    stage: "$default",
    time: "01/Jan/2026:00:00:00 +0000",
    timeEpoch: Date.UTC(2026, 0, 1),
    ...authorizer,
  };
}

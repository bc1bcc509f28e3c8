/** What a function's result becomes on the wire (HTTP API, payload format 2.0). */
export interface GatewayAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly cookies: readonly string[];
  readonly body: Buffer;
}

/** Set by the gateway itself; a function's own are dropped. */
const gatewayHeaders = new Set(["connection", "content-length", "keep-alive", "transfer-encoding", "upgrade"]);

/** The gateway's own answers: `{"message": …}`. */
export function gatewayMessage(status: number, message: string): GatewayAnswer {
  const body = Buffer.from(JSON.stringify({ message }));
  return { status, headers: { "content-type": "application/json" }, cookies: [], body };
}

export const internalServerError = gatewayMessage(500, "Internal Server Error");

/** Reads a function's result. A bare value is a 200 of JSON; a malformed answer is a 500. */
export function answerOf(payload: string): GatewayAnswer {
  const result: unknown = JSON.parse(payload);
  if (!isRecord(result) || !("statusCode" in result)) return inferred(result, payload);
  const { statusCode, headers = {}, cookies = [], body = "", isBase64Encoded = false } = result;
  const status = Number(statusCode);
  if (!Number.isInteger(status) || status < 200 || status > 599) return internalServerError;
  const text = body ?? "";
  if (typeof text !== "string" || !isRecord(headers ?? {}) || !isStrings(cookies ?? [])) return internalServerError;
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers ?? {})) {
    if (!["string", "number", "boolean"].includes(typeof value)) return internalServerError;
    if (!gatewayHeaders.has(name.toLowerCase())) kept[name.toLowerCase()] = String(value);
  }
  kept["content-type"] ??= "text/plain;charset=UTF-8";
  const bytes = Buffer.from(text, isBase64Encoded === true ? "base64" : "utf8");
  return { status, headers: kept, cookies: (cookies ?? []) as string[], body: bytes };
}

function inferred(result: unknown, payload: string): GatewayAnswer {
  const body = Buffer.from(typeof result === "string" ? result : payload);
  return { status: 200, headers: { "content-type": "application/json" }, cookies: [], body };
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const isStrings = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((entry) => typeof entry === "string");

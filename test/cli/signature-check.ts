import { createHash, createHmac } from "node:crypto";
import type { IncomingMessage } from "node:http";

/** Who signed a request, for what: the credential scope of AWS Signature Version 4. */
export interface Signature {
  readonly accessKeyId: string;
  readonly region: string;
  readonly service: string;
  readonly signedHeaders: readonly string[];
}

/**
 * Checks a request as AWS does ("Create a signed AWS API request", SigV4), from what was on the wire and without the
 * SDK. Null: the signature is not that of these credentials.
 */
export function checkedSignature(request: IncomingMessage, body: Buffer, secretAccessKey: string): Signature | null {
  const authorization = request.headers.authorization ?? "";
  const [, credential, names, signature] =
    /^AWS4-HMAC-SHA256 Credential=([^,]+), SignedHeaders=([^,]+), Signature=([0-9a-f]{64})$/.exec(authorization) ?? [];
  if (credential === undefined || names === undefined || signature === undefined) return null;
  const [accessKeyId = "", date = "", region = "", service = "", terminator = ""] = credential.split("/");
  const signedHeaders = names.split(";");
  const payloadHash = sha256(body);
  if (request.headers["x-amz-content-sha256"] !== payloadHash || terminator !== "aws4_request") return null;
  const canonicalRequest = [
    request.method,
    canonicalPath(request.url ?? ""),
    canonicalQuery(request.url ?? ""),
    ...signedHeaders.map((name) => `${name}:${String(request.headers[name]).trim()}`),
    "",
    names,
    payloadHash,
  ].join("\n");
  const scope = [date, region, service, terminator].join("/");
  const toSign = ["AWS4-HMAC-SHA256", request.headers["x-amz-date"], scope, sha256(canonicalRequest)].join("\n");
  const key = [date, region, service, terminator].reduce<string | Buffer>(hmac, `AWS4${secretAccessKey}`);
  return hmac(key, toSign).toString("hex") === signature ? { accessKeyId, region, service, signedHeaders } : null;
}

const sha256 = (value: string | Buffer): string => createHash("sha256").update(value).digest("hex");
const hmac = (key: string | Buffer, value: string): Buffer => createHmac("sha256", key).update(value).digest();

/** Every service but S3 encodes each segment of the path as it was sent once more. */
const canonicalPath = (url: string): string => (url.split("?")[0] ?? "").split("/").map(encoded).join("/");

/** Decoded (a plus sign is a plus sign), encoded again, sorted. */
function canonicalQuery(url: string): string {
  const query = url.split("?")[1] ?? "";
  if (query === "") return "";
  return query
    .split("&")
    .map((pair) => pair.split("=").map((part) => encoded(decodeURIComponent(part))))
    .map(([name, value = ""]) => `${name}=${value}`)
    .sort()
    .join("&");
}

const encoded = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (each) => `%${each.charCodeAt(0).toString(16).toUpperCase()}`);

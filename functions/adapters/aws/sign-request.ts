import { createHash } from "node:crypto";
import { algorithm, type Credentials, signatureOf, signingTime } from "./presign.js";

export interface SignInput {
  readonly url: URL;
  readonly service: string;
  readonly region: string;
  readonly credentials: Credentials;
  /** Lower-case names; all of them are signed. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly nowMs: number;
}

/**
 * The headers of a POST to `/` without a query, signed by Signature Version 4, as the JSON services of AWS take it: for
 * the one call of a service whose client would be a large part of a bundle.
 */
export function signedHeaders(input: SignInput): Readonly<Record<string, string>> {
  const { url, service, region, credentials, body, nowMs } = input;
  const time = signingTime(nowMs);
  const scope = `${time.slice(0, 8)}/${region}/${service}/aws4_request`;
  const token = credentials.sessionToken === undefined ? {} : { "x-amz-security-token": credentials.sessionToken };
  const headers = { ...input.headers, "x-amz-date": time, ...token };
  const signed = Object.entries({ ...headers, host: url.host }).sort(([a], [b]) => (a < b ? -1 : 1));
  const names = signed.map(([name]) => name).join(";");
  const lines = signed.map(([name, value]) => `${name}:${value}\n`).join("");
  const bodyHash = createHash("sha256").update(body).digest("hex");
  const request = ["POST", "/", "", lines, names, bodyHash].join("\n");
  const signature = signatureOf(request, { time, scope, credentials });
  const credential = `${credentials.accessKeyId}/${scope}`;
  return {
    ...headers,
    authorization: `${algorithm} Credential=${credential}, SignedHeaders=${names}, Signature=${signature}`,
  };
}

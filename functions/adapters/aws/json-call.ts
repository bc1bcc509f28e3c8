import type { EnvironmentCredentials } from "./environment-credentials.js";
import { signedHeaders } from "./sign-request.js";

export interface JsonService {
  /** As it signs, e.g. `monitoring`. */
  readonly service: string;
  readonly region: string;
  /** Instead of the region's own endpoint; undefined: that one. */
  readonly endpoint: string | undefined;
  readonly credentials: () => Promise<EnvironmentCredentials>;
  readonly now: () => number;
}

/** Calls within one region of a few kilobytes. */
const timeoutMs = 5_000;

/**
 * One call of a service's JSON protocol, without the SDK's client for it, which would be a large part of a bundle. Not
 * tried again: the callers' callers do that. Rejects with what the service said.
 */
export async function callJson<Answer>(
  at: JsonService,
  target: string,
  version: "1.0" | "1.1",
  input: object,
): Promise<Answer> {
  const { service, region, endpoint, credentials, now } = at;
  const url = new URL(endpoint ?? `https://${service}.${region}.${domainOf(region)}`);
  const body = JSON.stringify(input);
  const headers = signedHeaders({
    url,
    service,
    region,
    credentials: await credentials(),
    headers: { "content-type": `application/x-amz-json-${version}`, "x-amz-target": target },
    body,
    nowMs: now(),
  });
  const signal = AbortSignal.timeout(timeoutMs);
  const response = await fetch(url, { method: "POST", headers, body, signal, redirect: "error" });
  const text = await response.text();
  if (!response.ok) throw new Error(`${target} was answered with ${response.status}: ${text.slice(0, 500)}`);
  return parsed(text, target) as Answer;
}

/** The parser's own error would quote the text, which may be a secret. */
function parsed(text: string, target: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Error(`${target} was answered with ${text.length} characters that are no JSON`);
  }
}

const domainOf = (region: string): string => (region.startsWith("cn-") ? "amazonaws.com.cn" : "amazonaws.com");

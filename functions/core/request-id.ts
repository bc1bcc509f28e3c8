import type { Headers } from "./model.js";

/** Headers by which destinations, gateways and CDNs name a request; the first one that is there is taken. */
const requestIdHeaders = [
  "x-request-id",
  "request-id",
  "x-amzn-requestid",
  "x-amz-request-id",
  "cf-ray",
  "x-correlation-id",
  "x-vercel-id",
  "x-ms-request-id",
] as const;

/** Longest id that is kept; a UUID has 36 characters. */
const longestId = 64;

/** What the destination calls the request; null where it gives it no name, or none that is fit to be shown. */
export function requestIdOf(responseHeaders: Headers): string | null {
  const named = new Map(responseHeaders);
  for (const name of requestIdHeaders) {
    const value = named.get(name);
    if (value !== undefined && value.length <= longestId && /^[\x21-\x7e]+$/.test(value)) return value;
  }
  return null;
}

import type { Headers } from "./model.js";

/** A header name that may be sent (RFC 9110 §5.6.2 token). */
export const headerName = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;

/**
 * A header's value without the white space around it, whatever the case of its name; null when absent. A header that
 * stands in the list twice is joined by comma, as the gateway would have done.
 */
export function headerValue(headers: Headers, name: string): string | null {
  const wanted = name.toLowerCase();
  const values = headers.filter(([key]) => key.toLowerCase() === wanted).map(([, value]) => trimOptionalSpace(value));
  return values.length === 0 ? null : values.join(",");
}

/**
 * Without spaces and tabs at its ends: the only characters that HTTP allows around a value (RFC 9110 §5.6.3). A loop,
 * since the obvious pattern takes quadratic time on a long run of spaces inside.
 */
export function trimOptionalSpace(value: string): string {
  let start = 0;
  let end = value.length;
  while (start < end && isOptionalSpace(value[start])) start++;
  while (end > start && isOptionalSpace(value[end - 1])) end--;
  return value.slice(start, end);
}

const isOptionalSpace = (character: string | undefined): boolean => character === " " || character === "\t";

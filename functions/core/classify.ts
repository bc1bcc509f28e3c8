import type { Outcome, RetryPolicy, TransportError } from "./model.js";

/** One row of the status table: a range of status codes and what each rule set makes of it. */
export interface StatusRule {
  readonly from: number;
  /** Inclusive; the same as `from` for a single code. */
  readonly to: number;
  readonly strict: Outcome;
  readonly lenient: Outcome;
  readonly meaning: string;
}

const row = (from: number, to: number, strict: Outcome, lenient: Outcome, meaning: string): StatusRule => ({
  from,
  to,
  strict,
  lenient,
  meaning,
});

/**
 * Both rule sets as data: the first row that holds a code decides; docs and code read the same rows.
 *
 * `strict` is "Webhook Retry Best Practices": 408, 429 and every code from 500 up retry, nothing else does. A 3xx is
 * therefore permanent there: it is never followed, and the same request meets the same redirect again. `lenient` is
 * "Webhook Notification Retry Rules": seven codes are never retried, "all other errors are retried", so 3xx is.
 */
export const statusTable: readonly StatusRule[] = [
  row(200, 299, "delivered", "delivered", "Success"),
  row(300, 399, "permanent", "retryable", "Redirect: never followed, counts as a failure"),
  row(400, 400, "permanent", "permanent", "Bad Request"),
  row(401, 401, "permanent", "permanent", "Unauthorized"),
  row(403, 403, "permanent", "permanent", "Forbidden"),
  row(404, 404, "permanent", "permanent", "Not Found"),
  row(405, 405, "permanent", "permanent", "Method Not Allowed"),
  row(408, 408, "retryable", "retryable", "Request Timeout"),
  row(409, 409, "permanent", "retryable", "Conflict"),
  row(410, 410, "permanent", "retryable", "Gone: disables the subscription where the policy says so"),
  row(413, 413, "permanent", "permanent", "Payload Too Large"),
  row(422, 422, "permanent", "permanent", "Unprocessable Entity"),
  row(429, 429, "retryable", "retryable", "Too Many Requests"),
  row(400, 499, "permanent", "retryable", "Any other client error"),
  row(500, 599, "retryable", "retryable", "Server error, codes that no standard lists (520, 530) included"),
  row(600, 999, "retryable", "retryable", "Not an HTTP status class; an unhealthy server or proxy"),
  row(100, 199, "permanent", "retryable", "Interim status as the final one (101 Switching Protocols)"),
];

/**
 * Classifies a response by its status. `retryOn` and `neverRetry` come before the rule set; neither touches a 2xx,
 * which is always `delivered`. A code that no row holds is a failure that the rule set's last word decides:
 * `permanent` in strict, `retryable` in lenient.
 */
export function classifyStatus(policy: RetryPolicy, statusCode: number): Outcome {
  const rule = statusTable.find(({ from, to }) => statusCode >= from && statusCode <= to);
  const byRules = rule?.[policy.rules] ?? (policy.rules === "strict" ? "permanent" : "retryable");
  if (byRules === "delivered") return "delivered";
  if (policy.neverRetry.includes(statusCode)) return "permanent";
  if (policy.retryOn.includes(statusCode)) return "retryable";
  return byRules;
}

/** Complete by its type: a new error that is not listed here does not compile. */
const everyError: Readonly<Record<TransportError, true>> = {
  dns: true,
  refused: true,
  unreachable: true,
  connect_timeout: true,
  read_timeout: true,
  deadline: true,
  tls_expired: true,
  tls_self_signed: true,
  tls_name: true,
  tls_protocol: true,
  tls_weak: true,
  tls_client_certificate: true,
  reset: true,
  protocol: true,
  response_too_large: true,
  blocked_address: true,
  blocked_port: true,
  invalid_header: true,
  unknown_error: true,
};

/** Every typed error that an attempt may end with, in the order of the docs. */
export const transportErrors = Object.keys(everyError) as readonly TransportError[];

/** What this relay itself refuses to send: no later attempt changes it until somebody changes the subscription. */
const ownRefusals: readonly TransportError[] = ["blocked_address", "blocked_port", "invalid_header"];

/**
 * Classifies an attempt that got no status. Every fault of network, name, TLS or time may pass ("5xx, timeouts, and
 * transport errors are the destination's problem and may pass"), under either rule set.
 */
export function classifyError(error: TransportError): Outcome {
  return ownRefusals.includes(error) ? "permanent" : "retryable";
}

/**
 * True when the answer disables the subscription and holds its deliveries: a 410 under a policy with `disableOnGone`.
 * A policy that names 410 in `retryOn` does not believe it, and only retries.
 */
export function isGone(policy: RetryPolicy, statusCode: number): boolean {
  return statusCode === 410 && policy.disableOnGone && !policy.retryOn.includes(410);
}

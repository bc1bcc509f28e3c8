import type { AttemptView, DeliveryView, SubscriptionView } from "../../../functions/app/admin/view-schemas.js";
import { foreign } from "./format.js";

/** How something stands: never by colour alone. */
export type Tone = "good" | "bad" | "warn" | "info" | "idle";

type Said = readonly [text: string, tone: Tone];

export const deliveryStatus: Readonly<Record<DeliveryView["status"], Said>> = {
  pending: ["pending", "info"],
  attempting: ["attempting", "info"],
  retry_scheduled: ["retry scheduled", "warn"],
  parked: ["parked", "warn"],
  delivered: ["delivered", "good"],
  dead_lettered: ["dead letter", "bad"],
};

export const outcomes: Readonly<Record<AttemptView["outcome"], Said>> = {
  delivered: ["delivered", "good"],
  retryable: ["failed, worth a retry", "warn"],
  permanent: ["refused for good", "bad"],
  unknown: ["outcome unknown", "warn"],
};

export const deadLetterReasons: Readonly<Record<NonNullable<DeliveryView["deadLetterReason"]>, string>> = {
  permanent: "the destination refused it for good",
  exhausted: "every attempt failed",
  max_age: "its time budget is over",
  retention: "it was open for too long",
  blocked: "the relay's own rules refuse the destination",
  cancelled: "somebody cancelled it",
  subscription_deleted: "its subscription was deleted",
};

export const subscriptionStatus: Readonly<Record<SubscriptionView["status"], Said>> = {
  active: ["active", "good"],
  paused: ["paused", "warn"],
  disabled: ["disabled", "bad"],
};

export const circuits: Readonly<Record<SubscriptionView["gate"]["circuit"], Said>> = {
  closed: ["closed", "good"],
  half_open: ["half open", "warn"],
  open: ["open", "bad"],
};

/** Typed transport errors, as the first words that an operator looks for. */
const errors: Readonly<Record<string, string>> = {
  dns: "host name not found",
  refused: "connection refused",
  unreachable: "no route to host",
  connect_timeout: "connect timeout",
  read_timeout: "read timeout",
  deadline: "out of time",
  tls_expired: "certificate expired",
  tls_self_signed: "certificate not trusted",
  tls_name: "certificate of another name",
  tls_protocol: "TLS handshake failed",
  tls_weak: "TLS too weak",
  tls_client_certificate: "client certificate refused",
  reset: "connection reset",
  protocol: "answer is no HTTP",
  response_too_large: "answer's headers too large",
  blocked_address: "address is blocked",
  blocked_port: "port is blocked",
  invalid_header: "header cannot be sent",
  unknown_error: "unknown error",
};

/** `HTTP 503`, `connection refused`. */
export function answerText({
  statusCode,
  error,
  outcome,
}: Pick<AttemptView, "statusCode" | "error" | "outcome">): string {
  if (statusCode !== null) return `HTTP ${statusCode}`;
  if (error !== null) return errors[error] ?? foreign(error);
  return outcome === "unknown" ? "no record of an answer" : "—";
}

export const eventStates: Readonly<Record<"undelivered" | "quarantined" | "released", Said>> = {
  undelivered: ["undelivered", "idle"],
  quarantined: ["quarantined", "warn"],
  released: ["released", "good"],
};

export const replayStates: Readonly<Record<"running" | "paused" | "cancelled" | "done" | "failed", Said>> = {
  running: ["running", "info"],
  paused: ["paused", "warn"],
  cancelled: ["cancelled", "idle"],
  done: ["done", "good"],
  failed: ["failed", "bad"],
};

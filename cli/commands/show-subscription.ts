import type { SubscriptionView } from "../../functions/app/admin/view-schemas.js";
import { filterText } from "../filter-text.js";
import { circuitText, gateFields } from "../gate-text.js";
import type { Session } from "../session.js";
import { bothTimes, duration } from "../text.js";
import { secretsText } from "./sources.js";

/** A subscription with the policy that is in force, and the signing secret that the relay has just made for it. */
export function showSubscription(session: Session, subscription: SubscriptionView): void {
  session.result(subscription, () => {
    session.fields(definitionFields(subscription, session.nowMs));
    session.heading("Gate");
    session.fields(gateFields(subscription, session.nowMs));
    session.heading("Policy in force");
    session.fields(policyFields(subscription));
    showNewSecret(session, subscription);
  });
}

function definitionFields(subscription: SubscriptionView, nowMs: number): Parameters<Session["fields"]>[0] {
  return [
    ["subscription", subscription.subscriptionId],
    ["source", subscription.sourceId],
    ["name", subscription.name],
    ["description", subscription.description],
    ["status", subscription.status],
    ["because", subscription.statusReason],
    ["slow until", subscription.slowUntil ? bothTimes(subscription.slowUntil, nowMs) : null],
    ["url", subscription.url],
    ["types", subscription.types?.join(", ") ?? "all"],
    ["filter", subscription.filter === null ? null : filterText(subscription.filter)],
    ["suffix", subscription.forwardSuffix ? "appended to the URL" : null],
    ["signing", subscription.signing],
    ["secrets", secretsText(subscription.secrets, nowMs)],
    ["headers", headersText(subscription.headers)],
    ["client certificate", certificateText(subscription.tls, nowMs)],
    ["authorities", subscription.tls?.ca === undefined ? null : "its own, instead of the public ones"],
    ["managed by", subscription.managedBy],
    ["version", subscription.version],
    ["created", bothTimes(subscription.createdAt, nowMs)],
    ["changed", bothTimes(subscription.updatedAt, nowMs)],
  ];
}

/** Of secret ones the name only: the relay never tells more. */
function headersText(headers: SubscriptionView["headers"]): string | null {
  if (headers === null) return null;
  return Object.entries(headers)
    .map(([name, value]) => `${name}: ${typeof value === "string" ? value : "(secret)"}`)
    .join(", ");
}

/** From here on its owner should have the next one. */
const soonMs = 30 * 86_400_000;

function certificateText(tls: SubscriptionView["tls"], nowMs: number): string | null {
  const { certificateExpiresAt: end } = tls ?? {};
  if (end === undefined) return null;
  const leftMs = Date.parse(end) - nowMs;
  const warning = leftMs <= 0 ? ": EXPIRED" : leftMs < soonMs ? ": renew it" : "";
  return `until ${bothTimes(end, nowMs)}${warning}`;
}

function policyFields({ policy, timeouts, circuit, maxPerSecond }: SubscriptionView): Parameters<Session["fields"]>[0] {
  return [
    ["preset", policy.preset],
    ["schedule", `${scheduleText(policy.schedule)}, ±${Math.round(policy.jitter * 100)}%`],
    ["cap", policy.capSeconds === null ? null : duration(policy.capSeconds)],
    ["max attempts", policy.maxAttempts],
    ["max age", policy.maxAgeSeconds === null ? null : duration(policy.maxAgeSeconds)],
    ["rules", rulesText(policy)],
    ["Retry-After", `honoured up to ${duration(policy.retryAfterCapSeconds)}`],
    ["410", policy.disableOnGone ? "disables the subscription" : null],
    ["timeouts", `connect ${duration(timeouts.connectSeconds)}, read ${duration(timeouts.readSeconds)}`],
    ["circuit", circuitText(circuit)],
    ["rate", maxPerSecond === null ? null : `at most ${maxPerSecond} per second`],
  ];
}

function scheduleText(schedule: SubscriptionView["policy"]["schedule"]): string {
  if (schedule.kind === "table") return schedule.delaysSeconds.map(duration).join(", ");
  return `${schedule.kind} from ${duration(schedule.baseSeconds)}`;
}

function rulesText({ rules, retryOn, neverRetry }: SubscriptionView["policy"]): string {
  const also = retryOn.length === 0 ? "" : `, also ${retryOn.join(", ")}`;
  const not = neverRetry.length === 0 ? "" : `, never ${neverRetry.join(", ")}`;
  return `${rules}${also}${not}`;
}

/** The only time that it is shown: the relay itself never tells it again. */
function showNewSecret(session: Session, { signingSecret }: SubscriptionView): void {
  if (signingSecret === undefined) return;
  session.heading("Signing secret (shown this once: the receiver verifies requests with it)");
  session.line(signingSecret);
}

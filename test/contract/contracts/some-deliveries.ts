import { randomBytes } from "node:crypto";
import { claimAttempt, deadLetter, newDelivery, park, recordAttempt } from "../../../functions/core/delivery.js";
import { deliveryIdOf, freshEventId, freshId } from "../../../functions/core/ids.js";
import type { Attempt, Delivery } from "../../../functions/core/model.js";
import { aPolicy } from "../../support/builders.js";

/** Deliveries on their way through the states, made by the functions that the relay makes them with. */

export const aSubscriptionId = (nowMs: number): string => freshId("sub", nowMs, randomBytes(16));

/** A delivery of a new event that was received at `receivedAtMs`. */
export function aDelivery(receivedAtMs: number, subscriptionId = aSubscriptionId(receivedAtMs)): Delivery {
  const eventId = freshEventId(receivedAtMs, randomBytes(16));
  const deliveryId = deliveryIdOf(eventId, subscriptionId);
  const origin = { deliveryId, eventId, sourceId: "contract", subscriptionId, receivedAtMs };
  return newDelivery({ ...origin, bodySha256: randomBytes(32).toString("hex") }, receivedAtMs);
}

export function claimed(delivery: Delivery, nowMs: number, token: string = randomBytes(8).toString("hex")): Delivery {
  return claimAttempt(delivery, { token, guard: `message of ${token}`, leaseUntilMs: nowMs + 95_000 }, nowMs);
}

/** The claimed attempt came to this: 200 delivers, 422 ends, everything else is retried, as long as attempts are left. */
export function recorded(delivery: Delivery, statusCode: number, nowMs: number, maxAttempts = 3): Delivery {
  const outcome = { 200: "delivered" as const, 422: "permanent" as const }[statusCode] ?? "retryable";
  const attempt: Attempt = {
    number: delivery.attemptsStarted,
    startedAtMs: nowMs,
    delaySeconds: delivery.claim?.delaySeconds ?? 0,
    outcome,
    statusCode,
    error: null,
    durationMs: 41,
    retryAfterSeconds: statusCode === 429 ? 2.5 : null,
    address: "203.0.113.10",
    timings: { dnsMs: 1, firstByteMs: 41 },
    preview: Buffer.from("grüße").toString("base64"),
    previewCut: false,
  };
  const policy = aPolicy({ schedule: { kind: "fixed", baseSeconds: 30 }, maxAttempts });
  return recordAttempt(delivery, attempt, { policy, retentionDays, nowMs, random: () => 0.5 });
}

export const parked = (delivery: Delivery, nowMs: number): Delivery => park(delivery, nowMs, nowMs + 86_400_000);

export const dead = (delivery: Delivery, nowMs: number): Delivery => deadLetter(delivery, "max_age", nowMs);

/** The retention that every subject of a contract has. */
export const retentionDays = 30;

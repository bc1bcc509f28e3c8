import { createHash } from "node:crypto";
import type { OpenSubscription } from "../../functions/app/ports.js";
import { eventIdFromKey } from "../../functions/core/ids.js";
import type { EventMeta, Gate, ReleaseState, RetryPolicy } from "../../functions/core/model.js";

/** Builders of the domain's objects: valid by default, each field to be replaced. */

export function aPolicy(overrides: Partial<RetryPolicy> = {}): RetryPolicy {
  return {
    schedule: { kind: "table", delaysSeconds: [10, 20] },
    capSeconds: null,
    jitter: 0,
    maxAttempts: 3,
    maxAgeSeconds: null,
    rules: "strict",
    retryOn: [],
    neverRetry: [],
    retryAfterCapSeconds: 3600,
    disableOnGone: true,
    ...overrides,
  };
}

export function aSubscription(overrides: Partial<OpenSubscription> = {}): OpenSubscription {
  return {
    subscriptionId: "sub_a",
    sourceId: "demo",
    name: null,
    description: null,
    url: "https://destination.example/hooks",
    policy: aPolicy(),
    timeouts: { connectSeconds: 15, readSeconds: 60 },
    circuit: {
      failureThreshold: 5,
      failureRate: null,
      minimumAttempts: 20,
      cooldownSeconds: 15,
      maxCooldownSeconds: 900,
    },
    maxPerSecond: null,
    types: null,
    filter: null,
    forwardSuffix: false,
    signing: "standard-webhooks",
    secrets: [],
    secretValues: [{ id: "sec_a", value: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=" }],
    headers: null,
    headerValues: [],
    tls: null,
    tlsKey: null,
    deletedAtMs: null,
    version: 1,
    managedBy: null,
    createdAtMs: 0,
    updatedAtMs: 0,
    ...overrides,
  };
}

export function aGate(overrides: Partial<Gate> = {}): Gate {
  return {
    subscriptionId: "sub_a",
    sourceId: "demo",
    status: "active",
    statusReason: null,
    generation: 0,
    holdsParked: false,
    changedAtMs: 0,
    ...overrides,
  };
}

/** A release at its beginning. */
export function aRelease(startedAtMs: number, overrides: Partial<ReleaseState> = {}): ReleaseState {
  return {
    startedAtMs,
    released: 0,
    from: null,
    after: null,
    sent: 0,
    lastPass: false,
    pace: { perSecond: 10, isSearching: true, attemptsSeen: 0, failuresSeen: 0 },
    ...overrides,
  };
}

export function anEvent(body: Buffer = Buffer.from("{}"), overrides: Partial<EventMeta> = {}): EventMeta {
  return {
    eventId: eventIdFromKey("demo", "key-1"),
    sourceId: "demo",
    method: "POST",
    suffix: "",
    query: "",
    type: null,
    receivedAtMs: Date.UTC(2026, 0, 1, 12),
    bodySha256: createHash("sha256").update(body).digest("hex"),
    bodyBytes: body.length,
    verifiedBy: null,
    dedupeKey: null,
    ...overrides,
  };
}

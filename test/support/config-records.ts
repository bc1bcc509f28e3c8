import type { SubscriptionRecord } from "../../functions/app/admin/definitions.js";
import type { Source } from "../../functions/core/model.js";

/** A source as it is stored; give what the test is about. */
export function aSourceRecord(given: Partial<Source> = {}): Source {
  return {
    sourceId: "src",
    description: null,
    verification: null,
    handshake: null,
    answer: "event-id",
    dedupe: null,
    eventType: null,
    secrets: [],
    version: 1,
    managedBy: null,
    createdAtMs: 1_000,
    updatedAtMs: 1_000,
    ...given,
  };
}

/** A subscription as it is stored; give what the test is about. */
export function aSubscriptionRecord(given: Partial<SubscriptionRecord> = {}): SubscriptionRecord {
  return {
    subscriptionId: "sub_1",
    sourceId: "src",
    name: null,
    description: null,
    url: "https://destination.example/hook",
    policy: null,
    timeouts: null,
    circuit: null,
    maxPerSecond: null,
    types: null,
    filter: null,
    forwardSuffix: false,
    signing: "standard-webhooks",
    secrets: [],
    headers: null,
    tls: null,
    deletedAtMs: null,
    version: 1,
    managedBy: null,
    createdAtMs: 1_000,
    updatedAtMs: 1_000,
    ...given,
  };
}

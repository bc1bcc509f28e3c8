import { Webhook } from "standardwebhooks";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { MemoryConfig } from "../../../functions/adapters/memory/memory-config.js";
import { MemorySubscriptionConfigs } from "../../../functions/adapters/memory/memory-subscription-configs.js";
import { MemorySubscriptionStore } from "../../../functions/adapters/memory/memory-subscription-store.js";
import type { AdminContext } from "../../../functions/app/admin/context.js";
import { revokeSecret, rotateSecret } from "../../../functions/app/admin/rotate-secret.js";
import type { OutboundRequest } from "../../../functions/app/ports.js";
import { aSubscription } from "../../support/builders.js";
import { aSourceRecord, aSubscriptionRecord } from "../../support/config-records.js";
import { memoryRelay } from "../../support/memory-relay.js";

const oldSecret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const newSecret = "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD";
const defaults = { policyPreset: "default", connectSeconds: 15, readSeconds: 60 };
const ifAny = { ifMatch: null, ifNoneMatch: null };

/** A relay whose one subscription comes from the stores that the admin API writes. */
async function rotatingRelay(answers: number[]) {
  const relay = memoryRelay({ subscriptions: [aSubscription()], answers });
  const config = new MemoryConfig(relay.clock.now);
  const subscriptions = new MemorySubscriptionStore(config, 30);
  config.sources.set("demo", { record: aSourceRecord({ sourceId: "demo" }), secrets: {} });
  const policy = { schedule: { kind: "fixed", baseSeconds: 60 }, jitter: 0 } as const;
  const secrets = [{ id: "sec_old", createdAtMs: 0 }];
  const record = aSubscriptionRecord({ subscriptionId: "sub_a", sourceId: "demo", policy, secrets });
  await subscriptions.createSubscription(record, { sec_old: oldSecret });
  Object.assign(relay.context, { subscriptions: new MemorySubscriptionConfigs(config, defaults) });
  const admin = { subscriptions, now: relay.clock.now, entropy: Buffer.alloc, defaults } as Partial<AdminContext>;
  return { ...relay, admin: admin as AdminContext };
}

/** What the official library says of a request under a secret, at the time of the request. */
function verifies(request: OutboundRequest | undefined, secret: string): boolean {
  const headers = Object.fromEntries(request?.headers ?? []);
  vi.setSystemTime(Number(headers["webhook-timestamp"]) * 1000);
  try {
    new Webhook(secret).verify(String(request?.body), headers);
    return true;
  } catch {
    return false;
  }
}

const under = (request: OutboundRequest | undefined) => [verifies(request, oldSecret), verifies(request, newSecret)];

beforeEach(() => vi.useFakeTimers({ toFake: ["Date"] }));
afterEach(() => vi.useRealTimers());

describe("an event that was queued before a rotation", () => {
  it("is retried with both signatures during the overlap, and with the new one alone after it", async () => {
    const relay = await rotatingRelay([503, 503, 200]);
    await relay.accept();
    await relay.invoke();
    await rotateSecret(relay.admin, "sub_a", { signingSecret: newSecret, overlapSeconds: 90 }, ifAny);
    await relay.runToEnd();
    expect(relay.requests.map(under)).toEqual([
      [true, false],
      [true, true],
      [false, true],
    ]);
    const signatures = Object.fromEntries(relay.requests[1]?.headers ?? [])["webhook-signature"]?.split(" ");
    expect(signatures).toHaveLength(2);
    const ids = relay.requests.map(({ headers }) => Object.fromEntries(headers)["webhook-id"]);
    expect(new Set(ids).size).toBe(1);
  });

  it("carries the new one first", async () => {
    const relay = await rotatingRelay([200]);
    await rotateSecret(relay.admin, "sub_a", { signingSecret: newSecret }, ifAny);
    await relay.accept();
    await relay.runToEnd();
    const [request] = relay.requests;
    const headers = Object.fromEntries(request?.headers ?? []);
    const first = { ...headers, "webhook-signature": headers["webhook-signature"]?.split(" ")[0] ?? "" };
    expect(under(request && { ...request, headers: Object.entries(first) })).toEqual([false, true]);
  });

  it("is no longer signed with one that was revoked", async () => {
    const relay = await rotatingRelay([503, 200]);
    await rotateSecret(relay.admin, "sub_a", { signingSecret: newSecret }, ifAny);
    await relay.accept();
    await relay.invoke();
    await revokeSecret(relay.admin, "sub_a", "sec_old", ifAny);
    await relay.runToEnd();
    expect(relay.requests.map(under)).toEqual([
      [true, true],
      [false, true],
    ]);
  });
});

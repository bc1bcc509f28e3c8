import { Webhook } from "standardwebhooks";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { packContent } from "../../../functions/core/content.js";
import type { Headers } from "../../../functions/core/model.js";
import { anEvent, aPolicy, aSubscription } from "../../support/builders.js";
import { memoryRelay } from "../../support/memory-relay.js";

const hours = 3_600_000;
const providers: Headers = [
  ["content-type", "application/json"],
  ["stripe-signature", "t=1767268800,v1=00"],
];

beforeEach(() => vi.useFakeTimers({ toFake: ["Date"] }));
afterEach(() => vi.useRealTimers());

async function attempted(signing: "standard-webhooks" | "off") {
  const policy = aPolicy({ schedule: { kind: "table", delaysSeconds: [7_200] }, jitter: 0 });
  const relay = memoryRelay({ subscriptions: [aSubscription({ policy, signing })], answers: [503, 200] });
  const body = Buffer.from('{"id":"evt_1"}');
  const packed = packContent({ headers: providers, body });
  await relay.queue.sendEvent({ v: 1, kind: "event", event: anEvent(body), content: { at: "inline", packed } });
  await relay.runToEnd();
  const [first, second] = relay.delivery().attempts;
  expect((second?.startedAtMs ?? 0) - (first?.startedAtMs ?? 0)).toBeGreaterThanOrEqual(2 * hours);
  return relay.requests.map((request, index) => ({
    request,
    headers: Object.fromEntries(request.headers),
    atMs: relay.delivery().attempts[index]?.startedAtMs ?? 0,
  }));
}

describe("a retry hours after the event", () => {
  it("is as fresh to the official library as the first attempt, and has the provider's signature as it came", async () => {
    const secret = aSubscription().secretValues[0]?.value ?? "";
    const made = await attempted("standard-webhooks");
    for (const { request, headers, atMs } of made) {
      vi.setSystemTime(atMs);
      expect(new Webhook(secret).verify(String(request.body), headers)).toEqual({ id: "evt_1" });
      expect(headers["stripe-signature"]).toBe("t=1767268800,v1=00");
    }
    expect(made[1]?.headers["webhook-id"]).toBe(made[0]?.headers["webhook-id"]);
    const [first] = made;
    vi.setSystemTime(made[1]?.atMs ?? 0);
    expect(() => new Webhook(secret).verify(String(first?.request.body), first?.headers ?? {})).toThrow(/too old/);
  });

  it("has nothing but the provider's signature when signing is off", async () => {
    for (const { headers } of await attempted("off")) {
      expect(headers["stripe-signature"]).toBe("t=1767268800,v1=00");
      expect(Object.keys(headers).filter((name) => name.startsWith("webhook-"))).toEqual([]);
    }
  });
});

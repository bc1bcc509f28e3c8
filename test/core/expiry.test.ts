import { describe, expect, it } from "vitest";
import { claimAttempt, deadLetter, newDelivery, park } from "../../functions/core/delivery.js";
import { deliveryExpiresAt, eventExpiresAt, hasExpired, tombstoneExpiresAt } from "../../functions/core/expiry.js";

const daySeconds = 86_400;
const receivedAtMs = Date.UTC(2026, 0, 1);
const received = receivedAtMs / 1000;
const ids = { deliveryId: "dlv_a", eventId: "evt_a", sourceId: "demo", subscriptionId: "sub_a" };
const delivery = newDelivery({ ...ids, bodySha256: "ab".repeat(32), receivedAtMs }, receivedAtMs);

describe("expiry", () => {
  it("comes to final deliveries only, by the age of their event", () => {
    const lease = { token: "t", guard: "g", leaseUntilMs: receivedAtMs };
    for (const open of [
      delivery,
      claimAttempt(delivery, lease, receivedAtMs),
      park(delivery, receivedAtMs, receivedAtMs),
    ]) {
      expect(deliveryExpiresAt(open, 30)).toBeUndefined();
    }
    const dead = deadLetter(delivery, "cancelled", receivedAtMs);
    expect(deliveryExpiresAt(dead, 30)).toBe(received + 30 * daySeconds);
  });

  it("leaves what ended late seven days more", () => {
    const endedAtMs = receivedAtMs + 29 * daySeconds * 1000;
    expect(deliveryExpiresAt(deadLetter(delivery, "max_age", endedAtMs), 30)).toBe(received + 36 * daySeconds);
  });

  it("comes to events and to deleted subscriptions a week after their deliveries' retention", () => {
    expect(eventExpiresAt(receivedAtMs, 30)).toBe(received + 37 * daySeconds);
    expect(eventExpiresAt(receivedAtMs + 1, 30)).toBe(received + 37 * daySeconds + 1);
    expect(tombstoneExpiresAt(receivedAtMs, 30)).toBe(received + 37 * daySeconds);
  });

  it("has come once its second is over", () => {
    expect(hasExpired(received, receivedAtMs + 999)).toBe(false);
    expect(hasExpired(received, receivedAtMs + 1_000)).toBe(true);
    expect(hasExpired(undefined, Number.MAX_SAFE_INTEGER)).toBe(false);
  });
});

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  claimAttempt,
  isFinal,
  newDelivery,
  overdueReason,
  park,
  parkingEnd,
  recordAttempt,
  recordLostAttempt,
} from "../../functions/core/delivery.js";
import { judgeMessage } from "../../functions/core/message-verdict.js";
import type { Attempt, Delivery, Outcome } from "../../functions/core/model.js";
import { aPolicy } from "../support/builders.js";
import { seededRandom } from "../support/virtual-clock.js";

const start = Date.UTC(2026, 0, 1);
const origin = {
  deliveryId: "dlv_a",
  eventId: "evt_a",
  sourceId: "demo",
  subscriptionId: "sub_a",
  bodySha256: "00".repeat(32),
  receivedAtMs: start,
};
const lease = (guard: string) => ({ token: `token-of-${guard}`, guard, leaseUntilMs: start + 95_000 });
const fresh = () => newDelivery(origin, start);
const attempting = () => claimAttempt(fresh(), lease("m1"), start);

const attemptOf = (delivery: Delivery, outcome: Outcome, statusCode: number | null = null): Attempt => ({
  number: delivery.attemptsStarted,
  startedAtMs: start,
  delaySeconds: delivery.claim?.delaySeconds ?? 0,
  outcome,
  statusCode,
  error: null,
  durationMs: 5,
  retryAfterSeconds: null,
});
const context = (nowMs = start) => ({ policy: aPolicy(), retentionDays: 30, nowMs, random: seededRandom(1) });

describe("a delivery", () => {
  it("starts its first attempt at once", () => {
    expect(attempting()).toMatchObject({
      status: "attempting",
      attemptsStarted: 1,
      claim: { attempt: 1, delaySeconds: 0 },
    });
  });

  it("is delivered by a 2xx", () => {
    expect(recordAttempt(attempting(), attemptOf(attempting(), "delivered", 200), context())).toMatchObject({
      status: "delivered",
      nextAttemptAtMs: null,
    });
  });

  it("keeps the planned delay for its next attempt's record", () => {
    const failed = recordAttempt(attempting(), attemptOf(attempting(), "retryable", 503), context());
    expect(failed).toMatchObject({ status: "retry_scheduled", nextAttemptAtMs: start + 10_000, nextDelaySeconds: 10 });
    expect(claimAttempt(failed, lease("m2"), start + 10_000)).toMatchObject({
      attemptsStarted: 2,
      claim: { attempt: 2, delaySeconds: 10 },
    });
  });

  it("counts no attempt while it is parked, and keeps what was due", () => {
    const failed = recordAttempt(attempting(), attemptOf(attempting(), "retryable", 503), context());
    expect(park(failed, start, start + 1_000_000)).toMatchObject({
      status: "parked",
      attemptsStarted: 1,
      nextAttemptAtMs: start + 10_000,
    });
  });

  it("is due at the lost attempt's start + delay, at once when that is past", () => {
    expect(recordLostAttempt(attempting(), context(start + 2_000)).nextAttemptAtMs).toBe(start + 10_000);
    expect(recordLostAttempt(attempting(), context(start + 100_000)).nextAttemptAtMs).toBe(start + 100_000);
  });

  it("spends its maximum on lost attempts, too", () => {
    const policy = aPolicy({ maxAttempts: 1 });
    expect(recordLostAttempt(attempting(), { ...context(), policy })).toMatchObject({
      status: "dead_lettered",
      deadLetterReason: "exhausted",
    });
  });

  it("names a refused address as blocked, not as the destination's answer", () => {
    const refused = { ...attemptOf(attempting(), "permanent"), error: "blocked_address" as const };
    expect(recordAttempt(attempting(), refused, context()).deadLetterReason).toBe("blocked");
  });

  it("cannot be claimed while it is attempted or when it is final", () => {
    expect(() => claimAttempt(attempting(), lease("m2"), start)).toThrow("cannot be claimed");
    const delivered = recordAttempt(attempting(), attemptOf(attempting(), "delivered", 200), context());
    expect(() => claimAttempt(delivered, lease("m2"), start)).toThrow("cannot be claimed");
  });

  it("ends after at most its maximum of attempts, whatever the outcomes", () => {
    const outcome = fc.constantFrom<Outcome>("delivered", "retryable", "permanent", "unknown");
    fc.assert(
      fc.property(
        fc.array(outcome, { minLength: 10, maxLength: 10 }),
        fc.integer({ min: 1, max: 8 }),
        (outcomes, max) => {
          const policy = aPolicy({ maxAttempts: max });
          let delivery = fresh();
          for (const each of outcomes) {
            if (isFinal(delivery)) break;
            const claimed = claimAttempt(delivery, lease(`m${delivery.attemptsStarted + 1}`), start);
            delivery = recordAttempt(claimed, attemptOf(claimed, each), { ...context(), policy });
          }
          expect(isFinal(delivery)).toBe(true);
          expect(delivery.attemptsStarted).toBeLessThanOrEqual(max);
          expect(delivery.attempts).toHaveLength(delivery.attemptsStarted);
        },
      ),
    );
  });
});

describe("a replay", () => {
  const dayMs = 86_400_000;
  const createdAtMs = start + 29 * dayMs;
  const contentEndMs = start + 36 * dayMs;
  const replay = () => newDelivery(origin, createdAtMs, "dlv_original");
  const aDay = aPolicy({ maxAgeSeconds: 86_400 });

  it("has a time budget from its creation, whatever the event's age", () => {
    const parked = park(replay(), createdAtMs, parkingEnd(replay(), aDay, 30));
    expect(parked.parkedUntilMs).toBe(createdAtMs + dayMs);
    expect(overdueReason(parked, aDay, 30, createdAtMs + dayMs)).toBeNull();
    expect(overdueReason(parked, aDay, 30, createdAtMs + dayMs + 1)).toBe("max_age");
    const claimed = claimAttempt(replay(), lease("m1"), createdAtMs);
    const failed = recordAttempt(claimed, attemptOf(claimed, "retryable", 503), {
      ...context(createdAtMs + 1_000),
      policy: aDay,
    });
    expect(failed.status).toBe("retry_scheduled");
  });

  it("ends a day before its event's content expires, even before its first attempt", () => {
    expect(overdueReason(replay(), aPolicy(), 30, contentEndMs)).toBeNull();
    expect(overdueReason(replay(), aPolicy(), 30, contentEndMs + 1)).toBe("retention");
    expect(parkingEnd(replay(), aPolicy(), 30)).toBe(contentEndMs);
    const claimed = claimAttempt(replay(), lease("m1"), contentEndMs);
    const failed = recordAttempt(claimed, attemptOf(claimed, "retryable", 503), context(contentEndMs));
    expect(failed).toMatchObject({ status: "dead_lettered", deadLetterReason: "retention" });
  });
});

describe("a message", () => {
  const retrying = () => recordAttempt(attempting(), attemptOf(attempting(), "retryable", 503), context());
  const judge = (delivery: Delivery, messageId: string, attempt: number, nowMs = start) =>
    judgeMessage(delivery, { messageId, attempt }, nowMs);

  it("makes the attempt that it announces", () => {
    expect(judge(retrying(), "m2", 2, start + 10_000)).toEqual({ act: "claim" });
  });

  it("that comes up to a second early is acted on, one that comes earlier waits for the rest", () => {
    expect(judge(retrying(), "m2", 2, start + 9_000)).toEqual({ act: "claim" });
    expect(judge(retrying(), "m2", 2, start + 8_999)).toEqual({ act: "wait", dueAtMs: start + 10_000 });
  });

  it("for an attempt that another message began is a copy", () => {
    expect(judge(attempting(), "m2", 1)).toEqual({ act: "drop", because: "copy" });
    expect(judge(attempting(), "m2", 1, start + 1_000_000)).toEqual({ act: "drop", because: "copy" });
    expect(judge(retrying(), "m2", 1)).toEqual({ act: "drop", because: "copy" });
  });

  it("that holds the claim waits for its lease, then takes over", () => {
    expect(judge(attempting(), "m1", 1)).toEqual({ act: "return", afterMs: 95_000 });
    expect(judge(attempting(), "m1", 1, start + 95_000)).toEqual({ act: "take_over" });
  });

  it("that holds the claim announces again what its record decided", () => {
    expect(judge(retrying(), "m1", 1)).toEqual({ act: "announce" });
    const dead = recordAttempt(attempting(), attemptOf(attempting(), "permanent", 422), context());
    expect(judge(dead, "m1", 1)).toEqual({ act: "announce" });
  });

  it("with another body is a duplicate, whoever holds the claim", () => {
    const message = { messageId: "m1", attempt: 1, bodySha256: "11".repeat(32) };
    expect(judgeMessage(attempting(), message, start)).toEqual({ act: "drop", because: "duplicate_body" });
  });

  it("for an attempt beyond the next is a fault", () => {
    expect(judge(retrying(), "m9", 4).act).toBe("fault");
  });
});

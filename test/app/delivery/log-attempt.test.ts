import { expect, it } from "vitest";
import { aPolicy, aSubscription } from "../../support/builders.js";
import { memoryRelay } from "../../support/memory-relay.js";

const attempts = (relay: ReturnType<typeof memoryRelay>) =>
  relay.logged.filter(({ message }) => message === "attempt").map(({ fields }) => JSON.parse(JSON.stringify(fields)));

it("an attempt is one line with all that an operator filters by", async () => {
  const policy = aPolicy({ maxAttempts: 3, jitter: 0 });
  const relay = memoryRelay({ subscriptions: [aSubscription({ policy })], answers: [503, "reset", 200] });
  const event = await relay.accept();
  await relay.runToEnd();
  const { deliveryId } = relay.delivery(event);
  const always = {
    deliveryId,
    eventId: event.eventId,
    sourceId: event.sourceId,
    subscriptionId: "sub_a",
    host: new URL(aSubscription().url).host,
    maxAttempts: 3,
    durationMs: 5,
    circuit: "closed",
    lane: "fast",
    bodyBytes: event.bodyBytes,
  };
  expect(attempts(relay)).toEqual([
    {
      ...always,
      attempt: 1,
      outcome: "retryable",
      statusCode: 503,
      delaySeconds: 0,
      status: "retry_scheduled",
      nextAttemptAt: expect.stringMatching(/Z$/),
    },
    {
      ...always,
      attempt: 2,
      outcome: "retryable",
      error: "reset",
      delaySeconds: 10,
      status: "retry_scheduled",
      nextAttemptAt: expect.stringMatching(/Z$/),
    },
    { ...always, attempt: 3, outcome: "delivered", statusCode: 200, delaySeconds: 20, status: "delivered" },
  ]);
});

it("the line of a dead letter says why, and one of a probe that the circuit is half open", async () => {
  const dead = memoryRelay({ subscriptions: [aSubscription()], answers: [400] });
  await dead.accept();
  await dead.runToEnd();
  expect(attempts(dead)).toMatchObject([{ status: "dead_lettered", deadLetterReason: "permanent" }]);
  const probed = memoryRelay({
    subscriptions: [aSubscription({ policy: aPolicy({ maxAttempts: 20 }) })],
    answers: [503, 503, 503, 503, 503],
  });
  await probed.accept();
  await probed.runToEnd();
  expect(attempts(probed).at(-1)).toMatchObject({ circuit: "half_open", outcome: "delivered" });
});

import { expect } from "vitest";
import type { Model, ModelMessage } from "./delivery-model.js";
import type { RelayUnderTest } from "./relay-under-test.js";

/** The relay is where the model is, and its promises hold. Brings what only the relay knows, ids, into the model. */
export async function expectSame(model: Model, real: RelayUnderTest): Promise<void> {
  const delivery = await real.delivery();
  const seen = delivery && {
    status: delivery.status,
    started: delivery.attemptsStarted,
    outcomes: delivery.attempts.map(({ outcome }) => outcome),
    dueAtMs: delivery.nextAttemptAtMs,
    guard: delivery.claim?.guard ?? null,
  };
  const { status, started, outcomes, dueAtMs, guard } = model.delivery ?? {};
  expect(seen).toEqual(model.delivery && { status, started, outcomes, dueAtMs, guard });
  expect(real.gateStatus()).toBe(model.gate);
  expect(real.waiting).toHaveLength(model.requests.length);
  expect(real.relay.deadLetters()).toHaveLength(model.deadLetters);
  // Which attempts are announced, in order: never one more than the model allows.
  expect(real.messages.map(({ id }) => real.message(id).attempt)).toEqual(model.messages.map(({ attempt }) => attempt));
  expectPromises(model, real);
  model.messages = messagesOf(real);
}

function expectPromises(model: Model, real: RelayUnderTest): void {
  expect(new Set(real.sent).size, `attempts sent: ${real.sent}`).toBe(real.sent.length);
  const { delivery, nowMs } = model;
  const running = delivery?.status === "attempting" && delivery.leaseUntilMs > nowMs;
  const atOnce = model.requests.filter(({ claim }) => running && claim === delivery.claim);
  expect(atOnce.length).toBeLessThanOrEqual(1);
}

export function messagesOf(real: RelayUnderTest): ModelMessage[] {
  return real.messages.map(({ id }) => {
    const { attempt, as, stored, repair } = real.message(id);
    const looksFirst = attempt > 1 || stored === true || repair === true;
    return { id, attempt, looksFirst, repair: repair === true, ...(as === undefined ? {} : { as }) };
  });
}

import type { AsyncCommand } from "fast-check";
import { expect } from "vitest";
import { expectSame, messagesOf } from "../compare.js";
import type { Model } from "../delivery-model.js";
import type { RelayUnderTest } from "../relay-under-test.js";

/** What is left to its own message before the sweeper looks at it. */
const graceMs = 5 * 60_000;

/** The sweeper comes by: it announces again what is overdue, at most once, and writes nothing. */
export class Sweep implements AsyncCommand<Model, RelayUnderTest> {
  check(model: Readonly<Model>): boolean {
    return model.delivery !== null;
  }

  async run(model: Model, real: RelayUnderTest): Promise<void> {
    await real.sweep();
    const announced = messagesOf(real).slice(model.messages.length);
    expect(announced.length).toBeLessThanOrEqual(isOverdue(model) ? 1 : 0);
    for (const message of announced) expect(message).toMatchObject(repairOf(model));
    model.messages.push(...announced);
    await expectSame(model, real);
  }

  toString(): string {
    return "sweep";
  }
}

function isOverdue({ delivery, nowMs, receivedAtMs }: Model): boolean {
  switch (delivery?.status) {
    case "retry_scheduled":
      return (delivery.dueAtMs ?? nowMs) + graceMs <= nowMs;
    case "attempting":
      return delivery.leaseUntilMs + graceMs <= nowMs;
    case "parked":
      return nowMs > receivedAtMs + graceMs;
    default:
      return false;
  }
}

/** Only an attempt whose function died is taken over; everything else is announced as it was. */
function repairOf({ delivery }: Model): { readonly attempt: number; readonly repair: boolean } {
  const repair = delivery?.status === "attempting";
  return { repair, attempt: (delivery?.started ?? 0) + (repair ? 0 : 1) };
}

import type { AsyncCommand } from "fast-check";
import { expectSame } from "../compare.js";
import { isFinal, type Model, retentionDays } from "../delivery-model.js";
import { moveClock } from "../picking.js";
import type { RelayUnderTest } from "../relay-under-test.js";

const dayMs = 86_400_000;
/** An open delivery must end by then; a final one stays visible, and its event for some days more. */
const endedDays = 24;
const forgottenDays = retentionDays + 8;

/** Time passes until an open delivery must end, or a final one is forgotten. No queue keeps a message for so long. */
export class Expire implements AsyncCommand<Model, RelayUnderTest> {
  check({ delivery, nowMs, receivedAtMs }: Readonly<Model>): boolean {
    return delivery !== null && (isFinal(delivery) || nowMs < receivedAtMs + endedDays * dayMs);
  }

  async run(model: Model, real: RelayUnderTest): Promise<void> {
    const { delivery, receivedAtMs, nowMs } = model;
    const forgotten = delivery !== null && isFinal(delivery);
    moveClock(model, real, (forgotten ? nowMs : receivedAtMs) + (forgotten ? forgottenDays : endedDays) * dayMs);
    if (forgotten) model.delivery = null;
    // What a first attempt needs is received again until it is a fault, and as such it is kept.
    model.messages = model.messages.filter(({ looksFirst }) => !forgotten && !looksFirst);
    const kept = new Set(model.messages.map(({ id }) => id));
    real.messages = real.messages.filter(({ id }) => kept.has(id));
    await expectSame(model, real);
  }

  toString(): string {
    return "let the retention pass";
  }
}

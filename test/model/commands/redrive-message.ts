import type { AsyncCommand } from "fast-check";
import { continueAs } from "../../../functions/app/messages.js";
import { applyEffect } from "../apply-effect.js";
import { expectSame, messagesOf } from "../compare.js";
import { effectOf, type Model } from "../delivery-model.js";
import { guardMessage, leaseMs, pick } from "../picking.js";
import type { RelayUnderTest } from "../relay-under-test.js";

/** The guard became a fault, and comes back as another message in its name. */
export class RedriveMessage implements AsyncCommand<Model, RelayUnderTest> {
  check({ delivery }: Readonly<Model>): boolean {
    return delivery !== null && delivery.guard !== null;
  }

  async run(model: Model, real: RelayUnderTest): Promise<void> {
    const guard = model.delivery?.guard ?? "";
    const { queued } = guardMessage(model, real, guard);
    real.messages = real.messages.filter(({ id }) => id !== guard);
    const redriven = real.enqueue(continueAs(queued.body, guard));
    model.messages = messagesOf(real);
    const message = pick(model.messages, model.messages.length - 1);
    applyEffect(model, message, effectOf(model, message, leaseMs));
    await real.receive(redriven);
    await expectSame(model, real);
  }

  toString(): string {
    return "redrive the guard as another message";
  }
}

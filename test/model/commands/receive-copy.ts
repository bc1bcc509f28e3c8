import type { AsyncCommand } from "fast-check";
import { applyEffect } from "../apply-effect.js";
import { expectSame, messagesOf } from "../compare.js";
import { effectOf, type Model } from "../delivery-model.js";
import { leaseMs, pick } from "../picking.js";
import type { RelayUnderTest } from "../relay-under-test.js";

/** The same announcement under another id: a schedule that fired twice, a send that was repeated. */
export class ReceiveCopy implements AsyncCommand<Model, RelayUnderTest> {
  constructor(readonly which: number) {}

  check(model: Readonly<Model>): boolean {
    return model.messages.length > 0;
  }

  async run(model: Model, real: RelayUnderTest): Promise<void> {
    const { body } = pick(real.messages, this.which);
    const copy = real.enqueue(body);
    model.messages = messagesOf(real);
    const message = pick(model.messages, model.messages.length - 1);
    applyEffect(model, message, effectOf(model, message, leaseMs));
    await real.receive(copy);
    await expectSame(model, real);
  }

  toString(): string {
    return `receive a copy of message ${this.which}`;
  }
}

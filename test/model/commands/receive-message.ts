import type { AsyncCommand } from "fast-check";
import { applyEffect, type DiesAt } from "../apply-effect.js";
import { expectSame } from "../compare.js";
import { effectOf, type Model } from "../delivery-model.js";
import { leaseMs, pick, strikes } from "../picking.js";
import type { RelayUnderTest } from "../relay-under-test.js";

/** A message from the queue is received: once, or again and again, early or late; its function may die on the way. */
export class ReceiveMessage implements AsyncCommand<Model, RelayUnderTest> {
  constructor(
    readonly which: number,
    readonly diesAt: DiesAt,
  ) {}

  check(model: Readonly<Model>): boolean {
    return model.messages.length > 0;
  }

  async run(model: Model, real: RelayUnderTest): Promise<void> {
    const message = pick(model.messages, this.which);
    applyEffect(model, message, effectOf(model, message, leaseMs), this.diesAt);
    await real.receive(pick(real.messages, this.which), strikes(this.diesAt, "deliveries.replaceDelivery"));
    await expectSame(model, real);
  }

  toString(): string {
    return `receive message ${this.which}${this.diesAt === "end" ? "" : `, dying ${this.diesAt}`}`;
  }
}

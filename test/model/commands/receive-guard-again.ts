import type { AsyncCommand } from "fast-check";
import { applyEffect, type DiesAt } from "../apply-effect.js";
import { expectSame } from "../compare.js";
import { effectOf, type Model } from "../delivery-model.js";
import { guardMessage, leaseMs, strikes } from "../picking.js";
import type { RelayUnderTest } from "../relay-under-test.js";

/** SQS hands out once more what made the last claim, acknowledged or not. */
export class ReceiveGuardAgain implements AsyncCommand<Model, RelayUnderTest> {
  constructor(readonly diesAt: DiesAt) {}

  check({ delivery }: Readonly<Model>): boolean {
    return delivery !== null && delivery.guard !== null;
  }

  async run(model: Model, real: RelayUnderTest): Promise<void> {
    const { message, queued } = guardMessage(model, real, model.delivery?.guard ?? "");
    applyEffect(model, message, effectOf(model, message, leaseMs), this.diesAt);
    await real.receive(queued, strikes(this.diesAt, "deliveries.replaceDelivery"));
    await expectSame(model, real);
  }

  toString(): string {
    return `receive the guard again${this.diesAt === "end" ? "" : `, dying ${this.diesAt}`}`;
  }
}

import type { AsyncCommand } from "fast-check";
import { announceAttempt } from "../apply-effect.js";
import { expectSame } from "../compare.js";
import { type Model, maxAttempts } from "../delivery-model.js";
import type { RelayUnderTest } from "../relay-under-test.js";

/** An operator opens the gate; the release that follows announces what is parked, and keeps last attempts until later. */
export class Resume implements AsyncCommand<Model, RelayUnderTest> {
  check(model: Readonly<Model>): boolean {
    return model.gate !== "active";
  }

  async run(model: Model, real: RelayUnderTest): Promise<void> {
    model.gate = "active";
    real.setGate("active");
    await real.release();
    const { delivery } = model;
    if (delivery?.status === "parked" && !isLastOne(delivery.started)) announceAttempt(model, delivery.started + 1);
    await expectSame(model, real);
  }

  toString(): string {
    return "resume";
  }
}

const isLastOne = (started: number): boolean => started + 1 >= maxAttempts;

import type { AsyncCommand } from "fast-check";
import { announceAttempt } from "../apply-effect.js";
import { expectSame } from "../compare.js";
import type { Model } from "../delivery-model.js";
import type { RelayUnderTest } from "../relay-under-test.js";

/** An operator opens the gate; the release that follows announces what is parked. */
export class Resume implements AsyncCommand<Model, RelayUnderTest> {
  check(model: Readonly<Model>): boolean {
    return model.gate !== "active";
  }

  async run(model: Model, real: RelayUnderTest): Promise<void> {
    model.gate = "active";
    real.setGate("active");
    await real.release();
    if (model.delivery?.status === "parked") announceAttempt(model, model.delivery.started + 1);
    await expectSame(model, real);
  }

  toString(): string {
    return "resume";
  }
}

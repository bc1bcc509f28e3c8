import type { AsyncCommand } from "fast-check";
import { expectSame } from "../compare.js";
import type { Model } from "../delivery-model.js";
import type { RelayUnderTest } from "../relay-under-test.js";

/** An operator closes the gate. */
export class Pause implements AsyncCommand<Model, RelayUnderTest> {
  check(model: Readonly<Model>): boolean {
    return model.gate === "active";
  }

  async run(model: Model, real: RelayUnderTest): Promise<void> {
    model.gate = "paused";
    real.setGate("paused");
    await expectSame(model, real);
  }

  toString(): string {
    return "pause";
  }
}

import type { AsyncCommand } from "fast-check";
import { expectSame } from "../compare.js";
import type { Model } from "../delivery-model.js";
import { moveClock } from "../picking.js";
import type { RelayUnderTest } from "../relay-under-test.js";

/** Time passes until the next attempt is due. */
export class WaitUntilDue implements AsyncCommand<Model, RelayUnderTest> {
  check({ delivery, nowMs }: Readonly<Model>): boolean {
    return (delivery?.dueAtMs ?? 0) > nowMs;
  }

  async run(model: Model, real: RelayUnderTest): Promise<void> {
    moveClock(model, real, model.delivery?.dueAtMs ?? model.nowMs);
    await expectSame(model, real);
  }

  toString(): string {
    return "wait until the next attempt is due";
  }
}

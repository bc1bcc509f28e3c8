import type { AsyncCommand } from "fast-check";
import { expectSame } from "../compare.js";
import type { Model } from "../delivery-model.js";
import { moveClock } from "../picking.js";
import type { RelayUnderTest } from "../relay-under-test.js";

/** Time passes until the last claim may be taken over. */
export class LetLeaseEnd implements AsyncCommand<Model, RelayUnderTest> {
  check({ delivery, nowMs }: Readonly<Model>): boolean {
    return delivery?.status === "attempting" && delivery.leaseUntilMs > nowMs;
  }

  async run(model: Model, real: RelayUnderTest): Promise<void> {
    moveClock(model, real, model.delivery?.leaseUntilMs ?? model.nowMs);
    await expectSame(model, real);
  }

  toString(): string {
    return "let the lease end";
  }
}

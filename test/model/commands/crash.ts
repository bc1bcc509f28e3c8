import type { AsyncCommand } from "fast-check";
import { expectSame } from "../compare.js";
import type { Model } from "../delivery-model.js";
import type { RelayUnderTest } from "../relay-under-test.js";

/** A function dies while its request is out. */
export class Crash implements AsyncCommand<Model, RelayUnderTest> {
  constructor(readonly which: number) {}

  check(model: Readonly<Model>): boolean {
    return model.requests.length > 0;
  }

  async run(model: Model, real: RelayUnderTest): Promise<void> {
    const index = this.which % model.requests.length;
    model.requests.splice(index, 1);
    real.crash(index);
    await expectSame(model, real);
  }

  toString(): string {
    return `crash while request ${this.which} is out`;
  }
}

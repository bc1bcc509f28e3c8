import type { AsyncCommand } from "fast-check";
import { expectSame } from "../compare.js";
import type { Model } from "../delivery-model.js";
import { pick } from "../picking.js";
import type { RelayUnderTest } from "../relay-under-test.js";

/** A message is lost: a schedule that never fires, a queue that forgets. A first attempt's own message never is. */
export class LoseMessage implements AsyncCommand<Model, RelayUnderTest> {
  constructor(readonly which: number) {}

  check(model: Readonly<Model>): boolean {
    return model.messages.length > 0 && pick(model.messages, this.which).looksFirst;
  }

  async run(model: Model, real: RelayUnderTest): Promise<void> {
    const { id } = pick(model.messages, this.which);
    model.messages = model.messages.filter((message) => message.id !== id);
    real.messages = real.messages.filter((message) => message.id !== id);
    await expectSame(model, real);
  }

  toString(): string {
    return `lose message ${this.which}`;
  }
}

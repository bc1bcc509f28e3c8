import type { AsyncCommand } from "fast-check";
import { type DiesAt, drop, follow } from "../apply-effect.js";
import { expectSame } from "../compare.js";
import { announce, answered, type Model } from "../delivery-model.js";
import { pick, strikes } from "../picking.js";
import type { RelayUnderTest } from "../relay-under-test.js";

/** The destination answers, in time or long after its claim was taken over; the function may die before it is done. */
export class Answer implements AsyncCommand<Model, RelayUnderTest> {
  constructor(
    readonly which: number,
    readonly statusCode: 200 | 503 | 422 | 410,
    readonly diesAt: DiesAt,
  ) {}

  check(model: Readonly<Model>): boolean {
    return model.requests.length > 0;
  }

  async run(model: Model, real: RelayUnderTest): Promise<void> {
    const index = this.which % model.requests.length;
    const messageId = real.waiting[index]?.messageId ?? "";
    this.apply(model, index, messageId);
    await real.answer(index, this.statusCode, strikes(this.diesAt, "deliveries.replaceDelivery"));
    await expectSame(model, real);
  }

  private apply(model: Model, index: number, messageId: string): void {
    const request = pick(model.requests, index);
    model.requests.splice(index, 1);
    const { delivery } = model;
    if (this.statusCode === 410 && model.gate === "active") model.gate = "disabled";
    // A result that comes after somebody else has taken over changes nothing.
    const mine = delivery?.status === "attempting" && delivery.claim === request.claim;
    if (mine && this.diesAt !== "before the write") model.delivery = answered(model, delivery, this.statusCode);
    if (this.diesAt !== "end") return;
    if (mine && model.delivery !== null) follow(model, announce(model.delivery));
    drop(model, messageId);
  }

  toString(): string {
    return `answer ${this.statusCode} to request ${this.which}${this.diesAt === "end" ? "" : `, dying ${this.diesAt}`}`;
  }
}

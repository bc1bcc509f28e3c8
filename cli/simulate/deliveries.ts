import { newDelivery } from "../../functions/core/delivery.js";
import type { Delivery } from "../../functions/core/model.js";
import type { Arrivals } from "./arrivals.js";

const [waiting, parked, final] = [0, 1, 2];

/** One delivery per event, by its place in the order of receipt. Only what a decision needs is kept of each. */
export class Deliveries {
  /** Not delivered and not dead, of those received before the recovery. */
  openOfOutage: number;
  open: number;
  parkedCount = 0;
  private readonly states: Uint8Array;
  private readonly made: Uint16Array;
  /** When the next attempt is due, of those parked before a retry. */
  private readonly dueAtMs = new Map<number, number>();
  /** None before it is parked. */
  private firstParked = 0;

  constructor(private readonly arrivals: Arrivals) {
    const { length } = arrivals.atMs;
    this.states = new Uint8Array(length);
    this.made = new Uint16Array(length);
    this.open = length;
    this.openOfOutage = arrivals.beforeRecovery;
  }

  receivedAtMs(index: number): number {
    return this.arrivals.atMs[index] as number;
  }

  attemptsMade(index: number): number {
    return this.made[index] as number;
  }

  countAttempt(index: number): void {
    this.made[index] = this.attemptsMade(index) + 1;
  }

  isParked(index: number): boolean {
    return this.states[index] === parked;
  }

  nextAttemptAtMs(index: number): number | null {
    return this.dueAtMs.get(index) ?? null;
  }

  planRetry(index: number, atMs: number): void {
    this.dueAtMs.set(index, atMs);
  }

  park(index: number): void {
    if (this.isParked(index)) return;
    this.states[index] = parked;
    this.parkedCount += 1;
    this.firstParked = Math.min(this.firstParked, index);
  }

  /** Its attempt begins, or its message is on its way. */
  unpark(index: number): void {
    if (!this.isParked(index)) return;
    this.states[index] = waiting;
    this.parkedCount -= 1;
  }

  forgetDue(index: number): void {
    this.dueAtMs.delete(index);
  }

  end(index: number): void {
    this.unpark(index);
    this.dueAtMs.delete(index);
    this.states[index] = final;
    this.open -= 1;
    if (index < this.arrivals.beforeRecovery) this.openOfOutage -= 1;
  }

  /** The last that was received before this time; null: none was. */
  lastReceivedBefore(atMs: number): number | null {
    let [before, from] = [-1, this.states.length];
    while (from - before > 1) {
      const middle = (before + from) >> 1;
      if (this.receivedAtMs(middle) < atMs) before = middle;
      else from = middle;
    }
    return before < 0 ? null : before;
  }

  /** Indexes of parked deliveries behind `after` (null: from the first on), in the order of receipt. */
  parkedAfter(after: number | null, most: number): readonly number[] {
    const found: number[] = [];
    if (this.parkedCount === 0) return found;
    const { states } = this;
    while (this.firstParked < states.length && states[this.firstParked] !== parked) this.firstParked += 1;
    for (
      let index = Math.max(this.firstParked, after === null ? 0 : after + 1);
      index < states.length && found.length < most && found.length < this.parkedCount;
      index += 1
    ) {
      if (states[index] === parked) found.push(index);
    }
    return found;
  }

  /** As the rules for probes take it. */
  asDelivery(index: number): Delivery {
    const id = String(index);
    const receivedAtMs = this.receivedAtMs(index);
    const origin = { deliveryId: id, eventId: id, sourceId: "", subscriptionId: "", bodySha256: "", receivedAtMs };
    return {
      ...newDelivery(origin, receivedAtMs),
      status: "parked",
      attemptsStarted: this.attemptsMade(index),
      nextAttemptAtMs: this.nextAttemptAtMs(index),
    };
  }
}

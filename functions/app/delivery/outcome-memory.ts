import type { Gate } from "../../core/model.js";
import { type CircuitSign, newTally, type OutcomeTally, tallied, written } from "../../core/outcome-tally.js";

/** Subscriptions in memory; whoever has not been used for longest is forgotten, with what the gate was not told yet. */
const mostSubscriptions = 10_000;

/** What this environment has seen of its subscriptions and not told their gates yet. */
export class OutcomeMemory {
  private readonly tallies = new Map<string, OutcomeTally>();

  /** Adds one outcome of an attempt that began under `gate`. */
  add(gate: Pick<Gate, "subscriptionId" | "generation" | "counts">, sign: CircuitSign, nowMs: number): OutcomeTally {
    const { subscriptionId, generation, counts } = gate;
    const known = this.tallies.get(subscriptionId);
    const current = known?.generation === generation ? known : newTally(generation, counts, nowMs);
    return this.keep(subscriptionId, tallied(current, sign, nowMs));
  }

  /** Before the gate is told: what comes meanwhile is counted anew. */
  handOver(subscriptionId: string, tally: OutcomeTally, inARow: number, nowMs: number): void {
    this.keep(subscriptionId, written(tally, inARow, nowMs));
  }

  private keep(subscriptionId: string, tally: OutcomeTally): OutcomeTally {
    this.tallies.delete(subscriptionId);
    this.tallies.set(subscriptionId, tally);
    const oldest = this.tallies.keys().next();
    if (this.tallies.size > mostSubscriptions && oldest.done !== true) this.tallies.delete(oldest.value);
    return tally;
  }
}

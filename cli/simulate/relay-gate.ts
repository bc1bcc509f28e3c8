import { openCircuit, returnProbe, settleProbe } from "../../functions/core/circuit.js";
import { isPassable } from "../../functions/core/gate.js";
import type { CircuitSettings, Gate, Outcome } from "../../functions/core/model.js";
import {
  countedWith,
  failsByRate,
  inARow,
  isTooManyInARow,
  isWorthWriting,
  newTally,
  type OutcomeTally,
  tallied,
  written,
} from "../../functions/core/outcome-tally.js";
import { slotIntervalMs } from "../../functions/core/rate.js";
import { isGoing, withTick } from "../../functions/core/ticks.js";

/** How long an environment believes what it last read of a gate. */
const rememberedMs = 1_000;

/** An environment of the delivery function: what it remembers of the gate, and what it has not told it yet. */
interface Environment {
  gate: Gate;
  readAtMs: number;
  tally: OutcomeTally | null;
}

/** The gate that an attempt was made under, and where its outcome is counted. */
export interface Passage {
  readonly gate: Gate;
  readonly environment: Environment;
  readonly isProbe: boolean;
}

const newGate: Gate = {
  subscriptionId: "",
  sourceId: "",
  status: "active",
  statusReason: null,
  generation: 0,
  holdsParked: false,
  changedAtMs: 0,
};

/** The gate of one subscription as several environments work on it, by the relay's own rules. */
export class RelayGate {
  current: Gate = newGate;
  private readonly environments: readonly Environment[];

  constructor(
    private readonly settings: CircuitSettings,
    environments: number,
    private readonly random: () => number,
  ) {
    this.environments = Array.from({ length: environments }, () => ({ gate: newGate, readAtMs: 0, tally: null }));
  }

  /** Some environment, and the gate as it is there. One remembered as closed is read again before anything is parked. */
  meet(nowMs: number): Passage {
    const environment = this.environments[Math.floor(this.random() * this.environments.length)] as Environment;
    if (nowMs - environment.readAtMs >= rememberedMs || !isPassable(environment.gate, nowMs)) {
      environment.gate = this.current;
      environment.readAtMs = nowMs;
    }
    return { gate: environment.gate, environment, isProbe: false };
  }

  noteParked(nowMs: number): void {
    if (!this.current.holdsParked) this.current = { ...this.current, holdsParked: true };
    // Parked at an open gate, for want of a slot: ticks see to its release.
    if (isPassable(this.current, nowMs) && !isGoing(this.current, nowMs)) {
      this.current = withTick(this.current, nowMs);
    }
  }

  /** The next free slot, taken. */
  reserveSlot(maxPerSecond: number, nowMs: number): number {
    const slotAtMs = Math.max(this.current.nextFreeAtMs ?? nowMs, nowMs);
    this.current = { ...this.current, nextFreeAtMs: slotAtMs + slotIntervalMs(maxPerSecond) };
    return Math.round(slotAtMs);
  }

  /** What an outcome means for the circuit. */
  note(passage: Passage, deliveryId: string, outcome: Outcome, nowMs: number): void {
    if (passage.isProbe) this.settle(deliveryId, outcome, nowMs);
    else if (outcome === "delivered" || outcome === "retryable") this.count(passage, outcome === "retryable", nowMs);
  }

  private settle(deliveryId: string, outcome: Outcome, nowMs: number): void {
    const settled = settleProbe(this.current, { deliveryId, outcome }, this.settings, nowMs, this.random);
    if (settled !== null) this.current = withTick(settled, settled.circuit?.probeAtMs ?? nowMs);
  }

  /** Of a delivery that has ended before its attempt. */
  giveProbeBack(deliveryId: string, nowMs: number): void {
    const returned = returnProbe(this.current, deliveryId);
    if (returned !== null) this.current = withTick(returned, nowMs);
  }

  private count({ gate, environment }: Passage, failed: boolean, nowMs: number): void {
    const { settings } = this;
    const known = environment.tally;
    const before = known?.generation === gate.generation ? known : newTally(gate.generation, gate.counts, nowMs);
    const tally = tallied(before, failed ? "failure" : "success", nowMs);
    environment.tally = tally;
    if (!isWorthWriting(tally, settings, nowMs)) return;
    environment.tally = written(tally, inARow(tally), nowMs);
    if (this.current.generation !== tally.generation) return;
    const counts = countedWith(this.current.counts, tally, nowMs);
    this.current = { ...this.current, counts };
    const fails = isTooManyInARow(counts.inARow, tally, settings, nowMs) || failsByRate(counts, settings);
    if (!failed || !fails || this.current.circuit !== undefined) return;
    const opened = openCircuit(this.current, settings, nowMs, this.random);
    this.current = withTick(opened, opened.circuit?.probeAtMs ?? nowMs);
  }
}

import type { Gate, TickState } from "./model.js";

/**
 * Ticks drive a gate through probes and releases, one after the other. Each names its number, and only the gate's next
 * one does anything: what SQS hands out twice, and chains that have been replaced, come to nothing.
 */
export interface Tick {
  /** Null: asks for a chain of ticks in this generation, if none is going on. */
  readonly seq: number | null;
  readonly generation: number;
  readonly messageId: string;
}

export type TickVerdict =
  /** Make the gate's next step. */
  | "go"
  /** This message made it, and may have died before its sends: send again. */
  | "repeat"
  /** A copy, or of a chain that is no more. */
  | "drop";

/** A chain whose next tick is overdue for longer than this is broken. */
const lostAfterMs = 60_000;

export function judgeTick(gate: Pick<Gate, "tick" | "generation">, message: Tick, nowMs: number): TickVerdict {
  const { tick } = gate;
  if (message.seq === null) {
    if (tick !== undefined && tick.by === message.messageId) return "repeat";
    return message.generation === gate.generation && !isGoing(gate, nowMs) ? "go" : "drop";
  }
  if (tick === undefined) return "drop";
  if (message.seq === tick.seq) return "go";
  return message.seq === tick.seq - 1 && tick.by === message.messageId ? "repeat" : "drop";
}

/** True while the next tick of this generation's chain may still come by itself. */
export function isGoing({ tick, generation }: Pick<Gate, "tick" | "generation">, nowMs: number): boolean {
  return tick?.generation === generation && tick.dueAtMs !== null && nowMs - tick.dueAtMs < lostAfterMs;
}

/** The gate with its next tick due at `dueAtMs`; `by`: the message that made the step before, null for a new chain. */
export function withTick(gate: Gate, dueAtMs: number | null, by: string | null = null): Gate {
  return { ...gate, tick: { ...nextOf(gate), dueAtMs, by } };
}

const nextOf = ({ tick, generation }: Gate): Pick<TickState, "seq" | "generation"> => ({
  seq: (tick?.seq ?? 0) + 1,
  generation,
});

import type { Gate, TickState } from "./model.js";

/**
 * Ticks drive a gate through probes and releases, and a bulk replay through its pages, one after the other. Each names
 * its number, and only the next one does anything: what SQS hands out twice, and chains that have been replaced, come to
 * nothing.
 */

/** The tick that a chain waits for. */
export type NextTick = Omit<TickState, "generation">;

/** A tick as its message tells of it. */
export interface ReceivedTick {
  readonly seq: number;
  readonly messageId: string;
}

export type TickVerdict =
  /** Make the next step. */
  | "go"
  /** This message made it, and may have died before its sends: send again. */
  | "repeat"
  /** A copy, or of a chain that is no more. */
  | "drop";

/** A chain whose next tick is overdue for longer than this is broken. */
const lostAfterMs = 60_000;

export function judgeBySeq(next: NextTick, { seq, messageId }: ReceivedTick): TickVerdict {
  if (seq === next.seq) return "go";
  return seq === next.seq - 1 && next.by === messageId ? "repeat" : "drop";
}

/** True while it may still come by itself: the chain has neither done its work nor been broken. */
export function mayStillCome({ dueAtMs }: NextTick, nowMs: number): boolean {
  return dueAtMs !== null && nowMs - dueAtMs < lostAfterMs;
}

/** The tick after `last` (undefined: the first); `by`: the message that made the step before, null for a new chain. */
export function tickAfter(last: NextTick | undefined, dueAtMs: number | null, by: string | null = null): NextTick {
  return { seq: (last?.seq ?? 0) + 1, dueAtMs, by };
}

/** A tick of a gate. */
export interface Tick {
  /** Null: asks for a chain of ticks in this generation, if none is going on. */
  readonly seq: number | null;
  readonly generation: number;
  readonly messageId: string;
}

export function judgeTick(
  gate: Pick<Gate, "tick" | "generation">,
  { seq, generation, messageId }: Tick,
  nowMs: number,
): TickVerdict {
  const { tick } = gate;
  if (seq === null) {
    if (tick !== undefined && tick.by === messageId) return "repeat";
    return generation === gate.generation && !isGoing(gate, nowMs) ? "go" : "drop";
  }
  return tick === undefined ? "drop" : judgeBySeq(tick, { seq, messageId });
}

/** True while the next tick of this generation's chain may still come by itself. */
export function isGoing({ tick, generation }: Pick<Gate, "tick" | "generation">, nowMs: number): boolean {
  return tick?.generation === generation && mayStillCome(tick, nowMs);
}

/** The gate with its next tick due at `dueAtMs`; `by`: the message that made the step before, null for a new chain. */
export function withTick(gate: Gate, dueAtMs: number | null, by: string | null = null): Gate {
  return { ...gate, tick: { ...tickAfter(gate.tick, dueAtMs, by), generation: gate.generation } };
}

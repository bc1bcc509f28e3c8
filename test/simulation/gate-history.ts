import type { Gate } from "../../functions/core/model.js";

/** One state that a gate was in, from then on. */
export interface GateEntry {
  readonly atMs: number;
  readonly gate: Gate;
}

/** Gates with a memory: every state that they were in, in the order of the writes. */
export class GateHistory extends Map<string, Gate> {
  private readonly histories = new Map<string, GateEntry[]>();

  constructor(private readonly now: () => number) {
    super();
  }

  override set(subscriptionId: string, gate: Gate): this {
    const own = this.histories.get(subscriptionId) ?? [];
    this.histories.set(subscriptionId, own);
    own.push({ atMs: this.now(), gate });
    return super.set(subscriptionId, gate);
  }

  /** Everything that the gate was, oldest first. */
  of(subscriptionId: string): readonly GateEntry[] {
    return this.histories.get(subscriptionId) ?? [];
  }

  /** The states that held at some moment from `fromMs` to `toMs`. */
  between(subscriptionId: string, fromMs: number, toMs: number): readonly GateEntry[] {
    const own = this.of(subscriptionId);
    return own.slice(Math.max(0, firstAfter(own, fromMs) - 1), firstAfter(own, toMs));
  }
}

/** Index of the first entry that was written after `atMs`. */
function firstAfter(entries: readonly GateEntry[], atMs: number): number {
  let [low, high] = [0, entries.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((entries[middle] as GateEntry).atMs <= atMs) low = middle + 1;
    else high = middle;
  }
  return low;
}

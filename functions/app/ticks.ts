import { returnProbe } from "../core/circuit.js";
import type { Delivery, Gate } from "../core/model.js";
import { withTick } from "../core/ticks.js";
import type { Clock, ControlQueue, Gates, TickMessage } from "./ports.js";

/** What it takes to move a gate and to set its ticks going. */
export interface TickSender {
  readonly gates: Pick<Gates, "find" | "replaceGate">;
  readonly control: ControlQueue;
  readonly now: Clock;
}

/** Longest delay of a queue; a tick that is due later comes early and is sent on. */
const longestDelaySeconds = 900;

/** Sends the gate's next tick, so that it comes when it is due. */
export async function sendTick({ control, now }: Pick<TickSender, "control" | "now">, gate: Gate): Promise<void> {
  const { subscriptionId, generation, tick } = gate;
  if (tick === undefined || tick.dueAtMs === null) return;
  const message: TickMessage = { v: 1, kind: "tick", subscriptionId, seq: tick.seq, generation };
  const delaySeconds = Math.max(0, Math.ceil((tick.dueAtMs - now()) / 1000));
  await control.sendTick(message, Math.min(delaySeconds, longestDelaySeconds));
}

/** Lost this often in a row to others who move the same gate, a change is given up; the sweeper heals what it was for. */
const triesAtMost = 5;

/**
 * Moves the gate by `change`, read afresh and again whenever somebody else was faster. `change` returns null when
 * there is nothing to do. Answers the gate as it is then; null when it was left alone.
 */
export async function moveGate(
  { gates }: Pick<TickSender, "gates">,
  subscriptionId: string,
  change: (gate: Gate) => Gate | null,
): Promise<Gate | null> {
  for (let tries = 0; tries < triesAtMost; tries++) {
    const gate = await gates.find(subscriptionId, { fresh: true });
    const next = gate === null ? null : change(gate);
    if (gate === null || next === null) return null;
    if (await gates.replaceGate(gate, next)) return next;
  }
  return null;
}

/**
 * The same, with a new chain of ticks whose first is due at `dueAtMs(next)`. Should its message be lost, the sweeper
 * finds the gate on the list of what is due.
 */
export async function moveGateWithTicks(
  context: TickSender,
  subscriptionId: string,
  change: (gate: Gate) => Gate | null,
  dueAtMs: (next: Gate) => number,
): Promise<Gate | null> {
  const moved = await moveGate(context, subscriptionId, (gate) => {
    const next = change(gate);
    return next === null ? null : withTick(next, dueAtMs(next));
  });
  if (moved !== null) await sendTick(context, moved);
  return moved;
}

/**
 * Gives the probe back of a delivery that has ended before its attempt, if it was one: a tick comes for the next at once.
 * Answers whether it was.
 */
export async function giveProbeBack(
  context: TickSender,
  { subscriptionId, deliveryId }: Pick<Delivery, "subscriptionId" | "deliveryId">,
): Promise<boolean> {
  const change = (gate: Gate) => returnProbe(gate, deliveryId);
  return (await moveGateWithTicks(context, subscriptionId, change, () => context.now())) !== null;
}

import { encodeMessage } from "../../functions/app/messages.js";
import type { Strike } from "../support/mortal-context.js";
import type { DiesAt } from "./apply-effect.js";
import type { Model, ModelMessage } from "./delivery-model.js";
import { functionSeconds, type QueuedMessage, type RelayUnderTest } from "./relay-under-test.js";

/** A claim outlives its function by five seconds. */
export const leaseMs = (functionSeconds + 5) * 1000;

/** The one that a number means, whatever the length is. */
export function pick<Value>(values: readonly Value[], which: number): Value {
  const value = values[which % values.length];
  if (value === undefined) throw new Error("nothing to pick from");
  return value;
}

/** Kills a function at its next call of a method: before it has an effect, or before its answer is heard. */
export function strikes(diesAt: DiesAt, method: string): Strike {
  if (diesAt === "end") return () => null;
  const fault = diesAt === "before the write" ? "dies before" : "dies after";
  return (call) => (call === method ? fault : null);
}

/** Both clocks. */
export function moveClock(model: Model, real: RelayUnderTest, toMs: number): void {
  model.nowMs = Math.max(model.nowMs, toMs);
  real.relay.clock.set(model.nowMs);
}

/** The message that made the last claim, as it is in the queue or was before it was deleted. */
export function guardMessage(
  model: Model,
  real: RelayUnderTest,
  guard: string,
): { readonly message: ModelMessage; readonly queued: QueuedMessage } {
  const message = model.messages.find(({ id }) => id === guard);
  const queued = real.messages.find(({ id }) => id === guard);
  if (message !== undefined && queued !== undefined) return { message, queued };
  // A dead letter without an attempt was found out by the message of the attempt that never came.
  const attempt = Math.max(1, model.delivery?.started ?? 1);
  const { eventId, sourceId, receivedAtMs } = real.event;
  const ids = { deliveryId: real.deliveryId, eventId, sourceId, subscriptionId: "sub_a" };
  const body = encodeMessage({ v: 1, kind: "delivery", ...ids, attempt, dueAtMs: receivedAtMs });
  return {
    message: { id: guard, attempt, looksFirst: attempt > 1, repair: false },
    queued: { id: guard, body },
  };
}

import { sendTick } from "../../functions/app/ticks.js";
import { deadLetter, newDelivery, park, parkingEnd } from "../../functions/core/delivery.js";
import { nextGeneration } from "../../functions/core/gate.js";
import { deliveryIdOf } from "../../functions/core/ids.js";
import type { Delivery, DeliveryStatus, Gate } from "../../functions/core/model.js";
import { resolvePolicy } from "../../functions/core/presets.js";
import { withTick } from "../../functions/core/ticks.js";
import { type CalmRelay, defaults, packed, retentionDays } from "./calm-relay.js";

/** Puts parked deliveries into the table, received one millisecond after the other; their events' ids, in order. */
export async function parkMany(relay: CalmRelay, host: string, count: number): Promise<readonly string[]> {
  const policy = resolvePolicy(null, defaults);
  const ids = await storeMany(relay, host, count, (delivery) =>
    park(delivery, delivery.receivedAtMs, parkingEnd(delivery, policy, retentionDays)),
  );
  const paused = nextGeneration(gateOf(relay, host), { status: "paused", statusReason: "operator" }, relay.startMs);
  relay.config.gates.set(paused.subscriptionId, { ...paused, holdsParked: true });
  return ids;
}

/** The same of dead letters, each refused for good as soon as it was received. */
export const buryMany = (relay: CalmRelay, host: string, count: number): Promise<readonly string[]> =>
  storeMany(relay, host, count, (delivery) => deadLetter(delivery, "permanent", delivery.receivedAtMs));

async function storeMany(
  relay: CalmRelay,
  host: string,
  count: number,
  ended: (delivery: Delivery) => Delivery,
): Promise<readonly string[]> {
  const subscriptionId = `sub_${host}`;
  const ids: string[] = [];
  for (let number = 0; number < count; number++) {
    const event = relay.newEvent(host, relay.startMs - count + number);
    const { eventId, sourceId, bodySha256, receivedAtMs } = event;
    const content = { at: "inline", packed } as const;
    await relay.events.storeEvent({ event, content, subscriptionIds: [subscriptionId] });
    const deliveryId = deliveryIdOf(eventId, subscriptionId);
    const origin = { deliveryId, eventId, sourceId, subscriptionId, bodySha256, receivedAtMs };
    await relay.deliveries.replaceDelivery(null, ended(newDelivery(origin, receivedAtMs)));
    ids.push(eventId);
  }
  return ids;
}

/** What an operator does. */
export async function resume(relay: CalmRelay, host: string): Promise<void> {
  const nowMs = relay.world.now();
  const active = nextGeneration(gateOf(relay, host), { status: "active", statusReason: null }, nowMs);
  const resumed = withTick(active, nowMs);
  relay.config.gates.set(resumed.subscriptionId, resumed);
  await sendTick({ control: relay.queues, now: relay.world.now }, resumed);
}

export function gateOf(relay: CalmRelay, host: string): Gate {
  const gate = relay.config.gates.get(`sub_${host}`);
  if (gate === undefined) throw new Error(`nobody has subscribed to ${host}`);
  return gate;
}

/** All states in which the deliveries of a relay are now. */
export const statesOf = (relay: CalmRelay): ReadonlySet<DeliveryStatus> =>
  new Set([...relay.deliveries.deliveries.values()].map(({ status }) => status));

/** Goes on until nothing is left to do, or the time is up. */
export async function runToEnd(relay: CalmRelay, seconds: number): Promise<void> {
  const untilMs = relay.world.now() + seconds * 1000;
  while (relay.open > 0 && relay.world.now() < untilMs) await relay.world.run(relay.world.now() + 1_000);
}

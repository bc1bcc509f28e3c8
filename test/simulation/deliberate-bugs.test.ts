import { describe, expect, it } from "vitest";
import type { DeliveryContext } from "../../functions/app/delivery/delivery-context.js";
import type { DeliveryTable, Gates, TickMessage } from "../../functions/app/ports.js";
import { closeCircuit } from "../../functions/core/circuit.js";
import type { Delivery, Gate } from "../../functions/core/model.js";
import { violationsOf } from "./invariants.js";
import type { Sabotage } from "./relay.js";
import { play } from "./scenario.js";

/**
 * A proof that never fails proves nothing: each of these bugs, put into an otherwise right relay, must be caught within
 * 200 seeds.
 */
const seedsAtMost = 200;

type Change = (context: DeliveryContext) => Partial<DeliveryContext>;
const inDelivery = (change: Change): Sabotage => ({ delivery: (context) => ({ ...context, ...change(context) }) });

/** A table whose writes go through `change` first; null: the write is skipped, and said to have been made. */
const inWrites = (change: (previous: Delivery | null, next: Delivery) => Delivery | null): Sabotage =>
  inDelivery(({ deliveries }) => ({
    deliveries: {
      ...through(deliveries),
      replaceDelivery: async (previous, next) => {
        const changed = change(previous, next);
        return changed === null ? true : deliveries.replaceDelivery(previous, changed);
      },
    },
  }));

const through = (deliveries: DeliveryTable): DeliveryTable => ({
  findDelivery: (id) => deliveries.findDelivery(id),
  findDeliveries: (ids) => deliveries.findDeliveries(ids),
  replaceDelivery: (previous, next) => deliveries.replaceDelivery(previous, next),
});

/** A write without its condition. */
const overwriting = (when: (previous: Delivery | null, next: Delivery) => boolean): Sabotage =>
  inDelivery(({ deliveries }) => ({
    deliveries: {
      ...through(deliveries),
      replaceDelivery: async (previous, next) => {
        if (!when(previous, next)) return deliveries.replaceDelivery(previous, next);
        await overwrite(deliveries, next);
        return true;
      },
    },
  }));

async function overwrite(deliveries: DeliveryTable, next: Delivery): Promise<void> {
  const ledger = deliveries as DeliveryTable & { overwrite(next: Delivery): Promise<void> };
  await ledger.overwrite(next);
}

function forget(deliveries: DeliveryTable, deliveryId: string): void {
  const ledger = deliveries as DeliveryTable & { readonly table: { readonly deliveries: Map<string, Delivery> } };
  ledger.table.deliveries.delete(deliveryId);
}

/** Gates that are wrong in some way, wherever they are used. */
function inGates(change: (gates: Gates, history: Map<string, Gate>) => Partial<Gates>): Sabotage {
  const wrong = (gates: Gates, history: Map<string, Gate>): Gates => ({ ...bound(gates), ...change(gates, history) });
  return {
    delivery: (context, _environment, gates) => ({ ...context, gates: wrong(context.gates, gates) }),
    sweeper: (context, gates) => ({ ...context, gates: wrong(context.gates, gates) }),
  };
}

/** A probe whose lease is over long before its attempt can be. */
function briefly(gate: Gate): Gate {
  const { circuit, tick } = gate;
  if (circuit?.probe === undefined || tick?.dueAtMs !== circuit.probe.untilMs + 1_000) return gate;
  const untilMs = (circuit.probedAtMs ?? 0) + 5_000;
  return {
    ...gate,
    circuit: { ...circuit, probe: { ...circuit.probe, untilMs } },
    tick: { ...tick, dueAtMs: untilMs },
  };
}

const bugs: Readonly<Record<string, Sabotage>> = {
  "the claim's condition is skipped": overwriting((_previous, next) => next.status === "attempting"),
  "a late record overwrites newer state": overwriting((previous) => previous?.status === "attempting"),
  "a message is acknowledged before its work is done": { poller: "ack_first" },
  "a failed message is acknowledged all the same": { poller: "drop_failures" },
  "the next attempt is not announced, and nobody sweeps": {
    ...inDelivery(({ queue }) => ({ queue: { ...bound(queue), sendDeliveries: async () => {} } })),
    noSweeps: true,
  },
  "lost schedules are nobody's business": { noSweeps: true },
  "the guard is forgotten: no message may repair": inWrites((_previous, next) =>
    next.claim === null ? next : { ...next, claim: { ...next.claim, guard: "nobody" } },
  ),
  "every message is a guard: copies repair, too": inDelivery(({ deliveries }) => ({
    deliveries: {
      ...through(deliveries),
      findDelivery: async (id) => {
        const found = await deliveries.findDelivery(id);
        return found?.status === "attempting" && found.claim !== null
          ? { ...found, claim: { ...found.claim, leaseUntilMs: 0 } }
          : found;
      },
    },
  })),
  "our own lost answer is taken for a lost claim": inDelivery(({ deliveries }) => ({
    deliveries: {
      ...through(deliveries),
      replaceDelivery: async (previous, next) => (await deliveries.replaceDelivery(previous, next)) && false,
      findDelivery: async (id) => {
        const found = await deliveries.findDelivery(id);
        return found?.claim ? { ...found, claim: { ...found.claim, token: "another" } } : found;
      },
    },
  })),
  "the lease ends with the claim": inWrites((_previous, next) =>
    next.claim === null ? next : { ...next, claim: { ...next.claim, leaseUntilMs: 0 } },
  ),
  "an open delivery expires": inDelivery(({ deliveries }) => ({
    deliveries: {
      ...through(deliveries),
      replaceDelivery: async (previous, next) => {
        const written = await deliveries.replaceDelivery(previous, next);
        if (next.status === "retry_scheduled" && next.attemptsStarted === 2) forget(deliveries, next.deliveryId);
        return written;
      },
    },
  })),
  "a record is said to be made, and is not": inWrites((previous, next) =>
    next.status === "retry_scheduled" && previous?.attemptsStarted === 2 ? null : next,
  ),
  "the event is not stored": inDelivery(({ events }) => ({
    events: { ...bound(events), storeEvent: async (stored) => stored },
  })),
  "the dead letter is not sent": inDelivery(() => ({ deadLetters: { sendDeadLetter: async () => {} } })),
  "a dead letter is sent for every failure": inDelivery(({ deadLetters, queue }) => ({
    queue: {
      ...bound(queue),
      sendDeliveries: async (messages, delaySeconds) => {
        for (const { deliveryId, eventId, sourceId, subscriptionId } of messages) {
          const letter = { deliveryId, eventId, sourceId, subscriptionId, reason: "exhausted", attempts: 1 } as const;
          await deadLetters.sendDeadLetter({
            ...letter,
            v: 1,
            kind: "dead_letter",
            lastOutcome: null,
            deadLetteredAt: "",
          });
        }
        await queue.sendDeliveries(messages, delaySeconds);
      },
    },
  })),
  "one attempt too many is made": inWrites((_previous, next) =>
    next.status === "dead_lettered" && next.deadLetterReason === "exhausted"
      ? { ...next, status: "retry_scheduled", deadLetterReason: null, nextAttemptAtMs: next.updatedAtMs + 1000 }
      : next,
  ),
  "retries come at once": inWrites((_previous, next) =>
    next.nextAttemptAtMs === null ? next : { ...next, nextAttemptAtMs: next.updatedAtMs, nextDelaySeconds: 0 },
  ),
  "what is handed over to the slow lane loses its name": inDelivery(({ queue }) => ({
    queue: {
      ...bound(queue),
      sendDeliveries: (messages, delaySeconds, lane) =>
        queue.sendDeliveries(
          messages.map(({ as: _name, ...message }) => message),
          delaySeconds,
          lane,
        ),
    },
  })),
  "what is handed over to the slow lane comes by the fast one again": inDelivery(({ queue }) => ({
    queue: {
      ...bound(queue),
      sendDeliveries: (messages, delaySeconds) => queue.sendDeliveries(messages, delaySeconds, "fast"),
    },
  })),
  "what a newer version wrote is taken for absent": inDelivery(({ deliveries }) => ({
    deliveries: {
      ...through(deliveries),
      findDelivery: async (id) => {
        const found = await deliveries.findDelivery(id);
        return found !== null && "addedLater" in found ? null : found;
      },
    },
  })),
  "an attempt is not recorded": inWrites((previous, next) =>
    previous?.status === "attempting" ? { ...next, attempts: next.attempts.slice(1) } : next,
  ),
  "a parked delivery is not noted at its gate, and its release is lost": inDelivery(({ gates }) => ({
    gates: { ...bound(gates), noteParked: async () => {} },
  })),
  "a success is not believed": inWrites((_previous, next) =>
    next.status === "delivered"
      ? { ...next, status: "retry_scheduled", nextAttemptAtMs: next.updatedAtMs + 5000 }
      : next,
  ),
  "the sweeper sends without moving its entries on": {
    sweeper: (context) => ({
      ...context,
      dueList: { due: (list, untilMs) => context.dueList.due(list, untilMs), postpone: async () => true },
    }),
  },
  "a gate is written without its condition": inGates((gates, history) => ({
    replaceGate: async (_previous, next) => {
      history.set(next.subscriptionId, next);
      return true;
    },
    find: (id) => gates.find(id),
  })),
  "every copy of a tick makes a step": {
    tick: (body, gates) => {
      const tick = JSON.parse(body) as TickMessage;
      return JSON.stringify({ ...tick, seq: gates.get(tick.subscriptionId)?.tick?.seq ?? tick.seq });
    },
  },
  "a chain of ticks is lost, and nobody sweeps gates": {
    sweeper: (context) => ({
      ...context,
      control: { sendTick: async () => {} },
      dueList: {
        async *due(list, untilMs) {
          for await (const page of context.dueList.due(list, untilMs)) yield page.filter(({ kind }) => kind !== "gate");
        },
        postpone: (entry, untilMs) => context.dueList.postpone(entry, untilMs),
      },
    }),
  },
  "a probe has no lease: the next one starts beside it": inGates((gates) => ({
    replaceGate: (previous, next) => gates.replaceGate(previous, briefly(next)),
  })),
  "any success closes an open circuit": inGates((gates, history) => ({
    addOutcomes: async (id, tally, nowMs) => {
      const gate = history.get(id);
      if (tally.hadSuccess && gate?.circuit !== undefined) history.set(id, closeCircuit(gate, nowMs));
      return gates.addOutcomes(id, tally, nowMs);
    },
  })),
  "failures are not counted": inGates(() => ({ addOutcomes: async () => null })),
  "each failure is counted ten times": inGates((gates) => ({
    addOutcomes: (id, tally, nowMs) =>
      gates.addOutcomes(id, { ...tally, trailing: 10 * tally.trailing, failures: 10 * tally.failures }, nowMs),
  })),
  "a parked delivery is dropped at its release": {
    sweeper: (context) => ({ ...context, queue: { ...bound(context.queue), sendDeliveries: async () => {} } }),
  },
  "what was released is attempted although the circuit has opened again": inDelivery(({ gates }) => ({
    gates: {
      ...bound(gates),
      find: async (id, options) => {
        const gate = await gates.find(id, options);
        if (gate === null || options?.fresh !== true) return gate;
        const { circuit: _open, ...passable } = gate;
        return passable;
      },
    },
  })),
  "the gate is not read again after the parking, and a hold ends without a tick": inDelivery(({ gates }) => ({
    gates: { ...bound(gates), find: (id) => gates.find(id), noteParked: async () => {} },
    control: { sendTick: async () => {} },
  })),
  "Retry-After holds one delivery only": inGates((gates) => ({
    replaceGate: (previous, { heldUntilMs: _held, ...next }) => gates.replaceGate(previous, next),
  })),
  "a probe does not wait for the time asked for": inGates((gates) => ({
    find: async (id, options) => {
      const gate = await gates.find(id, options);
      return gate?.circuit === undefined ? gate : { ...gate, heldUntilMs: 0 };
    },
  })),
  "slots are not reserved": inGates(() => ({ reserveSlot: async (_id, _intervalMs, nowMs) => nowMs })),
  "probes burn last attempts first": {
    sweeper: (context) => ({
      ...context,
      deliveries: {
        ...bound(context.deliveries),
        findDeliveries: async (ids) => {
          const found = await context.deliveries.findDeliveries(ids);
          const most = Math.max(...found.map(({ attemptsStarted }) => attemptsStarted));
          return found.filter(({ attemptsStarted }) => attemptsStarted === most);
        },
      },
    }),
  },
  "a resume forgets the release": { forgetsTicks: true },
  "a parked delivery is attempted after its wait": inDelivery(({ deliveries }) => ({
    deliveries: {
      ...through(deliveries),
      findDelivery: async (id) => {
        const found = await deliveries.findDelivery(id);
        return found?.status === "parked" ? { ...found, receivedAtMs: found.receivedAtMs + 3_600_000 } : found;
      },
    },
  })),
  "faults are dropped": {
    sweeper: (context) => ({ ...context, faults: { ...bound(context.faults), storeFault: async () => {} } }),
  },
};

/** The object with its methods as own properties, so that it can be spread. */
function bound<Port extends object>(port: Port): Port {
  return new Proxy(port, {
    ownKeys: (target) => methodNames(target),
    getOwnPropertyDescriptor: (target, name) => ({
      configurable: true,
      enumerable: true,
      value: Reflect.get(target, name),
    }),
  });
}

function methodNames(port: object): string[] {
  const prototype = Object.getPrototypeOf(port) as object | null;
  const inherited = prototype === null || prototype === Object.prototype ? [] : methodNames(prototype);
  return [...new Set([...Object.getOwnPropertyNames(port), ...inherited])].filter((name) => name !== "constructor");
}

describe("the simulation", () => {
  it.each(Object.entries(bugs))("catches it when %s", { timeout: 600_000 }, async (_name, sabotage) => {
    let caughtAt: number | undefined;
    for (let seed = 1; seed <= seedsAtMost && caughtAt === undefined; seed++) {
      if (violationsOf(await play(seed, sabotage)).length > 0) caughtAt = seed;
    }
    expect(caughtAt).toBeDefined();
  });
});

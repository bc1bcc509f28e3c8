import type { TickMessage } from "../../functions/app/ports.js";
import { closeCircuit } from "../../functions/core/circuit.js";
import type { Gate } from "../../functions/core/model.js";
import type { Sabotage } from "./relay.js";
import { bound, inDelivery, inGates } from "./sabotage.js";

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

/** Bugs of gates, their ticks and the sweeper that sees to them. */
export const gateBugs: Readonly<Record<string, Sabotage>> = {
  "a parked delivery is not noted at its gate, and its release is lost": inDelivery(({ gates }) => ({
    gates: { ...bound(gates), noteParked: async () => {} },
  })),
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
};

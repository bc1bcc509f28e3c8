import type { DeliveryContext } from "../../functions/app/delivery/delivery-context.js";
import type { DeliveryTable, Gates } from "../../functions/app/ports.js";
import type { Delivery, Gate } from "../../functions/core/model.js";
import type { Sabotage } from "./relay.js";

/** Ways to put a bug into an otherwise right relay. */

type Change = (context: DeliveryContext) => Partial<DeliveryContext>;
export const inDelivery = (change: Change): Sabotage => ({
  delivery: (context) => ({ ...context, ...change(context) }),
});

/** A table whose writes go through `change` first; null: the write is skipped, and said to have been made. */
export const inWrites = (change: (previous: Delivery | null, next: Delivery) => Delivery | null): Sabotage =>
  inDelivery(({ deliveries }) => ({
    deliveries: {
      ...through(deliveries),
      replaceDelivery: async (previous, next) => {
        const changed = change(previous, next);
        return changed === null ? true : deliveries.replaceDelivery(previous, changed);
      },
    },
  }));

export const through = (deliveries: DeliveryTable): DeliveryTable => ({
  findDelivery: (id) => deliveries.findDelivery(id),
  findDeliveries: (ids) => deliveries.findDeliveries(ids),
  replaceDelivery: (previous, next) => deliveries.replaceDelivery(previous, next),
});

/** A write without its condition. */
export const overwriting = (when: (previous: Delivery | null, next: Delivery) => boolean): Sabotage =>
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

export function forget(deliveries: DeliveryTable, deliveryId: string): void {
  const ledger = deliveries as DeliveryTable & { readonly table: { readonly deliveries: Map<string, Delivery> } };
  ledger.table.deliveries.delete(deliveryId);
}

/** Gates that are wrong in some way, wherever they are used. */
export function inGates(change: (gates: Gates, history: Map<string, Gate>) => Partial<Gates>): Sabotage {
  const wrong = (gates: Gates, history: Map<string, Gate>): Gates => ({ ...bound(gates), ...change(gates, history) });
  return {
    delivery: (context, _environment, gates) => ({ ...context, gates: wrong(context.gates, gates) }),
    sweeper: (context, gates) => ({ ...context, gates: wrong(context.gates, gates) }),
  };
}

/** The object with its methods as own properties, so that it can be spread. */
export function bound<Port extends object>(port: Port): Port {
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

import { MemoryQueues } from "../../functions/adapters/memory/memory-queues.js";
import type { DeliveryMessage, DeliveryTable, EventMessage, Lane, TickMessage } from "../../functions/app/ports.js";

/** What a newer version writes with everything: a field of which the older one knows nothing. */
const addedLater = { addedLater: { by: "a newer version" } };

/** The same queues, as a newer version sends to them. */
export class NewerQueues extends MemoryQueues {
  constructor({ delivery, deadLetter, control, slow }: MemoryQueues) {
    super(delivery, deadLetter, control, slow);
  }

  override sendEvent(message: EventMessage): Promise<void> {
    return super.sendEvent({ ...message, ...addedLater });
  }

  override sendDeliveries(messages: readonly DeliveryMessage[], delaySeconds: number, lane?: Lane): Promise<void> {
    return super.sendDeliveries(
      messages.map((message) => ({ ...message, ...addedLater })),
      delaySeconds,
      lane,
    );
  }

  override sendTick(message: TickMessage, delaySeconds: number): Promise<void> {
    return super.sendTick({ ...message, ...addedLater }, delaySeconds);
  }
}

/** The same table, as a newer version writes to it. */
export function newerTable<Table extends DeliveryTable>(table: Table): Table {
  const replaceDelivery: DeliveryTable["replaceDelivery"] = (previous, next) =>
    table.replaceDelivery(previous, { ...next, ...addedLater });
  return Object.assign(Object.create(table) as Table, { replaceDelivery });
}

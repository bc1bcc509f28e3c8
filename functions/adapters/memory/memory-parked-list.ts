import type { ControlQueue, ParkedList, ReleaseMessage } from "../../app/ports.js";
import type { MemoryDeliveryTable } from "./memory-delivery-table.js";

/** Parked deliveries of the table in memory, in received order. */
export class MemoryParkedList implements ParkedList {
  constructor(private readonly table: MemoryDeliveryTable) {}

  async parkedAfter(subscriptionId: string, after: string | null, limit: number) {
    return [...this.table.deliveries.values()]
      .filter((each) => each.subscriptionId === subscriptionId && each.status === "parked")
      .map((each) => ({
        deliveryId: each.deliveryId,
        position: `${new Date(each.receivedAtMs).toISOString()}#${each.deliveryId}`,
      }))
      .filter(({ position }) => after === null || position > after)
      .toSorted((a, b) => (a.position < b.position ? -1 : 1))
      .slice(0, limit);
  }
}

/** The control queue in memory: messages with the seconds that they were delayed by. */
export class MemoryControlQueue implements ControlQueue {
  readonly messages: { readonly message: ReleaseMessage; readonly delaySeconds: number }[] = [];

  async sendRelease(message: ReleaseMessage, delaySeconds: number): Promise<void> {
    this.messages.push({ message, delaySeconds });
  }
}

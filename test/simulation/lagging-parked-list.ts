import type { MemoryDeliveryTable } from "../../functions/adapters/memory/memory-delivery-table.js";
import { MemoryParkedList } from "../../functions/adapters/memory/memory-parked-list.js";
import type { ParkedEntry, ParkedList } from "../../functions/app/ports.js";
import type { World } from "./world.js";

/** The list of parked deliveries as an index shows it: what was parked just now is missing for a while. */
export class LaggingParkedList implements ParkedList {
  private readonly list: MemoryParkedList;

  constructor(
    private readonly world: World,
    private readonly table: MemoryDeliveryTable,
    private readonly mostLagMs: () => number,
  ) {
    this.list = new MemoryParkedList(table);
  }

  async parkedAfter(subscriptionId: string, after: string | null, limit: number): Promise<readonly ParkedEntry[]> {
    return this.shown(await this.list.parkedAfter(subscriptionId, after, limit));
  }

  async parkedSince(subscriptionId: string, receivedAtMs: number, limit: number): Promise<readonly ParkedEntry[]> {
    return this.shown(await this.list.parkedSince(subscriptionId, receivedAtMs, limit));
  }

  private shown(entries: readonly ParkedEntry[]): readonly ParkedEntry[] {
    const lagMs = this.mostLagMs();
    return lagMs === 0 ? entries : entries.filter(({ deliveryId }) => this.isShown(deliveryId, lagMs));
  }

  private isShown(deliveryId: string, lagMs: number): boolean {
    const parkedAtMs = this.table.deliveries.get(deliveryId)?.updatedAtMs ?? 0;
    return this.world.now() - parkedAtMs > this.world.between(0, lagMs);
  }
}

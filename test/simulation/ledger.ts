import type { MemoryDeliveryTable } from "../../functions/adapters/memory/memory-delivery-table.js";
import type { DeliveryTable, ReplayNotes } from "../../functions/app/ports.js";
import type { Delivery, DeliveryStatus } from "../../functions/core/model.js";
import type { World } from "./world.js";

/** One state that a delivery was in, from then on. */
export interface Entry {
  readonly atMs: number;
  readonly delivery: Delivery;
}

/** Where each state may lead. */
const lawful: Readonly<Record<DeliveryStatus | "absent", readonly DeliveryStatus[]>> = {
  absent: ["attempting", "parked", "dead_lettered"],
  pending: ["attempting", "parked", "dead_lettered"],
  attempting: ["delivered", "retry_scheduled", "parked", "dead_lettered"],
  retry_scheduled: ["attempting", "parked", "dead_lettered"],
  parked: ["attempting", "dead_lettered"],
  delivered: [],
  dead_lettered: [],
};

/** The table of deliveries with a memory: every write that took effect, and every one that the rules forbid. */
export class Ledger implements DeliveryTable, ReplayNotes {
  readonly histories = new Map<string, Entry[]>();
  readonly violations: string[] = [];

  constructor(
    private readonly world: World,
    readonly table: MemoryDeliveryTable,
  ) {}

  findDelivery(deliveryId: string): Promise<Delivery | null> {
    return this.table.findDelivery(deliveryId);
  }

  findDeliveries(deliveryIds: readonly string[]): Promise<readonly Delivery[]> {
    return this.table.findDeliveries(deliveryIds);
  }

  async replaceDelivery(previous: Delivery | null, next: Delivery): Promise<boolean> {
    const before = await this.table.findDelivery(next.deliveryId);
    if (!(await this.table.replaceDelivery(previous, next))) return false;
    this.note(before, next);
    return true;
  }

  noteReplay(original: Delivery, replayId: string): Promise<boolean> {
    return this.table.noteReplay(original, replayId);
  }

  /** A write that asks no questions; only a deliberate bug makes one. */
  async overwrite(next: Delivery): Promise<void> {
    const before = await this.table.findDelivery(next.deliveryId);
    this.table.deliveries.set(next.deliveryId, next);
    this.note(before, next);
  }

  private note(before: Delivery | null, next: Delivery): void {
    const history = this.histories.get(next.deliveryId) ?? [];
    this.histories.set(next.deliveryId, history);
    history.push({ atMs: this.world.now(), delivery: next });
    const from = before?.status ?? "absent";
    if (!lawful[from].includes(next.status)) {
      this.violations.push(`${next.deliveryId}: from ${from} to ${next.status}`);
    }
    const started = before?.attemptsStarted ?? 0;
    const expected = next.status === "attempting" ? started + 1 : started;
    if (next.attemptsStarted !== expected) {
      this.violations.push(`${next.deliveryId}: ${next.attemptsStarted} attempts started instead of ${expected}`);
    }
    const recorded = next.attempts.length + next.attemptsDropped;
    if (next.status !== "attempting" && recorded !== next.attemptsStarted) {
      this.violations.push(`${next.deliveryId}: ${recorded} attempts recorded of ${next.attemptsStarted}`);
    }
  }
}

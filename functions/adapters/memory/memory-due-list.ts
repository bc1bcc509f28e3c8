import type { DueEntry, DueList } from "../../app/ports.js";
import type { Gate } from "../../core/model.js";
import { timeKey } from "../aws/keys.js";
import type { MemoryDeliveryTable } from "./memory-delivery-table.js";

const listNames = { overdue: "DUE#", parked: "PARKED#" } as const;

/** What is due in memory: by the index keys that the table's writes leave, and by the gates that hold parked ones. */
export class MemoryDueList implements DueList {
  /** Where a gate stands on the list; one that was never moved is due at once. */
  private readonly gatesDue = new Map<string, string>();

  constructor(
    private readonly table: MemoryDeliveryTable,
    private readonly gates: ReadonlyMap<string, Gate>,
  ) {}

  async *due(list: "overdue" | "parked", untilMs: number): AsyncGenerator<readonly DueEntry[]> {
    const until = timeKey(untilMs, "~");
    const deliveries = [...this.table.indexed].map(([deliveryId, { dpk, dsk }]): DueEntry | null => {
      if (typeof dpk !== "string" || typeof dsk !== "string") return null;
      return dpk.startsWith(listNames[list]) && dsk < until ? { kind: "delivery", deliveryId, position: dsk } : null;
    });
    const gates = [...this.gates.values()].map((gate): DueEntry | null => {
      const position = this.gatesDue.get(gate.subscriptionId) ?? "";
      const due = list === "overdue" && gate.holdsParked && position < until;
      return due ? { kind: "gate", subscriptionId: gate.subscriptionId, position } : null;
    });
    const entries = [...deliveries, ...gates].filter((entry) => entry !== null);
    yield entries.toSorted((a, b) => (a.position < b.position ? -1 : 1));
  }

  async postpone(entry: DueEntry, untilMs: number): Promise<boolean> {
    if (entry.kind === "gate") {
      if ((this.gatesDue.get(entry.subscriptionId) ?? "") !== entry.position) return false;
      this.gatesDue.set(entry.subscriptionId, timeKey(untilMs, entry.subscriptionId));
      return true;
    }
    const indexed = this.table.indexed.get(entry.deliveryId);
    if (indexed?.["dsk"] !== entry.position) return false;
    this.table.indexed.set(entry.deliveryId, { ...indexed, dsk: timeKey(untilMs, entry.deliveryId) });
    return true;
  }
}

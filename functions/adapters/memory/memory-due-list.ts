import type { DueEntry, DueList } from "../../app/ports.js";
import { isWatched } from "../../core/gate.js";
import type { Gate } from "../../core/model.js";
import type { ReplayJob } from "../../core/replay-job.js";
import { sweepGraceMs } from "../aws/delivery-item.js";
import { duePartition, timeKey } from "../aws/keys.js";
import type { MemoryDeliveryTable } from "./memory-delivery-table.js";
import { partitionsOf } from "./memory-index.js";

const listNames = { overdue: "DUE", parked: "PARKED" } as const;

/** What is due in memory: by the index keys that the table's writes leave, and by the gates that are watched. */
export class MemoryDueList implements DueList {
  /** Where a gate was moved to, and the tick that it had then: its next one moves it on. */
  private readonly gatesMoved = new Map<string, { readonly seq: number | undefined; readonly position: string }>();

  constructor(
    private readonly table: MemoryDeliveryTable,
    private readonly gates: ReadonlyMap<string, Gate>,
    private readonly replays: ReadonlyMap<string, ReplayJob> = new Map(),
  ) {}

  async *due(list: "overdue" | "parked", untilMs: number): AsyncGenerator<readonly DueEntry[]> {
    const until = timeKey(untilMs, "~");
    const entries: DueEntry[] = this.dueDeliveries(listNames[list], until);
    for (const gate of list === "overdue" ? this.gates.values() : []) {
      const { subscriptionId } = gate;
      const position = this.positionOf(gate);
      if (isWatched(gate) && position < until) entries.push({ kind: "gate", subscriptionId, position });
    }
    for (const job of list === "overdue" ? this.replays.values() : []) {
      const { replayId } = job;
      const position = this.placeOf(job);
      if (job.state === "running" && position < until) entries.push({ kind: "replay", replayId, position });
    }
    yield entries.toSorted((a, b) => (a.position < b.position ? -1 : 1));
  }

  private dueDeliveries(list: "DUE" | "PARKED", until: string): DueEntry[] {
    const entries: DueEntry[] = [];
    for (const name of partitionsOf((shard) => duePartition(list, shard))) {
      for (const { deliveryId, position } of this.table.indexes.partition(name)) {
        if (position >= until) break;
        entries.push({ kind: "delivery", deliveryId, position });
      }
    }
    return entries;
  }

  /** Some minutes after its next tick; one that waits for none is due at once. */
  private positionOf({ subscriptionId, tick, release }: Gate): string {
    const moved = this.gatesMoved.get(subscriptionId);
    if (moved !== undefined && moved.seq === tick?.seq) return moved.position;
    const dueAtMs = tick?.dueAtMs ?? release?.endedAtMs;
    return dueAtMs === undefined ? "" : timeKey(dueAtMs + sweepGraceMs, subscriptionId);
  }

  /** Where a bulk replay was moved to, and the tick that it had then. */
  private readonly replaysMoved = new Map<string, { readonly seq: number; readonly position: string }>();

  private placeOf({ replayId, tick }: ReplayJob): string {
    const moved = this.replaysMoved.get(replayId);
    return moved?.seq === tick.seq ? moved.position : timeKey((tick.dueAtMs ?? 0) + sweepGraceMs, replayId);
  }

  private postponeReplay(replayId: string, position: string, untilMs: number): boolean {
    const job = this.replays.get(replayId);
    if (job === undefined || this.placeOf(job) !== position) return false;
    this.replaysMoved.set(replayId, { seq: job.tick.seq, position: timeKey(untilMs, replayId) });
    return true;
  }

  async postpone(entry: DueEntry, untilMs: number): Promise<boolean> {
    if (entry.kind === "replay") return this.postponeReplay(entry.replayId, entry.position, untilMs);
    if (entry.kind === "gate") return this.postponeGate(entry.subscriptionId, entry.position, untilMs);
    if (entry.kind !== "delivery") return false;
    const { deliveryId, position } = entry;
    if (this.table.indexes.keysOf(deliveryId)?.["dsk"] !== position) return false;
    this.table.indexes.change(deliveryId, { dsk: timeKey(untilMs, deliveryId) });
    return true;
  }

  private postponeGate(subscriptionId: string, position: string, untilMs: number): boolean {
    const gate = this.gates.get(subscriptionId);
    if (gate === undefined || this.positionOf(gate) !== position) return false;
    this.gatesMoved.set(subscriptionId, { seq: gate.tick?.seq, position: timeKey(untilMs, subscriptionId) });
    return true;
  }
}

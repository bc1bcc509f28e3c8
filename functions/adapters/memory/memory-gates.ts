import type { Gates } from "../../app/ports.js";
import { isOutdated, nextGeneration, replacedFields, saysHoldsParked, slowForMs } from "../../core/gate.js";
import type { Gate } from "../../core/model.js";
import { countedWith, type OutcomeTally } from "../../core/outcome-tally.js";
import { usableSlots } from "../../core/rate.js";
import { ReadCache } from "../aws/config-cache.js";
import { type ReservedSlots, SlotQueue } from "../aws/slot-queue.js";
import { SlowMemory } from "../aws/slow-memory.js";
import type { MemoryConfig } from "./memory-config.js";

/** Gates as delivery reads them: as stale as they may be, so that a simulation meets it. */
export class MemoryGates implements Gates {
  private readonly cache: ReadCache<Gate>;
  private readonly slow = new SlowMemory();
  private readonly slots = new Map<string, SlotQueue>();

  constructor(private readonly config: MemoryConfig) {
    const read = async (subscriptionId: string) => {
      const gate = config.gate(subscriptionId);
      if (gate !== null) this.slow.learn(subscriptionId, gate);
      return gate;
    };
    this.cache = new ReadCache({ maxAgeMs: 1_000, maxEntries: 10_000, now: config.now, read });
  }

  find(subscriptionId: string, options: { readonly fresh?: boolean } = {}): Promise<Gate | null> {
    return options.fresh === true ? this.cache.fresh(subscriptionId) : this.cache.get(subscriptionId);
  }

  async replaceGate(previous: Gate, next: Gate): Promise<boolean> {
    this.cache.forget(previous.subscriptionId);
    return replaceGate(this.config, previous, next);
  }

  async addOutcomes(subscriptionId: string, tally: OutcomeTally, nowMs: number): Promise<Gate | null> {
    this.cache.forget(subscriptionId);
    const gate = this.config.gates.get(subscriptionId);
    if (gate?.generation !== tally.generation) return null;
    return this.set({ ...gate, counts: countedWith(gate.counts, tally, nowMs) });
  }

  reserveSlot(subscriptionId: string, intervalMs: number, nowMs: number): Promise<number | null> {
    const queue =
      this.slots.get(subscriptionId) ?? new SlotQueue(async (...args) => this.reserve(subscriptionId, ...args));
    this.slots.set(subscriptionId, queue);
    return queue.reserve(intervalMs, nowMs);
  }

  private reserve(subscriptionId: string, count: number, intervalMs: number, nowMs: number): ReservedSlots {
    const gate = this.config.gates.get(subscriptionId);
    if (gate === undefined) throw new Error(`no gate ${subscriptionId}`);
    const firstMs = Math.max(gate.nextFreeAtMs ?? nowMs, nowMs);
    const usable = usableSlots(count, firstMs, intervalMs, nowMs);
    if (usable > 0) this.set({ ...gate, nextFreeAtMs: firstMs + usable * intervalMs });
    return { firstMs, count: usable };
  }

  async disable(subscriptionId: string, statusReason: string, version: number, nowMs: number): Promise<void> {
    const gate = this.config.gates.get(subscriptionId);
    if (gate?.status === "active" && !isOutdated({ version }, gate)) {
      this.set(nextGeneration(gate, { status: "disabled", statusReason }, nowMs));
    }
    this.cache.forget(subscriptionId);
  }

  async noteParked(subscriptionId: string): Promise<void> {
    const gate = this.config.gates.get(subscriptionId);
    if (gate !== undefined) this.set({ ...gate, holdsParked: true });
    this.cache.forget(subscriptionId);
  }

  async noteSlow(subscriptionId: string, nowMs: number): Promise<void> {
    const gate = this.config.gates.get(subscriptionId);
    if (gate === undefined || !this.slow.isWorthNoting(subscriptionId, nowMs)) return;
    const slowUntilMs = Math.max(nowMs + slowForMs, gate.slowUntilMs ?? 0);
    this.set({ ...gate, slowUntilMs });
    this.slow.learn(subscriptionId, { slowUntilMs });
    this.cache.forget(subscriptionId);
  }

  async knownSlow(subscriptionId: string): Promise<boolean> {
    return this.slow.isSlow(subscriptionId, this.config.now());
  }

  private set(gate: Gate): Gate {
    this.config.gates.set(gate.subscriptionId, gate);
    return gate;
  }
}

/** The compare-and-set of a gate in memory. */
export function replaceGate(config: MemoryConfig, previous: Gate, next: Gate): boolean {
  const stored = config.gates.get(previous.subscriptionId);
  if (stored?.generation !== previous.generation || stored.tick?.seq !== previous.tick?.seq) return false;
  const isCountedAnew = next.generation !== previous.generation;
  const { changedAtMs } = next;
  const holdsParked = (saysHoldsParked(previous, next) ? next : stored).holdsParked;
  const changes = { ...replacedFields(previous, next), holdsParked, changedAtMs };
  config.gates.set(previous.subscriptionId, {
    ...withoutUndefined({ ...stored, ...changes, ...(isCountedAnew ? { counts: undefined } : {}) }),
  });
  return true;
}

const withoutUndefined = (fields: { readonly [Name in keyof Gate]: Gate[Name] | undefined }): Gate =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as unknown as Gate;

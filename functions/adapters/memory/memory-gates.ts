import type { Gates } from "../../app/ports.js";
import { slowForMs } from "../../core/gate.js";
import type { Gate } from "../../core/model.js";
import { ReadCache } from "../aws/config-cache.js";
import { SlowMemory } from "../aws/slow-memory.js";
import type { MemoryConfig } from "./memory-config.js";

/** Gates as delivery reads them: as stale as they may be, so that a simulation meets it. */
export class MemoryGates implements Gates {
  private readonly cache: ReadCache<Gate>;
  private readonly slow = new SlowMemory();

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

  async disable(subscriptionId: string, statusReason: string, nowMs: number): Promise<void> {
    const { gates } = this.config;
    const gate = gates.get(subscriptionId);
    if (gate?.status === "active") {
      gates.set(subscriptionId, {
        ...gate,
        status: "disabled",
        statusReason,
        generation: gate.generation + 1,
        changedAtMs: nowMs,
      });
    }
    this.cache.forget(subscriptionId);
  }

  async noteParked(subscriptionId: string): Promise<void> {
    const { gates } = this.config;
    const gate = gates.get(subscriptionId);
    if (gate !== undefined) gates.set(subscriptionId, { ...gate, holdsParked: true });
    this.cache.forget(subscriptionId);
  }

  async noteSlow(subscriptionId: string, nowMs: number): Promise<void> {
    const { gates } = this.config;
    const gate = gates.get(subscriptionId);
    if (gate === undefined || !this.slow.isWorthNoting(subscriptionId, nowMs)) return;
    const slowUntilMs = Math.max(nowMs + slowForMs, gate.slowUntilMs ?? 0);
    gates.set(subscriptionId, { ...gate, slowUntilMs });
    this.slow.learn(subscriptionId, { slowUntilMs });
    this.cache.forget(subscriptionId);
  }

  async knownSlow(subscriptionId: string): Promise<boolean> {
    return this.slow.isSlow(subscriptionId, this.config.now());
  }

  async clearParked({ subscriptionId, generation }: Gate): Promise<void> {
    const { gates } = this.config;
    const gate = gates.get(subscriptionId);
    if (gate?.generation === generation) gates.set(subscriptionId, { ...gate, holdsParked: false });
    this.cache.forget(subscriptionId);
  }
}

import type { Gates } from "../../app/ports.js";
import type { Gate } from "../../core/model.js";
import { ReadCache } from "../aws/config-cache.js";
import type { MemoryConfig } from "./memory-config.js";

/** Gates as delivery reads them: as stale as they may be, so that a simulation meets it. */
export class MemoryGates implements Gates {
  private readonly cache: ReadCache<Gate>;

  constructor(private readonly config: MemoryConfig) {
    const read = async (subscriptionId: string) => config.gate(subscriptionId);
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

  async clearParked({ subscriptionId, generation }: Gate): Promise<void> {
    const { gates } = this.config;
    const gate = gates.get(subscriptionId);
    if (gate?.generation === generation) gates.set(subscriptionId, { ...gate, holdsParked: false });
    this.cache.forget(subscriptionId);
  }
}

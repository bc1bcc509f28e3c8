import type { OpenSource, SourceConfigs } from "../../app/ports.js";
import { ReadCache } from "../aws/config-cache.js";
import type { MemoryConfig } from "./memory-config.js";
import { MemorySourceStore } from "./memory-source-store.js";

/** Sources as ingress reads them: as stale as they may be, so that a simulation meets it. */
export class MemorySourceConfigs implements SourceConfigs {
  private readonly cache: ReadCache<OpenSource>;

  constructor(config: MemoryConfig) {
    const store = new MemorySourceStore(config);
    const read = (sourceId: string) => store.openSource(sourceId);
    this.cache = new ReadCache({ maxAgeMs: 10_000, maxEntries: 1_000, now: config.now, read });
  }

  find(sourceId: string): Promise<OpenSource | null> {
    return this.cache.get(sourceId);
  }
}

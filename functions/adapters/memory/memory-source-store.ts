import type { Page, PageRequest, SecretValues, SourceStore } from "../../app/admin/ports.js";
import type { OpenSource } from "../../app/ports.js";
import type { Source } from "../../core/model.js";
import { openedSource } from "../../core/sealed-secrets.js";
import type { MemoryConfig } from "./memory-config.js";

/** Sources in memory, as the admin API changes them. */
export class MemorySourceStore implements SourceStore {
  constructor(private readonly config: MemoryConfig) {}

  async findSource(sourceId: string): Promise<Source | null> {
    return this.config.sources.get(sourceId)?.record ?? null;
  }

  async openSource(sourceId: string): Promise<OpenSource | null> {
    const found = this.config.sources.get(sourceId);
    return found === undefined ? null : { ...found.record, ...openedSource(found.record, found.secrets) };
  }

  async listSources({ after, limit }: PageRequest): Promise<Page<Source>> {
    const sources = [...this.config.sources.values()]
      .map(({ record }) => record)
      .filter(({ sourceId }) => after === null || sourceId > after)
      .toSorted((a, b) => (a.sourceId < b.sourceId ? -1 : 1));
    const items = sources.slice(0, limit);
    return { items, after: sources.length > limit ? (items.at(-1)?.sourceId ?? null) : null };
  }

  async createSource(record: Source, secrets: SecretValues): Promise<boolean> {
    if (this.config.sources.has(record.sourceId)) return false;
    this.config.sources.set(record.sourceId, { record, secrets });
    return true;
  }

  async replaceSource(record: Source, secrets: SecretValues | null): Promise<boolean> {
    const stored = this.config.sources.get(record.sourceId);
    if (stored?.record.version !== record.version - 1) return false;
    this.config.sources.set(record.sourceId, { record, secrets: secrets ?? stored.secrets });
    return true;
  }

  async deleteSource({ sourceId, version }: Source): Promise<boolean> {
    return this.config.sources.get(sourceId)?.record.version === version && this.config.sources.delete(sourceId);
  }

  async hasSubscriptions(sourceId: string): Promise<boolean> {
    return this.config.subscriptionsOf(sourceId).some(({ record }) => record.deletedAtMs === null);
  }
}

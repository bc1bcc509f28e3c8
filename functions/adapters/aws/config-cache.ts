import type { Clock } from "../../app/ports.js";

/** A map that forgets what was not used for longest once it is full. */
export class LruMap<Value> {
  private readonly entries = new Map<string, Value>();

  constructor(private readonly most: number) {}

  get(key: string): Value | undefined {
    const value = this.entries.get(key);
    if (value !== undefined) this.set(key, value);
    return value;
  }

  set(key: string, value: Value): void {
    this.entries.delete(key);
    this.entries.set(key, value);
    const oldest = this.entries.keys().next();
    if (this.entries.size > this.most && oldest.done !== true) this.entries.delete(oldest.value);
  }

  delete(key: string): void {
    this.entries.delete(key);
  }
}

interface CachedValue<Value> {
  readonly value: Value;
  /** When the read began: what was written later may be missing from it. */
  readonly readAtMs: number;
}

export interface ReadCacheOptions<Value> {
  /** Age, counted from the start of the read, at which a value is read again. */
  readonly maxAgeMs: number;
  readonly maxEntries: number;
  readonly now: Clock;
  /** Consistent. Null is never kept: absence is asked for again each time. */
  readonly read: (key: string) => Promise<Value | null>;
}

/**
 * Reads through a bounded, short-lived memory. Reads of one key that miss at the same time share one call; a fresh
 * read joins no earlier one, and an older answer never replaces a newer one.
 */
export class ReadCache<Value> {
  private readonly values: LruMap<CachedValue<Value>>;
  private readonly underWay = new Map<string, Promise<Value | null>>();

  constructor(private readonly options: ReadCacheOptions<Value>) {
    this.values = new LruMap(options.maxEntries);
  }

  /** From memory while it is young enough, and holds what the caller knows to be there. */
  async get(key: string, suffices: (value: Value) => boolean = () => true): Promise<Value | null> {
    const cached = this.values.get(key);
    if (cached !== undefined && this.isYoung(cached) && suffices(cached.value)) return cached.value;
    const shared = this.underWay.get(key);
    if (shared === undefined) return this.readForAll(key);
    const value = await shared;
    // That read may have begun before what the caller knows of was written.
    return value === null || suffices(value) ? value : this.fresh(key);
  }

  private readForAll(key: string): Promise<Value | null> {
    const reading = this.fresh(key).finally(() => this.underWay.delete(key));
    this.underWay.set(key, reading);
    return reading;
  }

  /** Reads, whatever the memory holds. */
  async fresh(key: string): Promise<Value | null> {
    const readAtMs = this.options.now();
    const value = await this.options.read(key);
    const known = this.values.get(key);
    const isNewer = known === undefined || known.readAtMs <= readAtMs || known.readAtMs > this.options.now();
    if (value !== null && isNewer) this.values.set(key, { value, readAtMs });
    return value;
  }

  forget(key: string): void {
    this.values.delete(key);
  }

  /** A value from the future was read before the clock was set back: nobody knows how old it is. */
  private isYoung({ readAtMs }: CachedValue<Value>): boolean {
    const ageMs = this.options.now() - readAtMs;
    return ageMs >= 0 && ageMs < this.options.maxAgeMs;
  }
}

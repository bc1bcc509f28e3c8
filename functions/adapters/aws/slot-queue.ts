/** Slots that were reserved, one interval apart; fewer than were asked for where the others are too far away. */
export interface ReservedSlots {
  readonly firstMs: number;
  readonly count: number;
}

/** Reserves `count` slots, or as many of them as are near enough. */
export type ReserveSlots = (count: number, intervalMs: number, nowMs: number) => Promise<ReservedSlots>;

interface Waiting {
  readonly intervalMs: number;
  readonly nowMs: number;
  readonly resolve: (slotAtMs: number | null) => void;
  readonly reject: (error: unknown) => void;
}

/** Gathers the requests of a batch: while one reservation is under way the others wait, and are made together after it. */
export class SlotQueue {
  private waiting: Waiting[] = [];
  private isBusy = false as boolean;

  constructor(private readonly reserveSlots: ReserveSlots) {}

  /** Null: none is near enough. */
  reserve(intervalMs: number, nowMs: number): Promise<number | null> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ intervalMs, nowMs, resolve, reject });
      if (!this.isBusy) void this.work();
    });
  }

  private async work(): Promise<void> {
    this.isBusy = true;
    for (let last = this.waiting.at(-1); last !== undefined; last = this.waiting.at(-1)) {
      const together = this.waiting;
      this.waiting = [];
      try {
        // By the latest asker's clock: an older "now" would give out slots that are past by then.
        const { intervalMs, nowMs } = last;
        const { firstMs, count } = await this.reserveSlots(together.length, intervalMs, nowMs);
        // Whole milliseconds, as messages carry them; what is taken stays exact, so that nothing adds up.
        for (const [index, { resolve }] of together.entries()) {
          resolve(index < count ? Math.round(firstMs + index * intervalMs) : null);
        }
      } catch (error) {
        for (const { reject } of together) reject(error);
      }
    }
    this.isBusy = false;
  }
}

/** Reserves `count` slots and returns the first. */
export type ReserveSlots = (count: number, intervalMs: number, nowMs: number) => Promise<number>;

interface Waiting {
  readonly resolve: (slotAtMs: number) => void;
  readonly reject: (error: unknown) => void;
}

/** Gathers the requests of a batch: while one reservation is under way the others wait, and are made together after it. */
export class SlotQueue {
  private waiting: Waiting[] = [];
  private isBusy = false as boolean;

  constructor(private readonly reserveSlots: ReserveSlots) {}

  reserve(intervalMs: number, nowMs: number): Promise<number> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ resolve, reject });
      if (!this.isBusy) void this.work(intervalMs, nowMs);
    });
  }

  private async work(intervalMs: number, nowMs: number): Promise<void> {
    this.isBusy = true;
    while (this.waiting.length > 0) {
      const together = this.waiting;
      this.waiting = [];
      try {
        const firstMs = await this.reserveSlots(together.length, intervalMs, nowMs);
        // Whole milliseconds, as messages carry them; what is taken stays exact, so that nothing adds up.
        for (const [index, { resolve }] of together.entries()) resolve(Math.round(firstMs + index * intervalMs));
      } catch (error) {
        for (const { reject } of together) reject(error);
      }
    }
    this.isBusy = false;
  }
}

/** What is to be done at a later time: a binary heap by time; at the same time, in the order in which it was put. */
export class Agenda<Item> {
  private readonly entries: { readonly atMs: number; readonly order: number; readonly item: Item }[] = [];
  private count = 0;

  /** When the next item is due; infinite without any. */
  get nextAtMs(): number {
    return this.entries[0]?.atMs ?? Number.POSITIVE_INFINITY;
  }

  put(atMs: number, item: Item): void {
    const { entries } = this;
    const entry = { atMs, order: this.count++, item };
    let at = entries.length;
    entries.push(entry);
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!this.isBefore(at, parent)) break;
      this.swap(at, parent);
      at = parent;
    }
  }

  /** The next item; only where there is one. */
  take(): Item {
    const { entries } = this;
    const first = entries[0];
    const last = entries.pop();
    if (first === undefined || last === undefined) throw new Error("nothing on the agenda");
    if (entries.length > 0) {
      entries[0] = last;
      this.sink();
    }
    return first.item;
  }

  private sink(): void {
    for (let at = 0; ; ) {
      const [left, right] = [2 * at + 1, 2 * at + 2];
      let least = at;
      if (left < this.entries.length && this.isBefore(left, least)) least = left;
      if (right < this.entries.length && this.isBefore(right, least)) least = right;
      if (least === at) return;
      this.swap(at, least);
      at = least;
    }
  }

  private isBefore(a: number, b: number): boolean {
    const [first, second] = [this.entries[a], this.entries[b]];
    if (first === undefined || second === undefined) return false;
    return first.atMs < second.atMs || (first.atMs === second.atMs && first.order < second.order);
  }

  private swap(a: number, b: number): void {
    const { entries } = this;
    const kept = entries[a] as (typeof entries)[number];
    entries[a] = entries[b] as (typeof entries)[number];
    entries[b] = kept;
  }
}

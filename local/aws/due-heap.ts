/** An entry of a {@link DueHeap}: the handle with which it is removed. */
export interface DueEntry<T> {
  readonly dueAtMs: number;
  readonly value: T;
  /** Position in the heap; −1 once it left. */
  index: number;
}

/**
 * What is due when: the earliest on top, any entry removable, all in O(log n). Entries due at the same time leave in
 * no particular order.
 */
export class DueHeap<T> {
  readonly #entries: DueEntry<T>[] = [];

  get size(): number {
    return this.#entries.length;
  }

  peek(): DueEntry<T> | undefined {
    return this.#entries[0];
  }

  push(dueAtMs: number, value: T): DueEntry<T> {
    const entry: DueEntry<T> = { dueAtMs, value, index: this.#entries.length };
    this.#entries.push(entry);
    this.#up(entry);
    return entry;
  }

  /** Takes the earliest entry out if it is due by `nowMs`. */
  popDue(nowMs: number): T | undefined {
    const top = this.#entries[0];
    if (top === undefined || top.dueAtMs > nowMs) return undefined;
    this.remove(top);
    return top.value;
  }

  /** An entry that left already is ignored. */
  remove(entry: DueEntry<T>): void {
    const index = entry.index;
    if (index < 0) return;
    entry.index = -1;
    const last = this.#entries.pop() as DueEntry<T>;
    if (last === entry) return;
    this.#place(last, index);
    this.#up(last);
    this.#down(last);
  }

  clear(): void {
    for (const entry of this.#entries) entry.index = -1;
    this.#entries.length = 0;
  }

  #place(entry: DueEntry<T>, index: number): void {
    this.#entries[index] = entry;
    entry.index = index;
  }

  #up(entry: DueEntry<T>): void {
    while (entry.index > 0) {
      const parent = this.#entries[(entry.index - 1) >> 1] as DueEntry<T>;
      if (parent.dueAtMs <= entry.dueAtMs) return;
      const index = parent.index;
      this.#place(parent, entry.index);
      this.#place(entry, index);
    }
  }

  #down(entry: DueEntry<T>): void {
    for (;;) {
      const left = this.#entries[2 * entry.index + 1];
      const right = this.#entries[2 * entry.index + 2];
      const child = left !== undefined && right !== undefined && right.dueAtMs < left.dueAtMs ? right : left;
      if (child === undefined || entry.dueAtMs <= child.dueAtMs) return;
      const index = child.index;
      this.#place(child, entry.index);
      this.#place(entry, index);
    }
  }
}

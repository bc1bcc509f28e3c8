/** First in, first out, in constant time: an array whose consumed front is cut off now and then. */
class Fifo<T> {
  #items: T[] = [];
  #head = 0;

  get size(): number {
    return this.#items.length - this.#head;
  }

  push(item: T): void {
    this.#items.push(item);
  }

  shift(): T | undefined {
    const item = this.#items[this.#head];
    if (this.size > 0) this.#head += 1;
    if (this.#head > 1024 && this.#head * 2 > this.#items.length) {
      this.#items = this.#items.slice(this.#head);
      this.#head = 0;
    }
    return item;
  }
}

/**
 * Visible messages of a fair queue: one line per message group, and the groups take turns, so that a group with ten
 * thousand messages makes no other group wait. Messages without a group share one line.
 */
export class ReadyList<T extends { readonly groupId: string | null }> {
  readonly #lines = new Map<string | null, Fifo<T>>();
  #turns = new Fifo<string | null>();

  push(message: T): void {
    let line = this.#lines.get(message.groupId);
    if (line === undefined) {
      line = new Fifo();
      this.#lines.set(message.groupId, line);
      this.#turns.push(message.groupId);
    }
    line.push(message);
  }

  /** The next one whose group is not passed over; undefined when there is none. */
  shift(passesOver: (groupId: string) => boolean = () => false): T | undefined {
    for (let groups = this.#turns.size; groups > 0; groups--) {
      const groupId = this.#turns.shift() as string | null;
      if (groupId !== null && passesOver(groupId)) {
        this.#turns.push(groupId);
        continue;
      }
      const line = this.#lines.get(groupId);
      const message = line?.shift();
      if (line !== undefined && line.size > 0) this.#turns.push(groupId);
      else this.#lines.delete(groupId);
      return message;
    }
    return undefined;
  }

  clear(): void {
    this.#lines.clear();
    this.#turns = new Fifo();
  }
}

interface Placed<Item> {
  readonly item: Item;
  readonly at: number;
  readonly order: number;
}

/** Items of which the least is at hand; equal ones in the order in which they were added. */
export class Heap<Item> {
  private readonly places: Placed<Item>[] = [];
  private added = 0;

  constructor(private readonly keyOf: (item: Item) => number) {}

  get size(): number {
    return this.places.length;
  }

  get first(): Item | undefined {
    return this.places[0]?.item;
  }

  add(item: Item): void {
    const placed = { item, at: this.keyOf(item), order: this.added++ };
    let index = this.places.push(placed) - 1;
    while (index > 0) {
      const parent = (index - 1) >> 1;
      if (!isBefore(this.places[index], this.places[parent])) break;
      this.swap(index, parent);
      index = parent;
    }
  }

  take(): Item | undefined {
    const [first] = this.places;
    const last = this.places.pop();
    if (first === undefined || last === undefined || this.places.length === 0) return first?.item;
    this.places[0] = last;
    for (let index = 0; ; ) {
      const left = 2 * index + 1;
      const right = left + 1;
      const least = isBefore(this.places[right], this.places[left]) ? right : left;
      if (!isBefore(this.places[least], this.places[index])) break;
      this.swap(index, least);
      index = least;
    }
    return first.item;
  }

  private swap(a: number, b: number): void {
    const placed = this.places[a];
    const other = this.places[b];
    if (placed === undefined || other === undefined) return;
    this.places[a] = other;
    this.places[b] = placed;
  }
}

function isBefore<Item>(a: Placed<Item> | undefined, b: Placed<Item> | undefined): boolean {
  if (a === undefined) return false;
  return b === undefined || a.at < b.at || (a.at === b.at && a.order < b.order);
}

/** Merges many ordered streams into one, reading each only as far as it is needed. */

/** An entry's place: unique, and ordered as text. */
export interface Positioned {
  readonly position: string;
}

/** Reads the next entries of one stream after a position, in order; an empty answer is its end. */
export type ReadNext<Entry extends Positioned> = (after: string | null) => Promise<readonly Entry[]>;

/** Reads at the same time: enough to hide their latency, few enough for one client's sockets. */
const readsAtOnce = 32;

interface Stream<Entry> {
  readonly readNext: ReadNext<Entry & Positioned>;
  entries: readonly Entry[];
  next: number;
}

/** All entries of all streams in one order (`descending` or not), beginning after `after`. */
export async function* mergeStreams<Entry extends Positioned>(
  readers: readonly ReadNext<Entry>[],
  { after, descending }: { readonly after: string | null; readonly descending: boolean },
): AsyncGenerator<Entry> {
  const streams: Stream<Entry>[] = readers.map((readNext) => ({ readNext, entries: [], next: 0 }));
  let live = await refill(streams, after);
  for (;;) {
    const stream = live.reduce((first, other) => (comesFirst(other, first, descending) ? other : first), live[0]);
    const entry = stream?.entries[stream.next];
    if (stream === undefined || entry === undefined) return;
    yield entry;
    stream.next += 1;
    if (stream.next === stream.entries.length && (await refill([stream], entry.position)).length === 0) {
      live = live.filter((other) => other !== stream);
    }
  }
}

/** Reads on, and returns the streams that had more. */
async function refill<Entry extends Positioned>(
  streams: Stream<Entry>[],
  after: string | null,
): Promise<Stream<Entry>[]> {
  const waiting = [...streams];
  const work = async () => {
    for (let stream = waiting.pop(); stream !== undefined; stream = waiting.pop()) {
      stream.entries = await stream.readNext(after);
      stream.next = 0;
    }
  };
  await Promise.all(Array.from({ length: Math.min(readsAtOnce, streams.length) }, work));
  return streams.filter(({ entries }) => entries.length > 0);
}

function comesFirst<Entry extends Positioned>(
  one: Stream<Entry>,
  other: Stream<Entry> | undefined,
  descending: boolean,
): boolean {
  const [a, b] = [one.entries[one.next]?.position ?? "", other?.entries[other.next]?.position ?? ""];
  return descending ? a > b : a < b;
}

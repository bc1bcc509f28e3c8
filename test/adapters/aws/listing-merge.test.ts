import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { mergeStreams, type Positioned, type ReadNext } from "../../../functions/adapters/aws/listing-merge.js";

/** A stream over a list, read `size` entries at a time; counts the reads. */
function aStream(positions: readonly string[], size: number, descending: boolean) {
  const ordered = positions.toSorted().map((position) => ({ position }));
  if (descending) ordered.reverse();
  const stream = { reads: 0 };
  const read: ReadNext<Positioned> = async (after) => {
    stream.reads += 1;
    const rest = ordered.filter(({ position }) => after === null || (descending ? position < after : position > after));
    return rest.slice(0, size);
  };
  return Object.assign(stream, { read });
}

async function take(entries: AsyncIterable<Positioned>, most = Number.POSITIVE_INFINITY): Promise<string[]> {
  const taken: string[] = [];
  for await (const { position } of entries) {
    taken.push(position);
    if (taken.length >= most) break;
  }
  return taken;
}

describe("merged streams", () => {
  test("always give every entry once, in order, in pages of any size", async () => {
    const streams = fc.array(fc.uniqueArray(fc.integer({ min: 0, max: 99 })), { maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(streams, fc.integer({ min: 1, max: 4 }), fc.boolean(), async (numbers, size, descending) => {
        // The stream's number makes positions unique, as a delivery's id does.
        const lists = numbers.map((list, stream) =>
          list.map((number) => `${String(number).padStart(2, "0")}#${stream}`),
        );
        const readers = lists.map((list) => aStream(list, size, descending).read);
        const expected = lists.flat().toSorted();
        if (descending) expected.reverse();
        expect(await take(mergeStreams(readers, { after: null, descending }))).toEqual(expected);
        const middle = expected[Math.floor(expected.length / 2)] ?? null;
        const rest = middle === null ? [] : expected.slice(expected.indexOf(middle) + 1);
        expect(await take(mergeStreams(readers, { after: middle, descending }))).toEqual(rest);
      }),
    );
  });

  test("read no further than is taken", async () => {
    const streams = [aStream(["1", "2", "3"], 2, false), aStream(["7", "8", "9"], 2, false)];
    const readers = streams.map(({ read }) => read);
    expect(await take(mergeStreams(readers, { after: null, descending: false }), 2)).toEqual(["1", "2"]);
    expect(streams.map(({ reads }) => reads)).toEqual([1, 1]);
  });

  test("of none are empty", async () => {
    expect(await take(mergeStreams([], { after: null, descending: true }))).toEqual([]);
  });
});

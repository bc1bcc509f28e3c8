import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Column, table } from "../../cli/table.js";

interface Row {
  readonly id: string;
  readonly url: string;
  readonly note: string;
}

const columns: readonly Column<Row>[] = [
  { title: "ID", value: ({ id }) => id },
  { title: "URL", value: ({ url }) => url, rank: 1, cut: true },
  { title: "NOTE", value: ({ note }) => note, rank: 2 },
];

const id = "dlv_01m8nst0gthn29jb0jm1vgcaxn";
const row: Row = { id, url: "https://example.com/a/rather/long/path", note: "seen" };
const drawn = (width: number | undefined, rows: readonly Row[] = [row]) =>
  table(rows, columns, { width, heading: (text) => text });

describe("a table", () => {
  it("aligns its columns under their titles", () => {
    expect(drawn(undefined).split("\n")).toEqual([
      "ID                              URL                                     NOTE",
      `${id}  https://example.com/a/rather/long/path  seen`,
    ]);
  });

  it("cuts what may be cut, then leaves out by rank, and never touches an id", () => {
    expect(drawn(60)).toContain(`${id}  https://example.com/a…  seen`);
    expect(drawn(48)).toContain(`${id}  https://example…`);
    expect(drawn(48)).not.toContain("NOTE");
    expect(drawn(20).split("\n")).toEqual(["ID", id]);
  });

  it("counts what takes two places on a terminal twice", () => {
    const drawnRow = drawn(60, [{ ...row, url: "漢字".repeat(20) }]).split("\n")[1];
    expect(drawnRow).toBe(`${id}  ${"漢字".repeat(5)}…   seen`);
  });

  it("leaves out a column that has nothing in it", () => {
    expect(drawn(undefined, [{ ...row, note: "" }])).not.toContain("NOTE");
  });

  it("shows control characters of a cell instead of sending them", () => {
    expect(drawn(undefined, [{ ...row, note: "\u001b[31m\n" }])).toContain("\\u{1b}[31m\\u{a}");
  });

  it("has no line wider than the terminal, whatever is in it, as long as the id fits", () => {
    const text = fc.string({ unit: "grapheme-ascii", maxLength: 60 });
    fc.assert(
      fc.property(fc.integer({ min: 30, max: 200 }), text, text, (width, url, note) => {
        for (const line of drawn(width, [row, { id, url, note }]).split("\n")) {
          expect(line.length).toBeLessThanOrEqual(width);
        }
      }),
    );
  });
});

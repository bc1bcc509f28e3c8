import { printable } from "./text.js";

export interface Column<Row> {
  readonly title: string;
  readonly value: (row: Row) => string;
  /** Columns of the highest rank are left out first where the line is too short; 0, the default: never left out. */
  readonly rank?: number;
  /** May be cut with `…`; ids never are, since they are there to be copied. */
  readonly cut?: true;
  /** Characters that it takes at least, and takes if it is empty: rows that come one after another stay aligned. */
  readonly width?: number;
}

export interface TableStyle {
  /** Characters per line; undefined: as long as it takes. */
  readonly width: number | undefined;
  /** Paints a title; null: there is no line with titles. */
  readonly heading: ((text: string) => string) | null;
  /** Paints a cell; the text that it gets is harmless. */
  readonly paint?: (text: string) => string;
}

const wide =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}/u;

/** Characters that a text takes on a terminal: East Asian ones and pictures take two, combining marks none. */
const displayWidth = (text: string): number =>
  /^[ -~…]*$/.test(text)
    ? text.length
    : [...text].reduce((sum, character) => sum + (wide.test(character) ? 2 : /\p{M}/u.test(character) ? 0 : 1), 0);

const gap = 2;
/** Less than this of a text says nothing. */
const leastCut = 12;

interface Laid<Row> extends Column<Row> {
  readonly cells: readonly string[];
  readonly natural: number;
}

/** Rows as aligned lines that are never wrapped: what does not fit is left out by rank, then cut where it may be. */
export function table<Row>(rows: readonly Row[], columns: readonly Column<Row>[], style: TableStyle): string {
  const laid = columns.map((column): Laid<Row> => {
    const cells = rows.map((row) => printable(column.value(row)));
    return {
      ...column,
      cells,
      natural: cells.reduce(
        (most, text) => Math.max(most, displayWidth(text)),
        Math.max(column.title.length, column.width ?? 0),
      ),
    };
  });
  // A column without anything in it says nothing either.
  const filled = laid.filter(
    ({ cells, rank, width }) => rank === undefined || width !== undefined || cells.some((cell) => cell !== ""),
  );
  const width = style.width ?? Number.POSITIVE_INFINITY;
  const shown = fitting(filled, width);
  return drawn(rows.length, shown, cutWidths(shown, width), style);
}

function drawn<Row>(
  rowCount: number,
  columns: readonly Laid<Row>[],
  widths: readonly number[],
  { heading, paint = (text) => text }: TableStyle,
): string {
  const cell = (text: string, index: number, painted: (text: string) => string) => {
    const fitted = cutTo(text, widths[index] ?? 0);
    return painted(fitted) + " ".repeat(Math.max(0, (widths[index] ?? 0) - displayWidth(fitted)));
  };
  const line = (cells: readonly string[]) => cells.join(" ".repeat(gap)).trimEnd();
  return [
    ...(heading === null ? [] : [line(columns.map(({ title }, index) => cell(title, index, heading)))]),
    ...Array.from({ length: rowCount }, (_row, at) =>
      line(columns.map(({ cells }, index) => cell(cells[at] ?? "", index, paint))),
    ),
  ].join("\n");
}

/** As much of a text as fits, with `…` in place of the rest. */
function cutTo(text: string, width: number): string {
  if (displayWidth(text) <= width) return text;
  let cut = "";
  for (const character of text) {
    if (displayWidth(cut + character) >= width) break;
    cut += character;
  }
  return `${cut}…`;
}

const least = <Row>({ cut, natural }: Laid<Row>): number => (cut ? Math.min(natural, leastCut) : natural);

const lineWidth = (widths: readonly number[]): number =>
  widths.reduce((sum, width) => sum + width, 0) + gap * (widths.length - 1);

function fitting<Row>(columns: readonly Laid<Row>[], width: number): readonly Laid<Row>[] {
  if (lineWidth(columns.map(least)) <= width) return columns;
  const highest = Math.max(...columns.map(({ rank }) => rank ?? 0));
  if (highest === 0) return columns;
  const last = columns.findLastIndex(({ rank }) => rank === highest);
  return fitting(columns.toSpliced(last, 1), width);
}

/** Columns that may be cut share what the others leave, the shorter ones first. */
function cutWidths<Row>(columns: readonly Laid<Row>[], width: number): number[] {
  const widths = columns.map(({ natural }) => natural);
  let excess = lineWidth(widths) - width;
  while (excess > 0) {
    const cuttable = columns.flatMap((column, index) =>
      column.cut && (widths[index] ?? 0) > least(column) ? [{ index, width: widths[index] ?? 0 }] : [],
    );
    const widest = cuttable.sort((a, b) => b.width - a.width)[0];
    if (widest === undefined) break;
    widths[widest.index] = widest.width - 1;
    excess -= 1;
  }
  return widths;
}

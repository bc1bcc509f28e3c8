/** A table of Markdown with aligned columns; columns that hold no letters are numbers, and stand to the right. */
export function markdownTable(columns: readonly string[], rows: ReadonlyArray<ReadonlyArray<string | number>>): string {
  const texts = [columns, ...rows.map((row) => row.map(String))];
  const widths = columns.map((_column, index) => Math.max(3, ...texts.map((row) => (row[index] ?? "").length)));
  const isNumeric = columns.map((_column, index) => rows.every((row) => !/[a-z]/i.test(String(row[index]))));
  const line = (row: readonly string[]) =>
    `| ${row.map((text, index) => pad(text, widths[index] ?? 0, isNumeric[index] === true)).join(" | ")} |`;
  const rule = widths.map((width, index) => (isNumeric[index] ? `${"-".repeat(width - 1)}:` : "-".repeat(width)));
  const [head = [], ...body] = texts;
  return [line(head), `| ${rule.join(" | ")} |`, ...body.map(line)].join("\n");
}

const pad = (text: string, width: number, right: boolean): string =>
  right ? text.padStart(width) : text.padEnd(width);

/** How much of everything a benchmark does: `quick` shows that it works, `full` gives figures worth keeping. */
export type Size = "quick" | "full";

/** One table of results. Ratios come first: they mean the same on every machine. */
export interface Table {
  readonly caption: string;
  readonly columns: readonly Column[];
  /** Raw values, in the order of the columns. */
  readonly rows: ReadonlyArray<readonly (string | number)[]>;
}

export interface Column {
  readonly title: string;
  /** Digits after the point; absent for text. */
  readonly digits?: number;
}

/** One subject, measured by itself. Nothing else should run on the machine meanwhile. */
export interface Benchmark {
  readonly name: string;
  measure(size: Size): Promise<readonly Table[]>;
}

export const text = (title: string): Column => ({ title });
export const number = (title: string, digits = 0): Column => ({ title, digits });

/** The table in Markdown, numbers to the right. */
export function markdown({ caption, columns, rows }: Table): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;
  const head = line(columns.map(({ title }) => title));
  const rule = line(columns.map(({ digits }) => (digits === undefined ? "---" : "--:")));
  const body = rows.map((row) => line(row.map((value, at) => shown(value, columns[at]))));
  return `${caption}\n\n${[head, rule, ...body].join("\n")}\n`;
}

function shown(value: string | number, column: Column | undefined): string {
  if (typeof value === "string") return value;
  const digits = column?.digits ?? 0;
  return value.toLocaleString("en-US", { minimumFractionDigits: digits, maximumFractionDigits: digits });
}

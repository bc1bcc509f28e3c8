import type { ComponentChildren } from "preact";

export interface Column<Row> {
  readonly title: string;
  readonly cell: (row: Row) => ComponentChildren;
  /** Right-aligned numbers. */
  readonly number?: boolean;
}

/** Rows and columns, without those columns that have nothing to say; on a phone each row is a block in which every value is named. */
export function Table<Row>({
  label,
  rows,
  columns,
  keyOf,
}: {
  readonly label: string;
  readonly rows: readonly Row[];
  readonly columns: ReadonlyArray<Column<Row>>;
  readonly keyOf: (row: Row) => string;
}) {
  const shown = columns.filter(({ cell }) => rows.some((row) => cell(row) !== ""));
  return (
    <table aria-label={label}>
      <thead>
        <tr>
          {shown.map(({ title, number }) => (
            <th key={title} scope="col" class={number ? "number" : ""}>
              {title}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={keyOf(row)}>
            {shown.map(({ title, cell, number }) => (
              <td key={title} data-title={title} class={number ? "number" : ""}>
                {cell(row)}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

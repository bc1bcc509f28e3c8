import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { pageAt, repository } from "./markdown.js";

/** In the unit of the constants: bytes, seconds, plain numbers. */
const factors: Readonly<Record<string, number>> = { KB: 1024, MB: 1024 ** 2, MiB: 1024 ** 2, days: 86_400 };

interface Row {
  readonly limit: number;
  readonly name: string;
  readonly file: string;
}

/** Rows of docs/quotas.md that name a constant: `| what | 6 MiB | \`maxBodyBytes\` in \`functions/…\` | … |`. */
const rows: readonly Row[] = pageAt("docs/quotas.md")
  .text.split("\n")
  .flatMap((line) => {
    const [, number, unit = "", name, file] =
      /^\| [^|]+ \| ([\d,]+) ?(\w*)[^|]* \| `(\w+)` in `([\w./-]+)` \|/.exec(line) ?? [];
    if (number === undefined || name === undefined || file === undefined) return [];
    return [{ limit: Number(number.replaceAll(",", "")) * (factors[unit] ?? 1), name, file }];
  });

/** `const mostHeaders = 20;`, or a product or difference of numbers. */
function constantOf({ name, file }: Row): number {
  const source = readFileSync(join(repository, file), "utf8");
  const [, expression = ""] = new RegExp(`const ${name} = ([\\d_ *-]+);`).exec(source) ?? [];
  const terms = expression
    .replaceAll("_", "")
    .split("-")
    .map((term) =>
      term
        .split("*")
        .map(Number)
        .reduce((a, b) => a * b),
    );
  return terms.reduce((sum, term) => sum - term);
}

describe("limits in docs/quotas.md", () => {
  test.each(rows.map((row) => [row.name, row.file, row] as const))("%s in %s is what is said", (_name, _file, row) => {
    expect(constantOf(row)).toBe(row.limit);
  });

  test("are found", () => expect(rows.length).toBeGreaterThan(35));
});

test("the shards of docs/quotas.md are those of the table", () => {
  const layout = readFileSync(join(repository, "functions/shared/table-layout.ts"), "utf8");
  const [, shards] = /indexShards = (\d+)/.exec(layout) ?? [];
  expect(pageAt("docs/quotas.md").text).toContain(`${shards} shards of 1,000 writes`);
  expect(pageAt("docs/quotas.md").text).toContain(`| ${Number(shards)},000 a second | its listing`);
});

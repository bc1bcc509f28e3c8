import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { withTables } from "../../bench/document.js";
import { markdown, number, text } from "../../bench/report.js";
import { median, quantile } from "../../bench/stats.js";
import { packageRoot } from "../../local/paths.js";

describe("a quantile", () => {
  it("is the value of the nearest rank, whatever the order of the values", () => {
    const values = [5, 1, 4, 2, 3];
    expect([0, 0.5, 0.8, 0.99, 1].map((share) => quantile(values, share))).toEqual([1, 3, 4, 5, 5]);
    expect(median([10, 2, 9])).toBe(9);
    expect(quantile([], 0.5)).toBeNaN();
  });
});

describe("a benchmark's table", () => {
  const table = {
    caption: "Two ways.",
    columns: [text("way"), number("ratio", 2), number("per second")],
    rows: [["bare", 1, 12_345.6] as const],
  };

  it("is Markdown, numbers with their digits", () => {
    expect(markdown(table)).toBe(
      "Two ways.\n\n| way | ratio | per second |\n| --- | --: | --: |\n| bare | 1.00 | 12,346 |\n",
    );
  });

  it("takes the place of the one before, and touches nothing else", () => {
    const page = "a\n<!-- bench: one -->\nold\n<!-- /bench -->\nb\n<!-- bench: two -->\nkept\n<!-- /bench -->\nc\n";
    const written = withTables(page, "one", "new");
    expect(written).toBe(page.replace("\nold\n", "\n\nnew\n"));
    expect(withTables(written, "one", "new")).toBe(written);
  });

  it("has no place in a page without its marks", () => {
    expect(() => withTables("a page", "one", "new")).toThrow("<!-- bench: one -->");
  });
});

it("the page has a table of each benchmark", async () => {
  const page = await readFile(join(packageRoot, "docs/performance.md"), "utf8");
  const main = await readFile(join(packageRoot, "bench/main.ts"), "utf8");
  const marked = [...page.matchAll(/<!-- bench: ([\w-]+) -->\n([\s\S]*?)<!-- \/bench -->/g)];
  expect(marked.map(([, name]) => name)).toHaveLength([...main.matchAll(/^ {2}\w+,$/gm)].length);
  for (const [, name, tables] of marked) expect(tables, name).toMatch(/\| --: \|/);
});

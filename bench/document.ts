import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { packageRoot } from "../local/paths.js";

const file = join(packageRoot, "docs/performance.md");

/** Puts a benchmark's tables between its two marks; everything around them is written by hand. */
export async function documentTables(name: string, tables: string): Promise<void> {
  await writeFile(file, withTables(await readFile(file, "utf8"), name, tables));
}

/** The page with one benchmark's tables replaced; throws when it has no place for them. */
export function withTables(page: string, name: string, tables: string): string {
  const start = `<!-- bench: ${name} -->\n`;
  const end = "<!-- /bench -->";
  const from = page.indexOf(start) + start.length;
  const to = page.indexOf(end, from);
  if (from < start.length || to < from) throw new Error(`docs/performance.md has no ${start.trim()} … ${end}`);
  return `${page.slice(0, from)}\n${tables}\n${page.slice(to)}`;
}

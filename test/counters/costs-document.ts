import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { packageRoot } from "../../local/paths.js";

/** The page that holds the tables; everything around them is written by hand. */
const file = join(packageRoot, "docs/costs-counted.md");

const start = "<!-- counters: npm run counters -- --write -->\n";
const end = "<!-- /counters -->";

/** The tables as the page has them. */
export async function documentedTables(): Promise<string> {
  const { before, after, text } = await parts();
  return text.slice(before.length, text.length - after.length);
}

/** Puts these tables into the page. */
export async function documentTables(tables: string): Promise<void> {
  const { before, after } = await parts();
  await writeFile(file, before + tables + after);
}

async function parts(): Promise<{ readonly before: string; readonly after: string; readonly text: string }> {
  const text = await readFile(file, "utf8");
  const from = text.indexOf(start) + start.length;
  const to = text.indexOf(end);
  if (from < start.length || to < from) throw new Error(`${file} has no ${start.trim()} … ${end}`);
  return { text, before: text.slice(0, from), after: text.slice(to) };
}

import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { packageRoot } from "../../local/paths.js";

/** A part of a page that a command writes, between two comments; everything around it is written by hand. */
export interface GeneratedPart {
  /** As the page has it. */
  read(): Promise<string>;
  write(content: string): Promise<void>;
}

/** The part that `<!-- name: command -->` and `<!-- /name -->` enclose. */
export function generatedPart(page: string, name: string, command: string): GeneratedPart {
  const file = join(packageRoot, page);
  const start = `<!-- ${name}: ${command} -->\n`;
  const end = `<!-- /${name} -->`;
  const split = async () => {
    const text = await readFile(file, "utf8");
    const from = text.indexOf(start) + start.length;
    const to = text.indexOf(end);
    if (from < start.length || to < from) throw new Error(`${page} has no ${start.trim()} … ${end}`);
    return { before: text.slice(0, from), content: text.slice(from, to), after: text.slice(to) };
  };
  return {
    read: async () => (await split()).content,
    write: async (content) => {
      const { before, after } = await split();
      await writeFile(file, before + content + after);
    },
  };
}

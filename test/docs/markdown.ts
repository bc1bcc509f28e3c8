import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** The pages as they are published: what the tests of this folder hold against the code. */

export const repository = fileURLToPath(new URL("../..", import.meta.url));

export interface Page {
  /** From the repository's root, e.g. `docs/cli.md`. */
  readonly path: string;
  readonly text: string;
}

/** Every page for a reader: those at the root and all of docs/. */
export function allPages(): readonly Page[] {
  const below = readdirSync(join(repository, "docs"), { recursive: true, encoding: "utf8" }).map((path) =>
    join("docs", path),
  );
  const paths = [...readdirSync(repository), ...below].filter((path) => path.endsWith(".md"));
  return paths.map(pageAt);
}

export const pageAt = (path: string): Page => ({ path, text: readFileSync(join(repository, path), "utf8") });

export interface Block {
  readonly language: string;
  readonly lines: readonly string[];
  /** Of the first line, counted from 1. */
  readonly line: number;
}

/** Fenced blocks, in order. */
export function blocksOf({ text }: Page): readonly Block[] {
  const blocks: Block[] = [];
  let open: { language: string; lines: string[]; line: number } | null = null;
  for (const [index, line] of text.split("\n").entries()) {
    const fence = /^\s*```(\w*)/.exec(line);
    if (fence === null) open?.lines.push(line);
    else if (open === null) open = { language: fence[1] ?? "", lines: [], line: index + 2 };
    else {
      blocks.push(open);
      open = null;
    }
  }
  return blocks;
}

/** The page without its fenced blocks, line by line as it was. */
export function proseOf({ text }: Page): string {
  let inside = false;
  const kept = text.split("\n").map((line) => {
    const isFence = /^\s*```/.test(line);
    if (isFence) inside = !inside;
    return inside || isFence ? "" : line;
  });
  return kept.join("\n");
}

/** Code spans of the prose; a bar that a table's cell escapes is a bar. */
export const codeSpansOf = (page: Page): readonly string[] =>
  [...proseOf(page).matchAll(/`([^`]+)`/g)].map(([, code = ""]) => code.replaceAll("\\|", "|").replaceAll(/\s+/g, " "));

/** Commands of a block's shell, joined where a backslash ends the line, without prompts and comments of their own line. */
export const commandLinesOf = ({ lines }: Block): readonly string[] =>
  lines
    .join("\n")
    .replaceAll(/\\\n\s*/g, "")
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "" && !line.startsWith("#"));

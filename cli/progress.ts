import type { Output } from "./io.js";

/** How far something has come, on a terminal: one line that is written again and again. Elsewhere nothing is shown. */
export class Progress {
  /** Characters that stand in the line. */
  #shown = 0;

  constructor(private readonly output: Output) {}

  /** `share`: from 0 to 1. */
  show(share: number, text: string): void {
    if (!this.output.isTTY) return;
    const line = barText(share, text, this.output.columns ?? 80);
    // Spaces over the rest of a longer line: every terminal knows them.
    this.output.write(`\r${line.padEnd(this.#shown)}`);
    this.#shown = line.length;
  }

  /** Leaves the line as it is, and goes to the next. */
  keep(): void {
    if (this.#shown > 0) this.output.write("\n");
    this.#shown = 0;
  }

  /** Takes the line away. */
  clear(): void {
    if (this.#shown > 0) this.output.write(`\r${" ".repeat(this.#shown)}\r`);
    this.#shown = 0;
  }
}

const longestBar = 40;

/** `[####    ] text`, or the text alone where there is no room. */
function barText(share: number, text: string, columns: number): string {
  const width = Math.min(longestBar, columns - text.length - 4);
  if (width < 5) return text;
  const filled = Math.max(0, Math.min(width, Math.floor(width * share)));
  return `[${"#".repeat(filled)}${" ".repeat(width - filled)}] ${text}`;
}

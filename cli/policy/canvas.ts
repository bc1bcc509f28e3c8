import type { Session } from "../session.js";
import { printable } from "../text.js";
import { ascii, type PlotStyle, unicode } from "./plot.js";

/** What fits everywhere: a pipe and a file get this width too, so that a plot is the same in all of them. */
const widest = 80;
/** Less than this is no plot. */
const narrowest = 40;

/** A name and a value; null: nothing to say. */
export type Fact = readonly [name: string, value: string | null];

/** The room that a preview is drawn in. */
export interface Canvas {
  readonly width: number;
  readonly plot: PlotStyle;
  /** Names and values, the values wrapped beside their names; null is left out. */
  facts(entries: readonly Fact[]): readonly string[];
  wrapped(text: string): readonly string[];
  /** What a policy is called, and its words. */
  heading(label: string, text: string): readonly string[];
}

export function canvasOf({ io, colours }: Session): Canvas {
  const width = Math.max(narrowest, Math.min(widest, io.stdout.columns ?? widest));
  const { cyan, bold, dim } = colours;
  const glyphs = takesUnicode(io.env) ? unicode : ascii;
  return {
    width,
    plot: { width, glyphs, band: cyan, dot: bold, dim },
    facts: (entries) => {
      const given = entries.filter((entry): entry is readonly [string, string] => entry[1] !== null);
      const nameWidth = Math.max(...given.map(([name]) => name.length)) + 2;
      return given.flatMap(([name, value]) =>
        wrap(printable(value), width - nameWidth).map(
          (line, index) => `${dim((index === 0 ? name : "").padEnd(nameWidth))}${line}`,
        ),
      );
    },
    wrapped: (text) => wrap(text, width),
    heading: (label, text) => {
      const name = printable(label);
      const [first = "", ...rest] = wrap(`${name}: ${text}`, width);
      return [first.startsWith(name) ? bold(name) + first.slice(name.length) : first, ...rest];
    },
  };
}

/** A locale that names another charset than UTF-8, and a terminal that can do nothing, get ASCII. */
function takesUnicode(env: Readonly<Record<string, string | undefined>>): boolean {
  const locale = env["LC_ALL"] || env["LC_CTYPE"] || env["LANG"] || "UTF-8";
  return env["TERM"] !== "dumb" && /utf-?8/i.test(locale);
}

function wrap(text: string, width: number): readonly string[] {
  const lines: string[] = [];
  const pieces = new RegExp(`.{1,${width}}`, "gu");
  for (const word of text.split(" ").flatMap((each) => each.match(pieces) ?? [])) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= width) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}

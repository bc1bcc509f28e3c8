import { ladderRows } from "../../functions/core/ladder-rows.js";
import type { PolicyPreview, PreviewAttempt } from "../../functions/core/policy-preview.js";
import { positionOn, type TimeAxis, timeAxis } from "../../functions/core/time-axis.js";
import { span } from "./words.js";

/** How a plot is drawn: the characters that the terminal has, and its colours. */
export interface PlotStyle {
  /** Characters per line, the labels included. */
  readonly width: number;
  readonly glyphs: Glyphs;
  readonly band: (text: string) => string;
  readonly dot: (text: string) => string;
  readonly dim: (text: string) => string;
}

interface Glyphs {
  readonly dot: string;
  readonly band: string;
  readonly left: string;
  readonly right: string;
  /** A band that is not certain, and attempts without a line of their own. */
  readonly maybe: string;
  readonly axis: string;
  readonly tick: string;
}

export const unicode: Glyphs = { dot: "●", band: "─", left: "├", right: "┤", maybe: "┄", axis: "─", tick: "┴" };
export const ascii: Glyphs = { dot: "o", band: "-", left: "|", right: "|", maybe: ".", axis: "-", tick: "+" };

/** A line of a plot: what stands left of it, and the bands on it. */
export interface PlotRow {
  readonly label: string;
  readonly bands: readonly PlotBand[];
}

interface PlotBand {
  readonly earliestSeconds: number;
  readonly latestSeconds: number;
  /** Where the dots stand. */
  readonly nominalSeconds: readonly number[];
  readonly certain: boolean;
}

/** One row per attempt, a long ladder summarised. */
export const rowsOfOne = ({ attempts }: Pick<PolicyPreview, "attempts">): readonly PlotRow[] =>
  ladderRows(attempts).map((row) => {
    if (row.kind === "attempt") return { label: String(row.attempt.number), bands: [bandOf(row.attempt)] };
    const { first, last } = row;
    const between = { earliestSeconds: first.at.earliestSeconds, latestSeconds: last.at.latestSeconds };
    const band = { ...between, nominalSeconds: [], certain: false };
    return { label: `${first.number}-${last.number}`, bands: [band] };
  });

/** All attempts on one row, for policies side by side. */
export const rowOfAll = (label: string, { attempts }: Pick<PolicyPreview, "attempts">): PlotRow => ({
  label,
  bands: attempts.map(bandOf),
});

const bandOf = ({ at, certain }: PreviewAttempt): PlotBand => ({
  earliestSeconds: at.earliestSeconds,
  latestSeconds: at.latestSeconds,
  nominalSeconds: at.nominalSeconds === null ? [] : [at.nominalSeconds],
  certain,
});

/** The lines of a plot, an empty one and what its axis is before them; none where nothing is retried. */
export function plot(
  previews: ReadonlyArray<Pick<PolicyPreview, "attempts">>,
  rows: readonly PlotRow[],
  style: PlotStyle,
): readonly string[] {
  const axis = timeAxis(previews);
  if (axis === null) return [];
  const labelWidth = Math.max(...rows.map(({ label }) => label.length));
  const columns = style.width - labelWidth - 2;
  const line = (label: string, cells: string) => `${label.padStart(labelWidth)}  ${cells}`.trimEnd();
  return [
    "",
    style.dim(`time since receipt${axis.scale === "log" ? ", logarithmic" : ""}`),
    ...rows.map(({ label, bands }) => line(label, cellsOf(bands, axis, columns, style))),
    ...axisLines(axis, columns, style).map((cells) => line("", cells)),
  ];
}

type Kind = "none" | "band" | "dot";

function cellsOf(bands: readonly PlotBand[], axis: TimeAxis, columns: number, style: PlotStyle): string {
  const cells = Array.from({ length: columns }, () => ({ character: " ", kind: "none" as Kind }));
  const column = columnOn(axis, columns);
  const put = (at: number, character: string, kind: Kind) => cells.splice(at, 1, { character, kind });
  const { glyphs } = style;
  for (const { earliestSeconds, latestSeconds, certain } of bands) {
    const [from, to] = [column(earliestSeconds), column(latestSeconds)];
    for (let at = from; at <= to; at += 1) put(at, certain ? glyphs.band : glyphs.maybe, "band");
    if (to > from) {
      put(from, glyphs.left, "band");
      put(to, glyphs.right, "band");
    }
  }
  for (const { nominalSeconds } of bands) for (const each of nominalSeconds) put(column(each), glyphs.dot, "dot");
  return painted(cells, style);
}

const columnOn =
  (axis: TimeAxis, columns: number) =>
  (seconds: number): number =>
    Math.round(positionOn(axis, seconds) * (columns - 1));

/** Neighbours of one kind are painted together. */
function painted(cells: ReadonlyArray<{ readonly character: string; readonly kind: Kind }>, style: PlotStyle): string {
  const runs: { text: string; kind: Kind }[] = [];
  for (const { character, kind } of cells) {
    const last = runs.at(-1);
    if (last?.kind === kind) last.text += character;
    else runs.push({ text: character, kind });
  }
  if (runs.at(-1)?.kind === "none") runs.pop();
  return runs.map(({ text, kind }) => (kind === "none" ? text : style[kind](text))).join("");
}

/** The line with its ticks, and the times below them. */
export function axisLines(axis: TimeAxis, columns: number, { glyphs, dim }: PlotStyle): readonly string[] {
  const column = columnOn(axis, columns);
  const line = Array.from({ length: columns }, () => glyphs.axis);
  let names = "";
  for (const tick of axis.ticksSeconds) {
    const [at, name] = [column(tick), span(tick)];
    // Names never touch, and never run beyond the line.
    const from = Math.min(at, columns - name.length);
    if (names !== "" && from <= names.length) continue;
    line[at] = glyphs.tick;
    names = names.padEnd(from) + name;
  }
  return [dim(line.join("")), dim(names)];
}

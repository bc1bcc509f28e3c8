import { ladderRows } from "../../functions/core/ladder-rows.js";
import type { PreviewAttempt } from "../../functions/core/policy-preview.js";
import { positionOn, type TimeAxis, timeAxis } from "../../functions/core/time-axis.js";
import type { ChosenPolicy } from "./policy-choices.js";
import * as words from "./words.js";

/**
 * The plot as an SVG that stands alone: no script, no font, nothing from elsewhere; light and dark as its reader prefers.
 */

const width = 800;
const [left, right] = [72, 40];
const [rowHeight, headHeight, axisHeight, margin] = [22, 34, 36, 14];

/** Colours and texts, for light and dark. */
export const svgStyle = `
  svg { color-scheme: light dark; --paper: #ffffff; --ink: #1b1f24; --quiet: #5c6670; --line: #d4dae0; --band: #7fb0e6; --dot: #0b4f9e; }
  @media (prefers-color-scheme: dark) {
    svg { --paper: #14181d; --ink: #e8ecf1; --quiet: #9aa6b2; --line: #333c46; --band: #2f659e; --dot: #a9d0ff; }
  }
  text { font: 12px system-ui, sans-serif; fill: var(--quiet); }
  .name { font-weight: 600; font-size: 14px; fill: var(--ink); }
  .paper { fill: var(--paper); }
  .grid { stroke: var(--line); }
  .band { fill: var(--band); }
  .maybe { fill: var(--band); fill-opacity: 0.35; }
  .dot { fill: var(--dot); }`;

/** One panel per policy, one row per attempt, all on one axis. */
export function svgOf(chosen: readonly ChosenPolicy[]): string {
  const axis = timeAxis(chosen.map(({ preview }) => preview));
  const panels: string[] = [];
  let top = margin;
  for (const { label, preview } of chosen) {
    const rows = ladderRows(preview.attempts);
    panels.push(text(left, top + 16, `${label}: ${words.policyText({ policy: preview.policy })}`, "name"));
    top += headHeight;
    for (const row of rows) {
      panels.push(axis === null ? "" : rowOf(row, axis, top));
      top += rowHeight;
    }
    top += margin;
  }
  const height = top + axisHeight;
  const title = `Retry schedule: ${chosen.map(({ label }) => label).join(", ")}`;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-labelledby="title desc">`,
    `<title id="title">${escaped(title)}</title>`,
    `<desc id="desc">${escaped(chosen.map(described).join(" "))}</desc>`,
    `<style>${svgStyle}\n</style>`,
    `<rect class="paper" width="${width}" height="${height}"/>`,
    ...(axis === null ? [] : gridOf(axis, top)),
    ...panels.filter((panel) => panel !== ""),
    "</svg>",
  ].join("\n");
}

/** For those who do not see it: the same numbers as a sentence. */
function described({ label, preview }: ChosenPolicy): string {
  const rows = ladderRows(preview.attempts).flatMap((row) => {
    if (row.kind === "more") return [`attempts ${row.first.number} to ${row.last.number} in between`];
    return row.attempt.number === 1 ? [] : [`attempt ${row.attempt.number} after ${words.bandText(row.attempt.at)}`];
  });
  return `${[`${label}: ${words.policyText(preview)}`, ...rows].join("; ")}; a dead letter ${words.deadLetterText(preview)}.`;
}

function rowOf(row: ReturnType<typeof ladderRows>[number], axis: TimeAxis, top: number): string {
  const middle = top + rowHeight / 2;
  if (row.kind === "more") {
    const { first, last } = row;
    const label = text(left - 12, middle + 4, `${first.number}-${last.number}`, "", "end");
    return (
      label +
      bar(axis, first.at.earliestSeconds, last.at.latestSeconds, middle, "maybe", `${first.number} to ${last.number}`)
    );
  }
  const { number, at, certain } = row.attempt;
  const label = text(left - 12, middle + 4, String(number), "", "end");
  const band = bar(axis, at.earliestSeconds, at.latestSeconds, middle, certain ? "band" : "maybe", tip(row.attempt));
  return label + band + (at.nominalSeconds === null ? "" : dot(axis, at.nominalSeconds, middle));
}

const tip = ({ number, at }: PreviewAttempt): string =>
  number === 1 ? "attempt 1 at once" : `attempt ${number} after ${words.bandText(at)}`;

const x = (axis: TimeAxis, seconds: number): number =>
  Math.round((left + positionOn(axis, seconds) * (width - left - right)) * 10) / 10;

function bar(axis: TimeAxis, from: number, to: number, middle: number, kind: string, tooltip: string): string {
  const [start, end] = [x(axis, from), x(axis, to)];
  // A band that is too short to be seen is seen all the same.
  const length = Math.max(Math.round((end - start) * 10) / 10, 2);
  return `<rect class="${kind}" x="${start}" y="${middle - 5}" width="${length}" height="10" rx="2"><title>${escaped(tooltip)}</title></rect>`;
}

const dot = (axis: TimeAxis, seconds: number, middle: number): string =>
  `<circle class="dot" cx="${x(axis, seconds)}" cy="${middle}" r="4"/>`;

/** Vertical lines at round times, and their names below. */
function gridOf(axis: TimeAxis, bottom: number): readonly string[] {
  return axis.ticksSeconds.map((tick) => {
    const at = x(axis, tick);
    const line = `<line class="grid" x1="${at}" y1="${margin + headHeight - 6}" x2="${at}" y2="${bottom}"/>`;
    return line + text(at, bottom + 18, words.span(tick), "", "middle");
  });
}

function text(at: number, baseline: number, content: string, kind = "", anchor = ""): string {
  const attributes = [kind === "" ? "" : ` class="${kind}"`, anchor === "" ? "" : ` text-anchor="${anchor}"`].join("");
  return `<text x="${at}" y="${baseline}"${attributes}>${escaped(content)}</text>`;
}

const entities: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

/** Names come from the command line: nothing in them becomes markup, and no control character gets into the XML. */
export const escaped = (content: string): string =>
  content.replaceAll(/\p{Cc}/gu, " ").replaceAll(/[&<>"]/g, (character) => entities[character] ?? character);

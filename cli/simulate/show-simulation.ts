import { linearAxis } from "../../functions/core/time-axis.js";
import { type Canvas, canvasOf } from "../policy/canvas.js";
import { ascii, axisLines, type PlotStyle } from "../policy/plot.js";
import { percent, span } from "../policy/words.js";
import type { Session } from "../session.js";
import { type Column, table } from "../table.js";
import type { Played } from "./play.js";
import type { NamedPlayer } from "./players.js";
import { heightOf, ratesOf, shownSeconds } from "./rates.js";
import type { Result } from "./result.js";
import { leadSeconds, recoverySecond, type Scenario } from "./scenario.js";

/** A policy, and what it came to. */
export type SimulatedPolicy = NamedPlayer & Played;

/** Stretches of the rates in JSON. */
const stretchesInJson = 120;

/** As `--json` prints it. */
export const playedView = (scenario: Scenario, { label, about, assumed, result, requests }: SimulatedPolicy) => ({
  label,
  about,
  assumed,
  ...result,
  requestsPerSecond: ratesOf(requests, scenario, stretchesInJson),
});

/** Columns that a line has room for. */
const sideBySide = 4;

/** The scenario, what each policy came to, and the rates of all on one time axis. */
export function showSimulation(session: Session, scenario: Scenario, played: readonly SimulatedPolicy[]): void {
  const canvas = canvasOf(session);
  const { dim } = session.colours;
  for (const line of canvas.wrapped(scenarioText(scenario, played[0]?.result.events ?? 0))) session.line(line);
  session.line();
  for (const { label, about, assumed } of played) {
    const text = assumed === null ? about : `${about} (assumed: ${assumed})`;
    for (const line of canvas.heading(label, text)) session.line(line);
  }
  for (let from = 0; from < played.length; from += sideBySide) {
    const shown = played.slice(from, from + sideBySide);
    session.line();
    session.line(table(aspects, columnsOf(shown), { width: canvas.width, heading: dim }));
  }
  for (const line of plotOf(scenario, played, canvas)) session.line(line);
}

function scenarioText(scenario: Scenario, events: number): string {
  const { outageSeconds, perSecond, capacityPerSecond, failure, arrivals, maxPerSecond, seed } = scenario;
  const meets = { refused: "connections refused", hang: "requests hang", "503": "503", "429": "429" }[failure];
  const limit = maxPerSecond === null ? "" : `; at most ${maxPerSecond}/s are sent to it`;
  return (
    `${span(outageSeconds)} outage (${meets}); ${number(events)} events, ${perSecond}/s (${arrivals}); ` +
    `it takes ${capacityPerSecond}/s and answers 503 above that${limit}; seed ${seed}.`
  );
}

/** One line of the comparison. */
interface Aspect {
  readonly name: string;
  readonly of: (result: Result) => string;
}

const aspects: readonly Aspect[] = [
  { name: "delivered", of: ({ delivered }) => number(delivered) },
  { name: "dead letters", of: ({ deadLetters }) => number(deadLetters) },
  { name: "still open", of: ({ open }) => number(open) },
  { name: "attempts", of: ({ attempts }) => number(attempts.made) },
  { name: "  wasted", of: ({ attempts }) => number(attempts.wasted) },
  { name: "drained after", of: ({ recovery }) => orNever(recovery.drainSeconds, span) },
  {
    name: "  of the shortest",
    of: ({ recovery }) => orNever(recovery.drainFactor, (factor) => `${factor.toFixed(2)}x`),
  },
  { name: "peak per second", of: ({ recovery }) => number(recovery.peakPerSecond) },
  { name: "  p99", of: ({ recovery }) => number(recovery.p99PerSecond) },
  { name: "refused", of: ({ recovery }) => percent(recovery.refusedOfRequests) },
  { name: "  of those released", of: ({ recovery }) => orNone(recovery.refusedOfReleased, percent) },
  { name: "attempts each", of: ({ attempts }) => attempts.mean.toFixed(2) },
  { name: "  p99", of: ({ attempts }) => number(attempts.p99) },
  { name: "  most", of: ({ attempts }) => number(attempts.max) },
  { name: "oldest delivered", of: ({ oldestSeconds }) => span(oldestSeconds) },
  { name: "write units", of: ({ costs }) => number(costs.writeUnits) },
  { name: "SQS requests", of: ({ costs }) => number(costs.sqsRequests) },
];

const orNever = (value: number | null, text: (value: number) => string): string =>
  value === null ? "never" : text(value);
const orNone = (value: number | null, text: (value: number) => string): string => (value === null ? "-" : text(value));

/** With thousands apart: `6,048,000`. */
const number = (value: number): string => String(value).replaceAll(/\B(?=(\d{3})+$)/g, ",");

const columnsOf = (played: readonly SimulatedPolicy[]): readonly Column<Aspect>[] => [
  { title: "", value: ({ name }) => name },
  ...played.map(
    ({ label, result }): Column<Aspect> => ({ title: shortened(label), value: ({ of }) => of(result), cut: true }),
  ),
];

const longestLabel = 14;
const shortened = (label: string): string =>
  label.length > longestLabel ? `${label.slice(0, longestLabel - 1)}…` : label;

const steps = { unicode: " ▁▂▃▄▅▆▇█", ascii: " .:-=+*#@" };

/** One line per policy: how many requests a second it sent, from none to the most that any of them sent. */
function plotOf(scenario: Scenario, played: readonly SimulatedPolicy[], canvas: Canvas): readonly string[] {
  const style = canvas.plot;
  const labels = played.map(({ label }) => shortened(label));
  const labelWidth = Math.max(...labels.map((label) => label.length), "outage".length);
  const columns = style.width - labelWidth - 2;
  const rates = played.map(({ requests }) => ratesOf(requests, scenario, columns).perSecond);
  const most = Math.max(...rates.flat());
  const glyphs = style.glyphs === ascii ? steps.ascii : steps.unicode;
  const bar = (rate: number) => glyphs[Math.ceil(heightOf(rate, most) * (glyphs.length - 1))] ?? " ";
  const line = (label: string, cells: string) => `${label.padStart(labelWidth)}  ${cells}`.trimEnd();
  return [
    "",
    ...canvas
      .wrapped(`requests per second over time, logarithmic: ${glyphs.at(-1)} is ${number(Math.ceil(most))}`)
      .map(style.dim),
    line("outage", style.dim(outageBar(scenario, columns, style))),
    ...rates.map((each, index) => line(labels[index] ?? "", style.band(each.map(bar).join("")))),
    ...axisLines(linearAxis(shownSeconds(scenario)), columns, style).map((cells) => line("", cells)),
  ];
}

function outageBar(scenario: Scenario, columns: number, { glyphs }: PlotStyle): string {
  const column = (second: number) => Math.floor((second / shownSeconds(scenario)) * columns);
  const [from, to] = [column(leadSeconds), Math.max(column(leadSeconds) + 1, column(recoverySecond(scenario)) - 1)];
  return `${" ".repeat(from)}${glyphs.left}${glyphs.band.repeat(to - from - 1)}${glyphs.right}`;
}

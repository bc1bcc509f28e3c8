import { linearAxis, positionOn } from "../../functions/core/time-axis.js";
import { escaped, svgStyle } from "../policy/svg.js";
import { span } from "../policy/words.js";
import { heightOf, ratesOf, shownSeconds } from "./rates.js";
import { leadSeconds, recoverySecond, type Scenario } from "./scenario.js";
import type { SimulatedPolicy } from "./show-simulation.js";

/** The rates over time as an SVG that stands alone, one panel per policy on one time axis. */

const width = 800;
const [left, right] = [72, 40];
const [panelHeight, headHeight, axisHeight, margin] = [64, 26, 36, 14];
const stretches = 344;

const style = `${svgStyle}
  .rate { fill: var(--band); stroke: var(--dot); stroke-width: 1; }
  .outage { fill: var(--line); fill-opacity: 0.5; }`;

export function ratesSvg(scenario: Scenario, played: readonly SimulatedPolicy[]): string {
  const axis = linearAxis(shownSeconds(scenario));
  const x = (second: number) => rounded(left + positionOn(axis, second) * (width - left - right));
  const all = played.map(({ requests }) => ratesOf(requests, scenario, stretches));
  const most = Math.max(...all.flatMap(({ perSecond }) => perSecond));
  const bottom = margin + played.length * (headHeight + panelHeight + margin);
  const height = bottom + axisHeight;
  const panels = all.map(({ seconds, perSecond }, index) => {
    const top = margin + index * (headHeight + panelHeight + margin);
    const base = top + headHeight + panelHeight;
    const points = perSecond.flatMap((rate, at) => {
      const y = rounded(base - heightOf(rate, most) * panelHeight);
      return [`${x(at * seconds)},${y}`, `${x((at + 1) * seconds)},${y}`];
    });
    const label = `${played[index]?.label}: up to ${Math.round(Math.max(...perSecond))} requests per second`;
    return [
      `<text class="name" x="${left}" y="${top + 16}">${escaped(label)}</text>`,
      `<polygon class="rate" points="${x(0)},${base} ${points.join(" ")} ${x(axis.endSeconds)},${base}"/>`,
    ].join("\n");
  });
  const [from, to] = [x(leadSeconds), x(recoverySecond(scenario))];
  const title = `Requests per second through an outage of ${span(scenario.outageSeconds)}`;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-labelledby="title desc">`,
    `<title id="title">${escaped(title)}</title>`,
    `<desc id="desc">${escaped(played.map(described).join(" "))}</desc>`,
    `<style>${style}\n</style>`,
    `<rect class="paper" width="${width}" height="${height}"/>`,
    `<rect class="outage" x="${from}" y="${margin}" width="${rounded(to - from)}" height="${bottom - margin}"><title>outage</title></rect>`,
    ...axis.ticksSeconds.map((tick) => tickOf(x(tick), bottom, span(tick))),
    ...panels,
    "</svg>",
  ].join("\n");
}

const rounded = (value: number): number => Math.round(value * 10) / 10;

const tickOf = (at: number, bottom: number, name: string): string =>
  `<line class="grid" x1="${at}" y1="${margin}" x2="${at}" y2="${bottom}"/>` +
  `<text x="${at}" y="${bottom + 18}" text-anchor="middle">${name}</text>`;

/** For those who do not see it. */
function described({ label, result }: SimulatedPolicy): string {
  const { attempts, recovery, deadLetters } = result;
  const drained = recovery.drainSeconds === null ? "never drained" : `drained after ${span(recovery.drainSeconds)}`;
  return (
    `${label}: ${attempts.made} attempts, ${attempts.wasted} of them wasted, ${deadLetters} dead letters, ${drained}, ` +
    `at most ${recovery.peakPerSecond} requests per second on recovery.`
  );
}

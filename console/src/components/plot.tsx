import { useEffect, useRef, useState } from "preact/hooks";
import uPlot from "uplot";
import { whole } from "../data/format.js";

export interface Series {
  readonly label: string;
  /** One number a step. */
  readonly values: readonly number[];
  /** Name of a colour in the style sheet, without dashes. */
  readonly colour: string;
  /** Lines are told apart without their colours, too. */
  readonly dash?: readonly number[];
}

const heightPx = 150;

/** Counts over time. The legend has the numbers: sums, or those of the step under the pointer. */
export function Plot({
  label,
  startsAt,
  stepSeconds,
  series,
}: {
  readonly label: string;
  readonly startsAt: string;
  readonly stepSeconds: number;
  readonly series: readonly Series[];
}) {
  const place = useRef<HTMLDivElement>(null);
  const [pointed, setPointed] = useState<number | null>(null);
  const scheme = useColourScheme();
  useEffect(() => {
    const element = place.current;
    if (element === null) return;
    const start = Date.parse(startsAt) / 1_000;
    // A step lasts until the next one begins, the last one too.
    const times = Array.from(
      { length: (series[0]?.values.length ?? 0) + 1 },
      (_, index) => start + index * stepSeconds,
    );
    const lasting = series.map(({ values, dash }) => [...values, dash === undefined ? null : (values.at(-1) ?? 0)]);
    const plot = new uPlot(optionsOf(element, series, setPointed), [times, ...lasting], element);
    const resized = new ResizeObserver(() => plot.setSize({ width: element.clientWidth, height: heightPx }));
    resized.observe(element);
    return () => {
      resized.disconnect();
      plot.destroy();
    };
  }, [startsAt, stepSeconds, series, scheme]);
  const sums = series.map(({ label: name, values }) => `${name} ${values.reduce((sum, value) => sum + value, 0)}`);
  const at = pointed === null ? null : new Date(Date.parse(startsAt) + pointed * stepSeconds * 1_000);
  return (
    <figure class="plot">
      <figcaption>
        {series.map(({ label: name, values, colour }) => (
          <span key={name} class={`key ${colour}`}>
            {name}{" "}
            <b>{whole(pointed === null ? values.reduce((sum, value) => sum + value, 0) : (values[pointed] ?? 0))}</b>
          </span>
        ))}
        <span class="quiet">{at === null ? "in all" : `at ${at.toTimeString().slice(0, 5)}`}</span>
      </figcaption>
      <div ref={place} role="img" aria-label={`${label}: ${sums.join(", ")}`} />
    </figure>
  );
}

function optionsOf(
  element: HTMLElement,
  series: readonly Series[],
  onPoint: (index: number | null) => void,
): uPlot.Options {
  const styles = getComputedStyle(element);
  const steps = series[0]?.values.length ?? 0;
  const colour = (name: string): string => styles.getPropertyValue(`--${name}`).trim();
  const axis = {
    stroke: colour("quiet"),
    grid: { stroke: colour("line"), width: 1 },
    ticks: { show: false },
    font: `11px ${styles.fontFamily}`,
  };
  return {
    width: element.clientWidth,
    height: heightPx,
    padding: [8, 18, 0, 0],
    legend: { show: false },
    cursor: { y: false, drag: { x: false, y: false }, points: { size: 6 } },
    scales: { y: { range: (_plot, _least, most) => [0, Math.max(4, most * 1.1)] } },
    axes: [
      { ...axis, size: 24, space: 70, values: "{HH}:{mm}" },
      {
        ...axis,
        size: 40,
        incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 100_000, 1_000_000],
        space: 28,
      },
    ],
    series: [
      {},
      ...(series.map(({ label, colour: name, dash }) => ({
        label,
        stroke: colour(name),
        fill: dash === undefined ? `${colour(name)}66` : "",
        width: dash === undefined ? 1 : 1.5,
        ...(dash === undefined ? {} : { dash: [...dash] }),
        points: { show: false },
        // What is counted stands as bars; what it is compared with, as lines over them.
        paths:
          dash === undefined ? uPlot.paths.bars?.({ size: [0.85, 40], align: 1 }) : uPlot.paths.stepped?.({ align: 1 }),
      })) as uPlot.Series[]),
    ],
    hooks: { setCursor: [({ cursor }) => onPoint(cursor.idx == null ? null : Math.min(cursor.idx, steps - 1))] },
  };
}

/** Changes with the system's colour scheme: a canvas has to be drawn again. */
function useColourScheme(): boolean {
  const query = window.matchMedia("(prefers-color-scheme: dark)");
  const [dark, setDark] = useState(query.matches);
  useEffect(() => {
    const follow = () => setDark(query.matches);
    query.addEventListener("change", follow);
    return () => query.removeEventListener("change", follow);
  }, []);
  return dark;
}

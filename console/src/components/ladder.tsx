import { duration } from "../../../cli/text.js";
import { ladderRows } from "../../../functions/core/ladder-rows.js";
import type { Band, PolicyPreview, PreviewAttempt } from "../../../functions/core/policy-preview.js";
import { timeAxis } from "../../../functions/core/time-axis.js";
import { Axis, percentOn } from "./axis.js";
import { type Column, Table } from "./table.js";

/** When a policy retries: each attempt with its jitter on one time axis, and the same as numbers. */
export function Ladder({ preview }: { readonly preview: PolicyPreview }) {
  const axis = timeAxis([preview]);
  if (axis === null) return <p>One attempt, at once; none after it.</p>;
  return (
    <>
      <div class="ladder">
        <div class="track">
          {preview.attempts.map(({ number, at, certain }) => {
            const from = percentOn(axis, at.earliestSeconds);
            const to = percentOn(axis, at.latestSeconds);
            const middle = percentOn(axis, at.nominalSeconds ?? at.latestSeconds);
            return (
              <div key={number}>
                <span class="band" style={{ left: `${from}%`, width: `${to - from}%` }} />
                <span
                  class={certain ? "mark" : "mark maybe"}
                  style={{ left: `${middle}%` }}
                  title={`attempt ${number}`}
                />
              </div>
            );
          })}
        </div>
        <Axis axis={axis} />
      </div>
      <Table label="Attempts of the policy" rows={rowsOf(preview)} columns={columns} keyOf={({ title }) => title} />
    </>
  );
}

interface Row {
  readonly title: string;
  readonly delay: string;
  readonly at: string;
  readonly note: string;
}

const columns: ReadonlyArray<Column<Row>> = [
  { title: "Attempt", cell: ({ title }) => title },
  { title: "Waits", cell: ({ delay }) => delay },
  { title: "Since receipt", cell: ({ at }) => at },
  { title: "Note", cell: ({ note }) => note },
];

function rowsOf({ attempts }: PolicyPreview): readonly Row[] {
  return ladderRows(attempts).map((row) => {
    if (row.kind === "attempt") return rowOf(row.attempt);
    const { first, last, sameDelay } = row;
    const at = `until ${duration(last.at.latestSeconds)}`;
    return { title: `${first.number}–${last.number}`, delay: sameDelay ? "the same" : "growing", at, note: "" };
  });
}

function rowOf({ number, delay, at, capped, certain }: PreviewAttempt): Row {
  const nominal = at.nominalSeconds ?? at.latestSeconds;
  const notes = [capped ? "capped" : "", certain ? "" : "only if jitter comes out short"];
  return {
    title: String(number),
    delay: number === 1 ? "at once" : bandText(delay),
    at: number === 1 ? "0s" : bandText({ ...at, nominalSeconds: nominal }),
    note: notes.filter((note) => note !== "").join(", "),
  };
}

function bandText({ earliestSeconds, nominalSeconds, latestSeconds }: Band): string {
  const nominal = duration(nominalSeconds);
  if (earliestSeconds === latestSeconds) return nominal;
  return `${nominal} (${duration(earliestSeconds)} to ${duration(latestSeconds)})`;
}

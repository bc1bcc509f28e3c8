import type { AttemptView } from "../../../functions/app/admin/view-schemas.js";
import { milliseconds } from "../data/format.js";

const phases = [
  ["DNS", "dnsMs"],
  ["connect", "connectMs"],
  ["TLS", "tlsMs"],
  ["first byte", "firstByteMs"],
] as const;

/** Where an attempt's time went: one bar to scale, and its numbers. */
export function Phases({ timings = {}, durationMs }: Pick<AttemptView, "timings" | "durationMs">) {
  if (durationMs === null) return null;
  const measured = phases.flatMap(([name, field]) => {
    const ms = timings[field];
    return ms === undefined ? [] : [{ name, ms, kind: field }];
  });
  const rest = durationMs - measured.reduce((sum, { ms }) => sum + ms, 0);
  const parts = rest > 0.5 ? [...measured, { name: "rest", ms: rest, kind: "rest" }] : measured;
  return (
    <div class="phases">
      {measured.length > 0 && (
        <div class="bar" aria-hidden="true">
          {parts.map(({ name, ms, kind }) => (
            <span key={name} class={kind} style={{ flexGrow: Math.max(ms, durationMs / 200) }} />
          ))}
        </div>
      )}
      <p>
        {(measured.length > 0 ? parts : []).map(({ name, ms, kind }) => (
          <span key={name} class={`phase ${kind}`}>
            {name} <b>{milliseconds(ms)}</b>
          </span>
        ))}
        <span class="phase">
          total <b>{milliseconds(durationMs)}</b>
        </span>
      </p>
    </div>
  );
}

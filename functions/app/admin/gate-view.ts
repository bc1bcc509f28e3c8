import * as v from "valibot";
import { circuitState } from "../../core/circuit.js";
import { isHeld } from "../../core/gate.js";
import type { Gate } from "../../core/model.js";

/** What a subscription's gate shows of itself: why deliveries are parked, and how their release goes on. */

const time = v.nullable(v.pipe(v.string(), v.isoTimestamp()));

export const gateView = v.pipe(
  v.strictObject({
    circuit: v.picklist(["closed", "open", "half_open"]),
    openedAt: v.pipe(time, v.description("When the circuit opened; null while it is closed.")),
    nextProbeAt: v.pipe(time, v.description("From then on the destination is asked again, by one delivery.")),
    probes: v.pipe(v.number(), v.description("Probes since it opened.")),
    failuresInARow: v.pipe(v.number(), v.description("As far as the gate was told: at most a second old.")),
    heldUntil: v.pipe(time, v.description("The destination asked for a pause (Retry-After) that is not over.")),
    holdsParked: v.pipe(v.boolean(), v.description("Deliveries may be parked here.")),
    release: v.pipe(
      v.nullable(
        v.strictObject({
          startedAt: v.string(),
          released: v.pipe(v.number(), v.description("Deliveries let go so far.")),
          perSecond: v.pipe(v.number(), v.description("Pace of the next second.")),
        }),
      ),
      v.description("The release that goes on; null when there is none."),
    ),
  }),
  v.description("What is parked and why: see the concepts."),
);

export function gateViewOf(gate: Gate, nowMs: number): v.InferOutput<typeof gateView> {
  const { circuit, counts, heldUntilMs, holdsParked, release } = gate;
  const goesOn = release !== undefined && release.endedAtMs === undefined;
  return {
    circuit: circuitState(gate, nowMs),
    openedAt: isoOrNull(circuit?.openedAtMs),
    nextProbeAt: isoOrNull(circuit?.probeAtMs),
    probes: circuit?.probes ?? 0,
    failuresInARow: counts?.inARow ?? 0,
    heldUntil: isHeld(gate, nowMs) ? isoOrNull(heldUntilMs) : null,
    holdsParked,
    release: goesOn
      ? {
          startedAt: new Date(release.startedAtMs).toISOString(),
          released: release.released,
          perSecond: Math.round(release.pace.perSecond * 10) / 10,
        }
      : null,
  };
}

const isoOrNull = (ms: number | undefined): string | null => (ms === undefined ? null : new Date(ms).toISOString());

import type { SubscriptionView } from "../functions/app/admin/view-schemas.js";
import type { Session } from "./session.js";
import { bothTimes, duration } from "./text.js";

/** What a subscription's gate lets pass, as lines for humans. */

type Fields = Parameters<Session["fields"]>[0];

/** Its state: what is left out has nothing to say. */
export function gateFields({ gate }: Pick<SubscriptionView, "gate">, nowMs: number): Fields {
  return [
    ["circuit", stateText(gate, nowMs)],
    ["next probe", gate.nextProbeAt === null ? null : bothTimes(gate.nextProbeAt, nowMs)],
    ["failures", gate.failuresInARow === 0 ? null : `${gate.failuresInARow} in a row`],
    ["held until", gate.heldUntil === null ? null : `${bothTimes(gate.heldUntil, nowMs)}, as the destination asked`],
    ["parked", gate.holdsParked ? "deliveries may be parked" : "none"],
    ["release", releaseText(gate.release, nowMs)],
  ];
}

function stateText({ circuit, openedAt, probes }: SubscriptionView["gate"], nowMs: number): string {
  const name = circuit === "half_open" ? "half open" : circuit;
  if (openedAt === null) return name;
  return `${name} since ${bothTimes(openedAt, nowMs)}, ${probes} ${probes === 1 ? "probe" : "probes"}`;
}

function releaseText(release: SubscriptionView["gate"]["release"], nowMs: number): string | null {
  if (release === null) return null;
  const { released, perSecond, startedAt } = release;
  return `${released} let go since ${bothTimes(startedAt, nowMs)}, now ${perSecond} per second`;
}

/** When it opens, and how long it waits then. */
export function circuitText(circuit: SubscriptionView["circuit"]): string {
  const { failureThreshold, failureRate, minimumAttempts, cooldownSeconds, maxCooldownSeconds } = circuit;
  const row = `opens after ${failureThreshold} ${failureThreshold === 1 ? "failure" : "failures in a row"}`;
  const share = failureRate === null ? "" : `, or ${Math.round(failureRate * 100)}% of ${minimumAttempts} a minute`;
  return `${row}${share}; a probe every ${duration(cooldownSeconds)} to ${duration(maxCooldownSeconds)}`;
}

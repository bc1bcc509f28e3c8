import { type GateCase, skewMs, timeOf } from "./gate-invariants.js";

/** `maxPerSecond` and `Retry-After`: how often and from when a destination is asked. */
export function rateProblems(found: GateCase): string[] {
  return [...exceeded(found), ...(found.run.isCalm ? notHeld(found) : [])];
}

const minuteMs = 60_000;

/** In no minute more than the rate, and 10%; a probe has no slot. */
function exceeded({ subscription, requests }: GateCase): string[] {
  const { maxPerSecond } = subscription;
  if (maxPerSecond === null) return [];
  const most = maxPerSecond * 60 * 1.1 + 1;
  const times = requests
    .filter(({ passage }) => passage === "open")
    .map(({ startedAtMs }) => startedAtMs)
    .toSorted((a, b) => a - b);
  let first = 0;
  for (const [index, atMs] of times.entries()) {
    while ((times[first] ?? 0) <= atMs - minuteMs) first++;
    const count = index - first + 1;
    if (count > most) return [`${count} requests in the minute to ${timeOf(atMs)}, at ${maxPerSecond} a second`];
  }
  return [];
}

/** From the answer until everybody knows: it is recorded, written to the gate, and read by others. */
const knownAfterMs = 2_500;

/** What a destination asks of one delivery holds for all of them, until an operator says otherwise. */
function notHeld({ subscription, requests, history, records }: GateCase): string[] {
  const { policy } = subscription;
  return records.flatMap(({ atMs, attempt }) => {
    const seconds = Math.min(attempt.retryAfterSeconds ?? 0, policy.retryAfterCapSeconds);
    if (attempt.outcome !== "retryable" || seconds === 0) return [];
    const untilMs = attempt.startedAtMs + (attempt.durationMs ?? 0) + seconds * 1000 - 2 * skewMs;
    const changed = history.find(({ atMs: changedAtMs, gate }) => changedAtMs > atMs && gate.status !== "active");
    const early = requests.find(
      ({ claimedAtMs }) =>
        claimedAtMs > atMs + knownAfterMs && claimedAtMs < Math.min(untilMs, changed?.atMs ?? untilMs),
    );
    return early === undefined ? [] : [`asked at ${timeOf(early.claimedAtMs)}, held until ${timeOf(untilMs)}`];
  });
}

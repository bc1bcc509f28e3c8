import { type Arrivals, backlogOf } from "./arrivals.js";
import { EndlessRoom } from "./endless-room.js";
import type { Ladder } from "./ladder.js";
import { LadderRoom } from "./ladder-room.js";
import type { Room } from "./room.js";
import { noSteps, type Run } from "./run.js";
import { isDown, recoverySecond, type Scenario } from "./scenario.js";
import { sumOf, Timeline } from "./timeline.js";

/** Nobody waits for longer than this; what is still open then is counted as open. */
const longestPlaySeconds = 4_000_000;
/** Less than half a delivery is none. */
const none = 0.5;

/**
 * A policy without a circuit: each delivery retries by its own schedule, whatever became of the others. Deliveries that
 * are alike are one number: by the second in which they are due and the attempts made, those of the outage apart from
 * the rest. Jitter spreads a cohort evenly over the seconds that it may hit, and an overloaded destination takes the same
 * share of each: expected values, for which nothing but the arrivals is drawn.
 */
export function playCohorts(scenario: Scenario, arrivals: Arrivals, ladder: Ladder): Run {
  const { failure, capacityPerSecond } = scenario;
  const timeoutSeconds = failure === "hang" ? ladder.timeoutSeconds : 0;
  const ofOutage = roomFor(ladder, timeoutSeconds);
  const others = roomFor(ladder, timeoutSeconds);
  const timeline = new Timeline();
  const recovery = recoverySecond(scenario);
  const backlog = backlogOf(arrivals);
  let drainedAtSecond: number | null = backlog === 0 ? recovery : null;
  for (let second = 0, next = 0; second < longestPlaySeconds; second += 1) {
    const from = next;
    while (next < arrivals.atMs.length && (arrivals.atMs[next] as number) < (second + 1) * 1000) next += 1;
    const down = isDown(scenario, second);
    ofOutage.open(second, down ? next - from : 0);
    others.open(second, down ? 0 : next - from);
    const requests = ofOutage.present + others.present;
    const taken = down ? 0 : Math.min(1, capacityPerSecond / requests);
    if (requests > 0) timeline.note(second, requests, requests * (1 - taken));
    for (const room of [ofOutage, others]) room.settle(taken, down ? timeoutSeconds : 0);
    if (second < recovery) continue;
    if (drainedAtSecond === null && backlog - ofOutage.ended < none) drainedAtSecond = second + 1;
    if (next === arrivals.atMs.length && next - ofOutage.ended - others.ended < none) break;
  }
  return runOf(ofOutage, others, ladder, timeline, drainedAtSecond, timeoutSeconds);
}

const roomFor = (ladder: Ladder, timeoutSeconds: number): Room =>
  ladder.everyDelaySeconds === null
    ? new LadderRoom(ladder, timeoutSeconds)
    : new EndlessRoom(ladder.everyDelaySeconds);

function runOf(
  ofOutage: Room,
  others: Room,
  ladder: Ladder,
  timeline: Timeline,
  drainedAtSecond: number | null,
  timeoutSeconds: number,
): Run {
  const rooms = [ofOutage, others];
  const delivered = rooms.reduce((sum, { deliveredBy }) => sum + sumOf(deliveredBy), 0);
  const buried = rooms.reduce((sum, { buriedBy }) => sum + sumOf(buriedBy), 0);
  const firstSucceeded = rooms.reduce((sum, { deliveredBy }) => sum + (deliveredBy[1] as number), 0);
  const firstFailed = ofOutage.firstFailed + others.firstFailed;
  const onlyAttempt = ladder.delayAfter(1) === null;
  const dead: Record<string, number> = {};
  for (const { buriedBy } of rooms) {
    for (const [made, count] of buriedBy.entries()) {
      if (count > 0) dead[ladder.endsBy(made)] = (dead[ladder.endsBy(made)] ?? 0) + count;
    }
  }
  const oldest = Math.max(...rooms.map(({ deliveredBy }) => lastFrom(deliveredBy)));
  return {
    timeline,
    delivered,
    dead,
    attemptsOfOutage: Array.from(ofOutage.deliveredBy, (count, made) => count + (ofOutage.buriedBy[made] ?? 0)),
    drainedAtSecond,
    oldestSeconds: oldest === 0 ? 0 : ladder.nominalAgeSeconds(oldest) + (oldest - 1) * timeoutSeconds,
    steps: {
      ...noSteps,
      firstSucceeded,
      firstFailed: onlyAttempt ? 0 : firstFailed,
      retrySucceeded: delivered - firstSucceeded,
      retryFailed: sumOf(timeline.wasted) - buried - (onlyAttempt ? 0 : firstFailed),
      lastFailed: buried,
    },
  };
}

/** The last index at which there is, with all behind it, at least half a delivery; 0: none. */
function lastFrom(counts: Float64Array): number {
  let [index, sum] = [counts.length, 0];
  while (index > 0 && sum < none) {
    index -= 1;
    sum += counts[index] as number;
  }
  return sum < none ? 0 : index;
}

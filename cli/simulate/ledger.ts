import type { Arrivals } from "./arrivals.js";
import type { Deliveries } from "./deliveries.js";
import { noSteps, type Run, type Steps } from "./run.js";
import { recoverySecond, type Scenario } from "./scenario.js";
import type { Timeline } from "./timeline.js";

/** Counts what becomes of deliveries. */
export class Ledger {
  readonly steps: { -readonly [Name in keyof Steps]: number } = { ...noSteps };
  private readonly dead: Record<string, number> = {};
  private readonly attemptsOfOutage: number[] = [];
  private delivered = 0;
  private oldestMs = 0;
  private drainedAtMs: number | null;

  constructor(
    private readonly scenario: Scenario,
    private readonly arrivals: Arrivals,
    private readonly deliveries: Deliveries,
  ) {
    this.drainedAtMs = deliveries.openOfOutage === 0 ? recoverySecond(scenario) * 1000 : null;
  }

  /** An attempt has its outcome; `wasReleased`: it was the first one after being parked. */
  noteAttempt(attemptsMade: number, next: "done" | "retry" | "dead_letter", wasReleased: boolean): void {
    const { steps } = this;
    if (next === "dead_letter") steps.lastFailed += 1;
    else if (next === "retry") steps[attemptsMade === 1 && !wasReleased ? "firstFailed" : "retryFailed"] += 1;
    else if (wasReleased) steps.releasedSucceeded += 1;
    else steps[attemptsMade === 1 ? "firstSucceeded" : "retrySucceeded"] += 1;
  }

  /** A delivery ends; `reason`: why it is dead, null: it is delivered. */
  end(index: number, reason: string | null, nowMs: number): void {
    const { deliveries, arrivals } = this;
    deliveries.end(index);
    if (reason === null) {
      this.delivered += 1;
      this.oldestMs = Math.max(this.oldestMs, nowMs - deliveries.receivedAtMs(index));
    } else this.dead[reason] = (this.dead[reason] ?? 0) + 1;
    if (index >= arrivals.beforeOutage && index < arrivals.beforeRecovery) {
      const attempts = deliveries.attemptsMade(index);
      this.attemptsOfOutage[attempts] = (this.attemptsOfOutage[attempts] ?? 0) + 1;
    }
    if (deliveries.openOfOutage === 0 && this.drainedAtMs === null) {
      this.drainedAtMs = Math.max(nowMs, recoverySecond(this.scenario) * 1000);
    }
  }

  asRun(timeline: Timeline): Run {
    return {
      timeline,
      delivered: this.delivered,
      dead: this.dead,
      attemptsOfOutage: Array.from(this.attemptsOfOutage, (count = 0) => count),
      drainedAtSecond: this.drainedAtMs === null ? null : this.drainedAtMs / 1000,
      oldestSeconds: this.oldestMs / 1000,
      steps: this.steps,
    };
  }
}

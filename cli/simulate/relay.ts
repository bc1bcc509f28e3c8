import { isLeftToPassers, isProbe, lastAttemptProbeAtMs, startProbe } from "../../functions/core/circuit.js";
import { isPassable } from "../../functions/core/gate.js";
import type { CircuitSettings, RetryPolicy } from "../../functions/core/model.js";
import { decideNext } from "../../functions/core/policy.js";
import { isBooked, longestSlotWaitMs, waitOnTheSpotMs } from "../../functions/core/rate.js";
import { keepsLastAttempt } from "../../functions/core/release.js";
import { Agenda } from "./agenda.js";
import type { Arrivals } from "./arrivals.js";
import { Deliveries } from "./deliveries.js";
import { type Answer, Destination } from "./destination.js";
import { Ledger } from "./ledger.js";
import { type Passage, RelayGate } from "./relay-gate.js";
import { sweptGate, tick } from "./relay-ticks.js";
import type { Run } from "./run.js";
import type { Scenario } from "./scenario.js";
import { seededRandom } from "./seeded-random.js";

/** From a tick's due time to its work, and from there to the attempts that it lets go: this at least, and so much more. */
const hopMs = 50;
const hopSpreadMs = 250;
/** The sweeper. */
const sweepMs = 300_000;
/** Nobody waits for longer than this; what is still open then is counted as open. */
const longestPlayMs = 4_000_000_000;

type Task =
  /** `start`: its message is there; `probe`: that of a probe, sent by a tick. */
  | { readonly kind: "start" | "probe"; readonly index: number; readonly hasSlot: boolean }
  /** It waited for its slot. */
  | { readonly kind: "go"; readonly index: number; readonly passage: Passage }
  | { readonly kind: "outcome"; readonly index: number; readonly passage: Passage; readonly answer: Answer }
  | { readonly kind: "tick"; readonly seq: number }
  | { readonly kind: "sweep" };

/** A policy with its circuit, every delivery by itself, decided by the functions that the relay decides with. */
export function playRelay(scenario: Scenario, arrivals: Arrivals, policy: RetryPolicy, circuit: CircuitSettings): Run {
  return new Relay(scenario, arrivals, policy, circuit).play();
}

class Relay {
  private readonly random: () => number;
  private readonly deliveries: Deliveries;
  private readonly destination: Destination;
  private readonly gate: RelayGate;
  private readonly ledger: Ledger;
  private readonly agenda = new Agenda<Task>();
  private announcedSeq = 0;
  private nowMs = 0;
  private readonly released = new Set<number>();

  constructor(
    private readonly scenario: Scenario,
    private readonly arrivals: Arrivals,
    private readonly policy: RetryPolicy,
    private readonly circuit: CircuitSettings,
  ) {
    this.random = seededRandom(scenario.seed + 1);
    this.deliveries = new Deliveries(arrivals);
    this.ledger = new Ledger(scenario, arrivals, this.deliveries);
    this.destination = new Destination(scenario, policy);
    this.gate = new RelayGate(circuit, scenario.environments, this.random);
  }

  play(): Run {
    const { atMs } = this.arrivals;
    this.agenda.put(sweepMs, { kind: "sweep" });
    for (let next = 0; this.deliveries.open > 0; ) {
      const arrivesAtMs = atMs[next] ?? Number.POSITIVE_INFINITY;
      if (arrivesAtMs <= this.agenda.nextAtMs) {
        this.nowMs = arrivesAtMs;
        this.start(next++, false);
      } else {
        this.nowMs = this.agenda.nextAtMs;
        this.work(this.agenda.take());
      }
      if (this.nowMs > longestPlayMs) break;
      this.announceTick();
    }
    return this.ledger.asRun(this.destination.timeline);
  }

  private work(task: Task): void {
    switch (task.kind) {
      case "start":
        this.start(task.index, task.hasSlot);
        break;
      case "go":
        this.attempt(task.index, task.passage);
        break;
      case "probe":
        this.startProbe(task.index);
        break;
      case "outcome":
        this.settle(task.index, task.passage, task.answer);
        break;
      case "tick":
        if (task.seq === this.gate.current.tick?.seq) this.tick();
        break;
      case "sweep":
        this.sweep();
        break;
      default:
        assertNever(task);
    }
  }

  /** Whoever moved the gate has sent its next tick. */
  private announceTick(): void {
    const { tick: next } = this.gate.current;
    if (next === undefined || next.seq === this.announcedSeq) return;
    this.announcedSeq = next.seq;
    if (next.dueAtMs === null) return;
    const waitMs = Math.max(0, Math.ceil((next.dueAtMs - this.nowMs) / 1000) * 1000);
    this.agenda.put(this.nowMs + waitMs + hopMs, { kind: "tick", seq: next.seq });
  }

  private start(index: number, hasSlot: boolean): void {
    if (this.isOverdue(index)) {
      this.endOverdue(index);
      return;
    }
    const passage = this.gate.meet(this.nowMs);
    if (!isPassable(passage.gate, this.nowMs)) this.probeOrPark(index, passage);
    else if (!this.released.has(index) && this.keepsLastAttempt(index, passage)) this.park(index);
    else if (this.scenario.maxPerSecond === null || hasSlot) this.attempt(index, passage);
    else this.takeSlot(index, passage, this.scenario.maxPerSecond);
  }

  private keepsLastAttempt(index: number, { gate }: Passage): boolean {
    return keepsLastAttempt(gate, { attemptsStarted: this.deliveries.attemptsMade(index) }, this.policy);
  }

  private takeSlot(index: number, passage: Passage, maxPerSecond: number): void {
    const { nowMs } = this;
    const slotAtMs = isBooked(this.gate.current, nowMs) ? null : this.gate.reserveSlot(maxPerSecond, nowMs);
    const waitMs = slotAtMs === null ? longestSlotWaitMs + 1 : slotAtMs - nowMs;
    if (waitMs > longestSlotWaitMs) this.park(index);
    else if (waitMs > waitOnTheSpotMs) this.agenda.put(nowMs + waitMs, { kind: "start", index, hasSlot: true });
    else this.agenda.put(nowMs + Math.max(0, waitMs), { kind: "go", index, passage });
  }

  /** Where a tick has nothing to probe with, what comes along is the probe. */
  private probeOrPark(index: number, passage: Passage): void {
    const { current } = this.gate;
    const isLast = this.deliveries.attemptsMade(index) + 1 >= this.policy.maxAttempts;
    const mayProbe =
      current.circuit !== undefined &&
      isLeftToPassers(current, this.nowMs) &&
      (!isLast || (!current.holdsParked && lastAttemptProbeAtMs(current.circuit) <= this.nowMs));
    const probing = mayProbe ? startProbe(current, String(index), this.nowMs) : null;
    if (probing === null) {
      this.park(index);
      return;
    }
    this.gate.current = probing;
    this.attempt(index, { ...passage, gate: probing, isProbe: true });
  }

  private park(index: number): void {
    if (!this.released.delete(index)) this.ledger.steps.parked += 1;
    this.deliveries.park(index);
    this.gate.noteParked(this.nowMs);
  }

  private startProbe(index: number): void {
    const { current } = this.gate;
    if (this.isOverdue(index) || !isProbe(current, String(index), this.nowMs)) this.start(index, false);
    else this.attempt(index, { ...this.gate.meet(this.nowMs), gate: current, isProbe: true });
  }

  private attempt(index: number, passage: Passage): void {
    this.deliveries.unpark(index);
    this.deliveries.forgetDue(index);
    this.deliveries.countAttempt(index);
    const answer = this.destination.request(this.nowMs);
    this.agenda.put(this.nowMs + answer.afterMs, { kind: "outcome", index, passage, answer });
  }

  private settle(index: number, passage: Passage, { outcome }: Answer): void {
    const attemptsMade = this.deliveries.attemptsMade(index);
    const receivedAtMs = this.deliveries.receivedAtMs(index);
    const { nowMs, random } = this;
    const next = decideNext(this.policy, {
      outcome,
      attemptsMade,
      receivedAtMs,
      nowMs,
      random,
      retryAfterSeconds: null,
    });
    this.ledger.noteAttempt(attemptsMade, next.kind, this.released.delete(index));
    if (next.kind === "done") this.end(index, null);
    else if (next.kind === "dead_letter") this.end(index, next.reason);
    else {
      this.deliveries.planRetry(index, next.dueAtMs);
      this.agenda.put(next.dueAtMs, { kind: "start", index, hasSlot: false });
    }
    this.gate.note(passage, String(index), outcome, nowMs);
  }

  private end(index: number, reason: string | null): void {
    this.ledger.end(index, reason, this.nowMs);
  }

  /** Nothing was attempted: should it have been the probe, the next one may be made. */
  private endOverdue(index: number): void {
    this.end(index, "max_age");
    this.gate.giveProbeBack(String(index), this.nowMs);
  }

  private tick(): void {
    const { policy, circuit, random, nowMs } = this;
    const rules = { policy, circuit, random, maxPerSecond: this.scenario.maxPerSecond };
    const result = tick(this.gate.current, this.deliveries, rules, nowMs);
    this.gate.current = result.next;
    this.ledger.steps.ticks += 1;
    this.ledger.steps.released += result.released.length;
    for (const index of result.released) {
      // It is parked until its claim; here it is on its way, and parked again should the gate be closed when it comes.
      this.deliveries.unpark(index);
      this.released.add(index);
      const comesAtMs = nowMs + Math.round(hopMs + random() * hopSpreadMs);
      const dueAtMs = this.deliveries.nextAttemptAtMs(index) ?? 0;
      this.agenda.put(Math.max(comesAtMs, dueAtMs), { kind: "start", index, hasSlot: false });
    }
    if (result.probe === null) return;
    this.released.add(result.probe);
    this.agenda.put(nowMs + hopMs, { kind: "probe", index: result.probe, hasSlot: false });
  }

  private isOverdue(index: number): boolean {
    const { maxAgeSeconds } = this.policy;
    if (maxAgeSeconds === null) return false;
    const hasWaited = this.deliveries.attemptsMade(index) > 0 || this.released.has(index);
    return hasWaited && this.nowMs > this.deliveries.receivedAtMs(index) + maxAgeSeconds * 1000;
  }

  /** Ends what waited for longer than its time budget, and sets a release going again that left something. */
  private sweep(): void {
    this.agenda.put(this.nowMs + sweepMs, { kind: "sweep" });
    this.endAllOverdue();
    this.gate.current = sweptGate(this.gate.current, this.nowMs);
  }

  private endAllOverdue(): void {
    const { maxAgeSeconds } = this.policy;
    if (maxAgeSeconds === null) return;
    const receivedBeforeMs = this.nowMs - maxAgeSeconds * 1000;
    for (;;) {
      const page = this.deliveries.parkedAfter(null, 1000);
      const overdue = page.filter((index) => this.deliveries.receivedAtMs(index) < receivedBeforeMs);
      for (const index of overdue) this.endOverdue(index);
      if (overdue.length === 0) return;
    }
  }
}

function assertNever(value: never): never {
  throw new Error(`unexpected ${JSON.stringify(value)}`);
}

import { MemorySubscriptionStore } from "../../functions/adapters/memory/memory-subscription-store.js";
import { redriveFault } from "../../functions/app/faults/redrive-fault.js";
import { sendTick } from "../../functions/app/ticks.js";
import { isFinal } from "../../functions/core/delivery.js";
import { nextGeneration } from "../../functions/core/gate.js";
import { withTick } from "../../functions/core/ticks.js";
import { aSourceRecord } from "../support/config-records.js";
import { Census } from "./census.js";
import { calm } from "./function-host.js";
import { type Sabotage, SimulatedRelay } from "./relay.js";
import { secret, someChaos, someSubscription } from "./some-settings.js";
import { World } from "./world.js";

/** An event that a provider was told is accepted. */
export interface AcceptedEvent {
  readonly eventId: string;
  readonly sourceId: string;
  readonly body: string;
  readonly atMs: number;
}

export interface Run {
  readonly seed: number;
  readonly relay: SimulatedRelay;
  readonly accepted: readonly AcceptedEvent[];
  /** What was on the queues, counted every minute. */
  readonly census: Census;
  /** Nothing went wrong but destinations and operators: stricter promises hold. */
  readonly isCalm: boolean;
  /** Everything came to rest before the time was up. */
  readonly settled: boolean;
}

const minute = 60_000;
const hour = 60 * minute;
/** Until then things go wrong; from then on they only go on. */
const chaosMs = 4 * hour;
const healthyMs = 6 * hour;
/** The longest schedule takes 75 hours; what is open long after that is stuck. */
const patienceMs = 132 * hour;
/** Events after which a run goes round in circles: several times what the longest of them needs. */
const runaway = 600_000;
/** Messages of one delivery that are an avalanche already: nobody has to see how it goes on. */
const avalanche = 100;
/** In peace one is enough; what still fails after three is broken. */
const redrivesAtMost = 3;
/** Plays one seed to its end: hours of traffic with everything going wrong, then peace, until all is at rest. */
export async function play(seed: number, sabotage: Sabotage = {}): Promise<Run> {
  const world = new World(seed);
  const startMs = world.now();
  const isCalm = world.chance(0.2);
  const settings = {
    retentionDays: world.pick([30, 30, 8]),
    deliveryTimeoutSeconds: world.pick([90, 30]),
    healthyFromMs: startMs + healthyMs,
    mayHang: !isCalm,
  };
  const relay = new SimulatedRelay(world, settings, isCalm ? calm : someChaos(world), sabotage);
  const director = new Director(relay, isCalm);
  director.configure();
  relay.start();
  director.setTraffic();
  director.census.start();
  director.setChanges();
  const broken = () =>
    relay.ledger.violations.length > 0 || world.happened > runaway || director.census.mostOfOneDelivery > avalanche;
  await world.run(startMs + chaosMs, broken);
  relay.chaos = calm;
  // Not at the moment of a sweep, which would do what a resume has forgotten.
  await world.run(startMs + healthyMs + minute, broken);
  await director.openAllGates();
  const settled = await director.runUntilSettled(startMs + patienceMs, broken);
  const { accepted, census } = director;
  return { seed, relay, accepted, census, isCalm, settled };
}

/** What happens to the relay from outside: providers, operators. */
class Director {
  readonly accepted: AcceptedEvent[] = [];
  readonly census: Census;
  private readonly store: MemorySubscriptionStore;
  private readonly redriven = new Map<string, number>();
  private subscriptions = 0;
  private posted = 0;

  constructor(
    private readonly relay: SimulatedRelay,
    private readonly isCalm: boolean,
  ) {
    this.census = new Census(relay);
    this.store = new MemorySubscriptionStore(relay.config, relay.settings.retentionDays);
  }

  configure(): void {
    const { world, config } = this.relay;
    for (const sourceId of ["one", "two"].slice(0, world.between(1, 2))) {
      const dedupe = { from: "header", name: "x-id" } as const;
      config.sources.set(sourceId, { record: aSourceRecord({ sourceId, dedupe }), secrets: {} });
      for (let count = world.between(0, 3); count > 0; count--) this.subscribe(sourceId);
    }
  }

  private subscribe(sourceId: string): void {
    const record = someSubscription(this.relay.world, `s${++this.subscriptions}`, sourceId);
    void this.store.createSubscription(record, { sec_1: secret });
  }

  setTraffic(): void {
    const { world } = this.relay;
    // One crowd in a run is enough: a second one takes most of the time that many runs take.
    let crowds = 0;
    for (let count = world.between(3, 25); count > 0; count--) {
      const isCrowd = world.chance(0.03) && crowds++ === 0;
      const burst = isCrowd ? world.between(20, 50) : world.chance(0.2) ? world.between(2, 8) : 1;
      world.after(world.between(0, 3 * hour), () => {
        for (let each = 0; each < burst; each++) void this.postUntilAccepted();
      });
    }
    if (this.isCalm || !world.chance(0.4)) return;
    world.after(world.between(0, 2 * hour), () => {
      this.relay.stalledUntilMs = world.now() + world.between(20, 120) * 60_000;
    });
  }

  /** A provider posts, and posts again when it got no 2xx; now and then once too often. */
  private async postUntilAccepted(): Promise<void> {
    const { relay } = this;
    const { world } = relay;
    const sourceId = world.pick([...relay.config.sources.keys()]);
    const id = `event-${++this.posted}`;
    const body = JSON.stringify({ id, filler: "x".repeat(world.pick([0, 0, 2_000])) });
    for (let tries = 0; tries < 20; tries++) {
      const headers = [["x-id", id]] as const;
      const request = { door: "in", sourceId, method: "POST", suffix: "", query: "", headers } as const;
      const eventId = await relay.accept({ ...request, body: Buffer.from(body) });
      if (eventId !== undefined) this.accepted.push({ eventId, sourceId, body, atMs: world.now() });
      if (eventId !== undefined && !world.chance(0.05)) return;
      await world.wait(30_000);
    }
  }

  /** Operators pause, resume, create and delete in the middle of it, and deploy a newer version. */
  setChanges(): void {
    const { relay } = this;
    const { world } = relay;
    for (let count = world.between(0, 6); count > 0; count--) {
      world.after(world.between(0, chaosMs), () => {
        const ids = [...relay.config.gates.keys()];
        const kind = world.pick(["pause", "pause", "resume", "create", "delete"] as const);
        if (kind === "create") return this.subscribe(world.pick([...relay.config.sources.keys()]));
        if (ids.length > 0) void this.change(kind, world.pick(ids));
      });
    }
    for (let count = world.between(0, 2); count > 0; count--) {
      world.after(world.between(0, chaosMs), () => relay.deploy());
    }
  }

  private async change(kind: "pause" | "resume" | "delete", subscriptionId: string): Promise<void> {
    const { world, queues } = this.relay;
    const found = await this.store.findSubscription(subscriptionId);
    if (found === null) return;
    if (kind === "delete") {
      await this.store.deleteSubscription(found.record, world.now());
      return;
    }
    const status = kind === "pause" ? "paused" : "active";
    if (found.gate.status === status) return;
    const moved = nextGeneration(found.gate, { status, statusReason: null }, world.now());
    const gate = kind === "pause" || this.relay.forgetsTicks ? moved : withTick(moved, world.now());
    if (!(await this.store.moveGate(found.gate, gate)) || kind === "pause") return;
    // The first tick of a release is lost now and then: the sweeper sees to it.
    if (this.isCalm || !world.chance(0.3)) await sendTick({ control: queues, now: world.now }, gate);
  }

  async openAllGates(): Promise<void> {
    for (const [subscriptionId, gate] of this.relay.config.gates) {
      if (gate.status !== "active" && gate.statusReason !== "deleted") await this.change("resume", subscriptionId);
    }
  }

  /** Goes on hour by hour; whatever became a fault is sent back once the trouble is over. */
  async runUntilSettled(untilMs: number, broken: () => boolean): Promise<boolean> {
    const { relay } = this;
    const { world } = relay;
    while (world.now() < untilMs && !broken()) {
      await world.run(world.now() + hour, broken);
      for (const { fault } of relay.faults.faults.values()) if (fault.redrivenAtMs === null) await this.redrive(fault);
      if (this.isAtRest()) return true;
    }
    return false;
  }

  private async redrive(fault: Parameters<typeof redriveFault>[1]): Promise<void> {
    const times = (this.redriven.get(fault.faultId) ?? 0) + 1;
    this.redriven.set(fault.faultId, times);
    if (times > redrivesAtMost) return;
    const { faults, deliveryQueue, controlQueue, world } = this.relay;
    const sendBack = async (queue: string, body: string) =>
      (queue === "control" ? controlQueue : deliveryQueue).send(body);
    await redriveFault({ faults, sendBack }, fault, world.now());
  }

  /** Nothing on any queue but the next tick of a gate that may wait for whom to probe with, and every delivery final. */
  private isAtRest(): boolean {
    const { deliveryQueue, slowQueue, faultQueue, scheduler, deliveries } = this.relay;
    const queues = [deliveryQueue, slowQueue, faultQueue];
    if (queues.some((queue) => queue.messages.size > 0) || scheduler.schedules.size > 0) return false;
    return this.census.strayTicks() === 0 && [...deliveries.deliveries.values()].every(isFinal);
  }
}

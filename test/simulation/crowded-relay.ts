import { MemoryConfig } from "../../functions/adapters/memory/memory-config.js";
import { MemoryContentStore } from "../../functions/adapters/memory/memory-content-store.js";
import { MemoryDeliveryTable } from "../../functions/adapters/memory/memory-delivery-table.js";
import { MemoryEventTable } from "../../functions/adapters/memory/memory-event-table.js";
import { MemoryGates } from "../../functions/adapters/memory/memory-gates.js";
import { MemoryQueue, type QueuedMessage } from "../../functions/adapters/memory/memory-queue.js";
import { MemoryQueues } from "../../functions/adapters/memory/memory-queues.js";
import { MemoryScheduler } from "../../functions/adapters/memory/memory-scheduler.js";
import { MemorySubscriptionConfigs } from "../../functions/adapters/memory/memory-subscription-configs.js";
import { MemorySubscriptionStore } from "../../functions/adapters/memory/memory-subscription-store.js";
import type { DeliveryContext } from "../../functions/app/delivery/delivery-context.js";
import { invocationTime } from "../../functions/app/delivery/invocation-time.js";
import { OutcomeMemory } from "../../functions/app/delivery/outcome-memory.js";
import { processBatch } from "../../functions/app/delivery/process-batch.js";
import type { Lane, OutboundRequest, SendResult } from "../../functions/app/ports.js";
import { packContent } from "../../functions/core/content.js";
import { anEvent } from "../support/builders.js";
import { aSourceRecord, aSubscriptionRecord } from "../support/config-records.js";
import { noMetrics } from "../support/memory-metrics.js";
import { FairQueue } from "./fair-queue.js";
import { calm, Environment } from "./function-host.js";
import { World } from "./world.js";

/** Slots of each lane, as deployed by default. */
export const slotsOf: Readonly<Record<Lane, number>> = { fast: 50, slow: 10 };
/** Lambda begins with five invocations at a time, and adds up to 300 a minute while there is more to do. */
const firstSlots = 5;
/** While every slot is busy, this is how often somebody receives: when the next slot is added. */
export const receiveCycleMs = 200;
const timeoutSeconds = 90;
/** How long a destination that hangs keeps its requests, and a healthy one. */
const hangsForMs = 60_000;
const answersInMs = 50;
const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=";

export interface CrowdedSettings {
  /** Events a second to a destination that hangs. */
  readonly hangingPerSecond: number;
  readonly healthyPerSecond: number;
  readonly seconds: number;
  /** Nobody notes who hangs: the relay as it would be without a slow lane. */
  readonly withoutSlowLane?: boolean;
}

/** What came of a run. */
export interface Crowd {
  /** From acceptance to the request of its first attempt, ms, by number of the healthy event; undefined: none yet. */
  readonly healthyWaitsMs: readonly (number | undefined)[];
  /** Most invocations on the fast lane that held a hanging request at the same time. */
  readonly mostHeld: number;
  /** Requests to the destination that hangs, by lane. */
  readonly hangingRequests: Readonly<Record<Lane, number>>;
}

/** Plays events to two destinations over both lanes, with the real use cases, in virtual time. */
export async function playCrowd(settings: CrowdedSettings): Promise<Crowd> {
  const relay = new CrowdedRelay(settings);
  await relay.run();
  return relay;
}

class CrowdedRelay implements Crowd {
  readonly healthyWaitsMs: (number | undefined)[] = [];
  mostHeld = 0;
  readonly hangingRequests = { fast: 0, slow: 0 };
  private readonly world = new World(1);
  private readonly startMs = this.world.now();
  private readonly config = new MemoryConfig(this.world.now);
  private readonly queues: MemoryQueues;
  private readonly shared;
  private readonly sentAtMs = new Map<string, { readonly number: number; readonly atMs: number }>();
  private readonly idle: Environment[] = [];
  private readonly contexts = new Map<Environment, DeliveryContext>();
  private readonly laneOf = new Map<Environment, Lane>();
  /** Environments of the fast lane that hold a hanging request. */
  private readonly held = new Set<Environment>();
  private tokens = 0;

  constructor(private readonly settings: CrowdedSettings) {
    const { now } = this.world;
    const aQueue = () => new FairQueue(now);
    this.queues = new MemoryQueues(aQueue(), new MemoryQueue({ now }), new MemoryQueue({ now }), aQueue());
    const kept = { now, retentionDays: 30 };
    this.shared = {
      events: new MemoryEventTable(kept),
      deliveries: new MemoryDeliveryTable(kept),
      contents: new MemoryContentStore(),
      scheduler: new MemoryScheduler(now, this.queues.delivery),
    };
  }

  async run(): Promise<void> {
    this.subscribe("hanging");
    this.subscribe("healthy");
    this.send("hanging", this.settings.hangingPerSecond);
    this.send("healthy", this.settings.healthyPerSecond);
    this.work("fast", this.queues.delivery);
    this.work("slow", this.queues.slow);
    await this.world.run(this.startMs + this.settings.seconds * 1000);
  }

  private subscribe(sourceId: string): void {
    this.config.sources.set(sourceId, { record: aSourceRecord({ sourceId }), secrets: {} });
    const record = aSubscriptionRecord({
      subscriptionId: `sub_${sourceId}`,
      sourceId,
      url: `https://${sourceId}.example/`,
      secrets: [{ id: "sec_1", createdAtMs: 0 }],
    });
    void new MemorySubscriptionStore(this.config, 30).createSubscription(record, { sec_1: secret });
  }

  /** Events come evenly; a healthy one is accounted for from the start. */
  private send(sourceId: string, perSecond: number): void {
    const packed = packContent({ headers: [], body: Buffer.from("{}") });
    for (let number = 0; number < perSecond * this.settings.seconds; number++) {
      this.world.after((number * 1000) / perSecond, () => {
        const eventId = `evt_${sourceId}${number}`;
        const event = anEvent(Buffer.from("{}"), { eventId, sourceId, receivedAtMs: this.world.now() });
        if (sourceId === "healthy") this.sentAtMs.set(eventId, { number, atMs: this.world.now() });
        if (sourceId === "healthy") this.healthyWaitsMs[number] = undefined;
        void this.queues.sendEvent({ v: 1, kind: "event", event, content: { at: "inline", packed } });
      });
    }
  }

  /** An event source: slots that receive, invoke and acknowledge, one more now and then while all are busy. */
  private work(lane: Lane, queue: MemoryQueue): void {
    const { world } = this;
    let [slots, busy] = [0, 0];
    const slot = async (): Promise<void> => {
      for (;;) {
        const messages = queue.receive();
        busy++;
        if (messages.length > 0) await this.invoke(lane, queue, messages);
        busy--;
        if (messages.length === 0) await world.wait(20);
      }
    };
    const grow = (): void => {
      if (slots < slotsOf[lane] && (slots < firstSlots || busy === slots)) {
        slots++;
        void slot();
      }
      world.after(slots < firstSlots ? 0 : receiveCycleMs, grow);
    };
    grow();
  }

  private async invoke(lane: Lane, queue: MemoryQueue, messages: readonly QueuedMessage[]): Promise<void> {
    const environment = this.idle.pop() ?? new Environment(this.world, () => calm);
    this.laneOf.set(environment, lane);
    const records = messages.map((message) => ({ ...message, lane }));
    const failed = await environment.invoke(timeoutSeconds, () =>
      processBatch(this.contextOf(environment), records, invocationTime(this.world.now(), timeoutSeconds * 1000)),
    );
    for (const { messageId, receiptHandle } of messages) {
      if (failed?.includes(messageId) === false) queue.delete(receiptHandle);
    }
    this.idle.push(environment);
  }

  private contextOf(environment: Environment): DeliveryContext {
    const known = this.contexts.get(environment);
    if (known !== undefined) return known;
    const { events, deliveries, contents, scheduler } = this.shared;
    const queues = environment.faulty(this.queues);
    const gates = new MemoryGates(this.config);
    if (this.settings.withoutSlowLane === true) gates.noteSlow = async () => {};
    const defaults = { policyPreset: "default", connectSeconds: 15, readSeconds: 60 };
    const context: DeliveryContext = {
      subscriptions: new MemorySubscriptionConfigs(this.config, defaults),
      gates,
      events: environment.faulty(events),
      deliveries: environment.faulty(deliveries),
      contents,
      queue: queues,
      control: queues,
      outcomes: new OutcomeMemory(),
      deadLetters: queues,
      faults: { sendFault: () => Promise.reject(new Error("nothing is a fault here")) },
      scheduler: environment.faulty(scheduler),
      sender: { send: (request) => this.request(environment, request) },
      now: this.world.now,
      after: environment.after,
      random: this.world.random,
      newToken: () => `token-${++this.tokens}`,
      log: () => {},
      metrics: noMetrics,
      settings: { retentionDays: 30, maxQueueDelaySeconds: 900 },
    };
    this.contexts.set(environment, context);
    return context;
  }

  private async request(environment: Environment, request: OutboundRequest): Promise<SendResult> {
    const startedAtMs = this.world.now();
    const answer = { startedAtMs, responseHeaders: [], timings: {}, preview: Buffer.alloc(0), previewCut: false };
    if (new URL(request.url).host === "healthy.example") {
      this.noteHealthy(request, startedAtMs);
      await this.world.wait(answersInMs);
      return { ...answer, statusCode: 200, error: null, durationMs: answersInMs };
    }
    const lane = this.laneOf.get(environment) ?? "fast";
    this.hangingRequests[lane]++;
    if (lane === "fast") this.held.add(environment);
    this.mostHeld = Math.max(this.mostHeld, this.held.size);
    await this.world.wait(hangsForMs);
    if (lane === "fast") this.held.delete(environment);
    return { ...answer, statusCode: null, error: "read_timeout", durationMs: hangsForMs };
  }

  private noteHealthy({ headers }: OutboundRequest, atMs: number): void {
    const eventId = headers.find(([name]) => name === "steadyhook-event-id")?.[1] ?? "";
    const sent = this.sentAtMs.get(eventId);
    if (sent !== undefined) this.healthyWaitsMs[sent.number] = atMs - sent.atMs;
  }
}

import { MemoryConfig } from "../../functions/adapters/memory/memory-config.js";
import { MemoryContentStore } from "../../functions/adapters/memory/memory-content-store.js";
import { MemoryDeliveryIndex } from "../../functions/adapters/memory/memory-delivery-index.js";
import { MemoryDeliveryTable } from "../../functions/adapters/memory/memory-delivery-table.js";
import { MemoryDueList } from "../../functions/adapters/memory/memory-due-list.js";
import { MemoryEventTable } from "../../functions/adapters/memory/memory-event-table.js";
import { MemoryFaultTable } from "../../functions/adapters/memory/memory-fault-table.js";
import { MemoryGates } from "../../functions/adapters/memory/memory-gates.js";
import { MemoryQueue, type QueuedMessage } from "../../functions/adapters/memory/memory-queue.js";
import { MemoryQueues } from "../../functions/adapters/memory/memory-queues.js";
import { MemoryReplayTable } from "../../functions/adapters/memory/memory-replay-table.js";
import { MemoryScheduler } from "../../functions/adapters/memory/memory-scheduler.js";
import { MemorySourceConfigs } from "../../functions/adapters/memory/memory-source-configs.js";
import { MemorySubscriptionConfigs } from "../../functions/adapters/memory/memory-subscription-configs.js";
import {
  type ControlContext,
  type ControlRecord,
  processControl,
} from "../../functions/app/control/process-control.js";
import { type RunSweepContext, runSweep } from "../../functions/app/control/run-sweep.js";
import type { DeliveryContext } from "../../functions/app/delivery/delivery-context.js";
import { invocationTime } from "../../functions/app/delivery/invocation-time.js";
import { OutcomeMemory } from "../../functions/app/delivery/outcome-memory.js";
import { processBatch } from "../../functions/app/delivery/process-batch.js";
import { acceptEvent, type IngressPorts } from "../../functions/app/ingress/accept-event.js";
import type { InboundRequest } from "../../functions/app/ingress/inbound-request.js";
import type { DueList, Lane, SubscriptionSettings } from "../../functions/app/ports.js";
import { noMetrics } from "../support/memory-metrics.js";
import { Destinations } from "./destinations.js";
import { type Chaos, Environment } from "./function-host.js";
import { GateHistory } from "./gate-history.js";
import { LaggingParkedList } from "./lagging-parked-list.js";
import { Ledger } from "./ledger.js";
import { NewerQueues, newerTable } from "./newer-version.js";
import { WakingQueue } from "./waking-queue.js";
import type { World } from "./world.js";

export interface RelaySettings {
  readonly retentionDays: number;
  readonly deliveryTimeoutSeconds: number;
  /** From then on every destination answers 200. */
  readonly healthyFromMs: number;
  /** Some destinations hang until then; whatever waits behind their requests waits with them. */
  readonly mayHang: boolean;
}

/** What is deployed, and what each environment was made from. */
interface Version {
  readonly isNewer: boolean;
  readonly deliveryTimeoutSeconds: number;
}

/** Replaces a part of the relay by a wrong one: the deliberate bugs. */
export type Sabotage = {
  readonly delivery?: (context: DeliveryContext, environment: Environment, gates: GateHistory) => DeliveryContext;
  readonly sweeper?: (
    context: ControlContext & RunSweepContext,
    gates: GateHistory,
  ) => ControlContext & RunSweepContext;
  readonly poller?: "ack_first" | "drop_failures";
  readonly noSweeps?: true;
  /** Whoever resumes a subscription sends no tick. */
  readonly forgetsTicks?: true;
  /** A tick before it is worked on, and the gate that it meets. */
  readonly tick?: (body: string, gates: GateHistory) => string;
};

const defaults = { policyPreset: "default", connectSeconds: 15, readSeconds: 60 };
const sweeperTimeoutSeconds = 60;

/** The whole relay in memory: the real use cases in environments that die, over queues and tables that misbehave. */
export class SimulatedRelay {
  readonly faultQueue: WakingQueue;
  readonly deliveryQueue: WakingQueue;
  readonly slowQueue: WakingQueue;
  readonly controlQueue: WakingQueue;
  readonly queues: MemoryQueues;
  readonly scheduler: MemoryScheduler;
  readonly ledger: Ledger;
  readonly deliveries: MemoryDeliveryTable;
  readonly events: MemoryEventTable;
  readonly contents = new MemoryContentStore();
  readonly config: WatchedConfig;
  readonly faults: MemoryFaultTable;
  readonly dueList: MemoryDueList;
  readonly replays = new MemoryReplayTable();
  readonly destinations: Destinations;
  chaos: Chaos;
  /** Until then nobody works on the delivery queue, nor on the slow lane: a backlog. */
  stalledUntilMs = 0;
  private environments = new Map<string, Environment[]>();
  private version: Version;
  private readonly versions = new WeakMap<Environment, Version>();
  private readonly contexts = new WeakMap<Environment, unknown>();
  private sweepUntilMs = 0;
  private tokens = 0;

  constructor(
    readonly world: World,
    readonly settings: RelaySettings,
    chaos: Chaos,
    private readonly sabotage: Sabotage = {},
  ) {
    const { now } = world;
    const kept = { now, retentionDays: settings.retentionDays };
    this.chaos = chaos;
    this.version = { isNewer: false, deliveryTimeoutSeconds: settings.deliveryTimeoutSeconds };
    this.faultQueue = new WakingQueue({ now });
    const work = () =>
      new WakingQueue({
        now,
        visibilitySeconds: settings.deliveryTimeoutSeconds * 6,
        redrive: { maxReceiveCount: 10, to: this.faultQueue },
      });
    this.deliveryQueue = work();
    this.slowQueue = work();
    this.controlQueue = work();
    this.queues = new MemoryQueues(this.deliveryQueue, new MemoryQueue({ now }), this.controlQueue, this.slowQueue);
    this.scheduler = new MemoryScheduler(now, this.queues.delivery);
    this.deliveries = new MemoryDeliveryTable(kept);
    this.ledger = new Ledger(world, this.deliveries);
    this.events = new MemoryEventTable(kept);
    this.config = new WatchedConfig(now);
    this.faults = new MemoryFaultTable();
    this.dueList = new MemoryDueList(this.deliveries, this.config.gates, this.replays.replays);
    this.destinations = new Destinations(world, settings.healthyFromMs, settings.mayHang);
  }

  /** Sets the event sources and the clock-driven parts going. */
  start(): void {
    const deliver = (lane: Lane) => (environment: Environment, messages: readonly QueuedMessage[]) =>
      this.deliver(environment, messages, lane);
    // Both lanes wake the same function: what one environment knows of a gate serves either.
    this.poll("delivery", this.deliveryQueue, 4, 10, deliver("fast"));
    this.poll("delivery", this.slowQueue, 2, 10, deliver("slow"));
    this.poll("control", this.controlQueue, 10, 1, (environment, messages) =>
      this.control(
        environment,
        messages.map(({ messageId, receiptHandle, receiveCount, body: sent }) => {
          const body = this.sabotage.tick?.(sent, this.config.gates) ?? sent;
          return { from: "control", messageId, body, receiptHandle, receiveCount };
        }),
      ),
    );
    this.poll("fault", this.faultQueue, 2, 1, (environment, messages) =>
      this.control(environment, messages.map(faultRecord)),
    );
    this.every(20_000, () => this.fireSchedules());
    if (this.sabotage.noSweeps !== true) this.every(5 * 60_000, () => void this.sweepOnce());
  }

  /** A provider's request; undefined when it got no answer. */
  async accept(request: InboundRequest): Promise<string | undefined> {
    const environment = this.environmentOf("ingress", 50);
    const accepted = await environment.invoke(10, async () => {
      try {
        return await acceptEvent(this.ingressContext(environment), request);
      } catch {
        return undefined;
      }
    });
    return accepted !== undefined && "eventId" in accepted ? accepted.eventId : undefined;
  }

  /**
   * A newer version is deployed: what runs, runs to its end with the old code and its caches, beside the new; whatever
   * the new code writes has a field that the old one does not know, and its function may have another timeout.
   */
  deploy(): void {
    this.environments = new Map();
    this.version = { isNewer: true, deliveryTimeoutSeconds: this.world.pick([90, 30]) };
  }

  private every(periodMs: number, run: () => void): void {
    this.world.after(periodMs, () => {
      run();
      this.every(periodMs, run);
    });
  }

  private fireSchedules(): void {
    if (this.scheduler.schedules.size === 0) return;
    for (const [name, { atMs }] of this.scheduler.schedules) {
      if (atMs <= this.world.now() && this.world.chance(this.chaos.loseSchedule)) this.scheduler.schedules.delete(name);
    }
    // Late by up to a minute or so.
    if (this.world.chance(0.7)) this.scheduler.fire();
  }

  private poll(
    name: string,
    queue: WakingQueue,
    concurrency: number,
    batchSize: number,
    work: (environment: Environment, messages: readonly QueuedMessage[]) => Promise<readonly string[] | undefined>,
  ): void {
    let running = 0;
    let nextLookMs = Number.POSITIVE_INFINITY;
    const look = (): void => {
      nextLookMs = Number.POSITIVE_INFINITY;
      const visibleAtMs = queue.nextVisibleAtMs();
      if (visibleAtMs === undefined) return;
      const readyAtMs = Math.max(visibleAtMs, this.isStalled(queue) ? this.stalledUntilMs : 0);
      if (running >= concurrency || readyAtMs > this.world.now()) {
        lookAt(readyAtMs);
        return;
      }
      const messages = this.receive(queue, this.world.between(1, batchSize));
      if (messages.length > 0) {
        running++;
        const environment = this.environmentOf(name, concurrency * 2);
        void this.invoke(environment, queue, messages, work).finally(() => {
          running--;
          lookAt(this.world.now());
        });
      }
      lookAt(queue.nextVisibleAtMs() ?? Number.POSITIVE_INFINITY);
    };
    const lookAt = (atMs: number): void => {
      const soonest = Math.max(atMs, this.world.now() + 100);
      if (soonest >= nextLookMs || atMs === Number.POSITIVE_INFINITY) return;
      nextLookMs = soonest;
      this.world.after(soonest - this.world.now(), () => {
        if (nextLookMs === soonest) look();
      });
    };
    queue.wake = lookAt;
    // What is moved here by another queue wakes nobody.
    this.every(60_000, look);
  }

  private receive(queue: MemoryQueue, most: number): readonly QueuedMessage[] {
    // No promise of order: now and then what was sent first comes last.
    const [first] = queue.messages;
    if (first !== undefined && this.world.chance(0.2)) {
      queue.messages.delete(first[0]);
      queue.messages.set(...first);
    }
    const messages = queue.receive(most);
    for (const message of messages) {
      if (!this.world.chance(this.chaos.duplicate)) continue;
      const stored = queue.messages.get(message.messageId);
      if (stored !== undefined) queue.messages.set(message.messageId, { ...stored, visibleAtMs: this.world.now() });
    }
    return messages;
  }

  private async invoke(
    environment: Environment,
    queue: MemoryQueue,
    messages: readonly QueuedMessage[],
    work: (environment: Environment, messages: readonly QueuedMessage[]) => Promise<readonly string[] | undefined>,
  ): Promise<void> {
    if (this.sabotage.poller === "ack_first") for (const { receiptHandle } of messages) queue.delete(receiptHandle);
    const failed = await work(environment, messages);
    if (failed === undefined) return;
    for (const { messageId, receiptHandle } of messages) {
      const kept = failed.includes(messageId) && this.sabotage.poller !== "drop_failures";
      if (!kept && !this.world.chance(this.chaos.loseAck)) queue.delete(receiptHandle);
    }
  }

  private isStalled(queue: WakingQueue): boolean {
    return queue === this.deliveryQueue || queue === this.slowQueue;
  }

  private deliver(environment: Environment, messages: readonly QueuedMessage[], lane: Lane) {
    return environment.invoke(this.versionOf(environment).deliveryTimeoutSeconds, () => {
      const time = invocationTime(environment.now(), environment.remainingMs());
      const records = messages.map((message) => ({ ...message, lane }));
      return processBatch(this.deliveryContext(environment), records, time);
    });
  }

  get forgetsTicks(): boolean {
    return this.sabotage.forgetsTicks === true;
  }

  private control(environment: Environment, records: readonly ControlRecord[]) {
    return environment.invoke(sweeperTimeoutSeconds, () => processControl(this.sweeperContext(environment), records));
  }

  private async sweepOnce(): Promise<void> {
    const environment = this.environmentOf("sweep", 4);
    await environment.invoke(sweeperTimeoutSeconds, async () => {
      try {
        await runSweep(this.sweeperContext(environment), environment.remainingMs());
      } catch {
        // The next one is in five minutes.
      }
    });
  }

  private environmentOf(name: string, most: number): Environment {
    const alive = (this.environments.get(name) ?? []).filter((each) => !each.isDead());
    const idle = alive.find((each) => !each.busy);
    const environment = idle ?? this.newEnvironment();
    if (idle === undefined) alive.push(environment);
    this.environments.set(name, alive.slice(-most));
    return environment;
  }

  private newEnvironment(): Environment {
    const environment = new Environment(this.world, () => this.chaos);
    this.versions.set(environment, this.version);
    return environment;
  }

  private versionOf(environment: Environment): Version {
    return this.versions.get(environment) ?? this.version;
  }

  private queuesOf(environment: Environment): MemoryQueues {
    return environment.faulty(this.versionOf(environment).isNewer ? new NewerQueues(this.queues) : this.queues);
  }

  private tableOf(environment: Environment): Ledger {
    return environment.faulty(this.versionOf(environment).isNewer ? newerTable(this.ledger) : this.ledger);
  }

  private contextOf<Context>(environment: Environment, make: () => Context): Context {
    const existing = this.contexts.get(environment) as Context | undefined;
    if (existing !== undefined) return existing;
    const context = make();
    this.contexts.set(environment, context as object);
    return context;
  }

  private ingressContext(environment: Environment): IngressPorts {
    return this.contextOf(environment, () => ({
      sources: environment.faulty(new MemorySourceConfigs(this.config)),
      queue: this.queuesOf(environment),
      contents: environment.faulty(this.contents),
      sns: () => Promise.reject(new Error("nobody asks SNS")),
      quarantine: () => Promise.reject(new Error("nobody is quarantined")),
      clock: environment.now,
      entropy: () => Buffer.from(Array.from({ length: 10 }, () => this.world.between(0, 255))),
    }));
  }

  private deliveryContext(environment: Environment): DeliveryContext {
    return this.contextOf(environment, () => {
      const queues = this.queuesOf(environment);
      const context: DeliveryContext = {
        subscriptions: environment.faulty(new MemorySubscriptionConfigs(this.config, defaults)),
        gates: environment.faulty(new MemoryGates(this.config)),
        events: environment.faulty(this.events),
        deliveries: this.tableOf(environment),
        contents: environment.faulty(this.contents),
        queue: queues,
        control: queues,
        outcomes: new OutcomeMemory(),
        deadLetters: queues,
        faults: environment.faulty({ sendFault: async (fault) => this.faultQueue.send(JSON.stringify(fault)) }),
        scheduler: environment.faulty(this.scheduler),
        sender: this.destinations.senderOf(environment),
        now: environment.now,
        after: environment.after,
        random: this.world.random,
        newToken: () => `token-${++this.tokens}`,
        log: () => {},
        metrics: noMetrics,
        settings: { retentionDays: this.settings.retentionDays, maxQueueDelaySeconds: 900 },
      };
      return this.sabotage.delivery?.(context, environment, this.config.gates) ?? context;
    });
  }

  private sweeperContext(environment: Environment): ControlContext & RunSweepContext {
    return this.contextOf(environment, () => {
      const queues = this.queuesOf(environment);
      const { dueList } = this;
      const faultyDueList: DueList = {
        due: (list, untilMs) => environment.faultyPages(dueList.due(list, untilMs)),
        postpone: environment.faulty(dueList).postpone,
      };
      const context: ControlContext & RunSweepContext = {
        gates: environment.faulty(new MemoryGates(this.config)),
        subscriptions: environment.faulty(settingsOf(new MemorySubscriptionConfigs(this.config, defaults))),
        deliveries: this.tableOf(environment),
        parked: environment.faulty(new LaggingParkedList(this.world, this.deliveries, () => this.chaos.indexLagMs)),
        dueList: faultyDueList,
        replays: environment.faulty(this.replays),
        deliveryIndex: new MemoryDeliveryIndex(this.deliveries),
        retentionDays: this.settings.retentionDays,
        parkedSample: { soonestToEnd: async () => [] },
        lease: environment.faulty({
          take: async (nowMs: number, untilMs: number) => {
            if (this.sweepUntilMs > nowMs) return false;
            this.sweepUntilMs = untilMs;
            return true;
          },
          release: async () => {
            this.sweepUntilMs = 0;
          },
        }),
        faults: environment.faulty(this.faults),
        control: queues,
        inbox: queues,
        queue: queues,
        scheduler: environment.faulty(this.scheduler),
        now: environment.now,
        random: this.world.random,
        log: () => {},
        metrics: noMetrics,
        settings: { maxQueueDelaySeconds: 900 },
      };
      return this.sabotage.sweeper?.(context, this.config.gates) ?? context;
    });
  }
}

/** What our own code sent is JSON of the fault; what the queue moved by itself is the message as it was. */
function faultRecord({ messageId, body }: QueuedMessage): ControlRecord {
  const own = JSON.parse(body) as { readonly cause?: string; readonly body?: string; readonly messageId?: string };
  if (own.cause === undefined || own.body === undefined) {
    return { from: "fault", messageId, fault: { queue: queueOf(body), messageId, cause: null, body } };
  }
  const { cause, body: text } = own;
  return {
    from: "fault",
    messageId,
    fault: { queue: "delivery", messageId: own.messageId ?? messageId, cause, body: text },
  };
}

const queueOf = (body: string): "control" | "delivery" => (body.includes('"kind":"tick"') ? "control" : "delivery");

/** What the sweeper's ticks go by. */
export const settingsOf = (configs: MemorySubscriptionConfigs): SubscriptionSettings => ({
  find: (sourceId, subscriptionId, options) => configs.open(sourceId, subscriptionId, options),
});

/** The configuration, with everything that its gates ever were. */
class WatchedConfig extends MemoryConfig {
  override readonly gates: GateHistory = new GateHistory(this.now);
}

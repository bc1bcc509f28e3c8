import { MemoryConfig } from "../../functions/adapters/memory/memory-config.js";
import { MemoryContentStore } from "../../functions/adapters/memory/memory-content-store.js";
import { MemoryDeliveryIndex } from "../../functions/adapters/memory/memory-delivery-index.js";
import { MemoryDeliveryTable } from "../../functions/adapters/memory/memory-delivery-table.js";
import { MemoryDueList } from "../../functions/adapters/memory/memory-due-list.js";
import { MemoryEventTable } from "../../functions/adapters/memory/memory-event-table.js";
import { MemoryFaultTable } from "../../functions/adapters/memory/memory-fault-table.js";
import { MemoryGates } from "../../functions/adapters/memory/memory-gates.js";
import { MemoryParkedList } from "../../functions/adapters/memory/memory-parked-list.js";
import { MemoryQueue, type QueuedMessage } from "../../functions/adapters/memory/memory-queue.js";
import { MemoryQueues } from "../../functions/adapters/memory/memory-queues.js";
import { MemoryReplayTable } from "../../functions/adapters/memory/memory-replay-table.js";
import { MemoryScheduler } from "../../functions/adapters/memory/memory-scheduler.js";
import { MemorySubscriptionConfigs } from "../../functions/adapters/memory/memory-subscription-configs.js";
import { MemorySubscriptionStore } from "../../functions/adapters/memory/memory-subscription-store.js";
import type { SubscriptionRecord } from "../../functions/app/admin/definitions.js";
import { type ControlContext, processControl } from "../../functions/app/control/process-control.js";
import { sweep } from "../../functions/app/control/sweep.js";
import type { DeliveryContext } from "../../functions/app/delivery/delivery-context.js";
import { invocationTime } from "../../functions/app/delivery/invocation-time.js";
import { OutcomeMemory } from "../../functions/app/delivery/outcome-memory.js";
import { processBatch } from "../../functions/app/delivery/process-batch.js";
import type { Lane, OutboundRequest, SendResult } from "../../functions/app/ports.js";
import { packContent } from "../../functions/core/content.js";
import type { EventMeta } from "../../functions/core/model.js";
import { anEvent } from "../support/builders.js";
import { aSourceRecord, aSubscriptionRecord } from "../support/config-records.js";
import { noMetrics } from "../support/memory-metrics.js";
import { EventSource } from "./event-source.js";
import { FairQueue } from "./fair-queue.js";
import { settingsOf } from "./relay.js";
import { secret } from "./some-settings.js";
import { World } from "./world.js";

/** Slots of each lane, and of the ticks, as deployed by default. */
export const slotsOf: Readonly<Record<Lane, number>> = { fast: 50, slow: 10 };
const tickSlots = 10;
const timeoutSeconds = 90;
/** How long a tick stays hidden whose function died, and from one sweep to the next: as deployed. */
const tickHiddenMs = 360_000;
const sweepEveryMs = 300_000;
export const retentionDays = 30;
export const defaults = { policyPreset: "default", connectSeconds: 15, readSeconds: 60 };
const body = Buffer.from("{}");
/** The content of every event. */
export const packed = packContent({ headers: [], body });

/** What a destination makes of a request. */
export interface Reply {
  readonly afterMs: number;
  readonly status?: number;
  readonly error?: NonNullable<SendResult["error"]>;
  readonly retryAfterSeconds?: number;
}

/** A request as its destination sees it. */
export interface CalmRequest {
  readonly host: string;
  readonly eventId: string;
  readonly attempt: number;
  readonly atMs: number;
  readonly lane: Lane;
}

export interface CalmOptions {
  readonly destination: (request: CalmRequest) => Reply;
  /** Parts of the relay that are to be different. */
  readonly changes?: (context: DeliveryContext) => Partial<DeliveryContext>;
  /** The same of what works on ticks: a port that never answers is a function that died. */
  readonly controlChanges?: (context: ControlContext) => Partial<ControlContext>;
  /** Somebody looks for what was lost: where nothing is, it would only cost. */
  readonly isSwept?: true;
  /** Called at the start of each request, and at its end with true. */
  readonly watch?: (environment: object, request: CalmRequest, isOver: boolean) => void;
}

/**
 * The relay's use cases over memory in which nothing of our own goes wrong and no call takes time, only destinations and
 * queues do: made for many events. A source has the name of its destination's host.
 */
export class CalmRelay {
  readonly world = new World(1);
  readonly startMs = this.world.now();
  readonly config = new MemoryConfig(this.world.now);
  readonly deliveries = new MemoryDeliveryTable({ now: this.world.now, retentionDays });
  readonly events = new MemoryEventTable({ now: this.world.now, retentionDays });
  readonly replays = new MemoryReplayTable();
  readonly deliveryIndex = new MemoryDeliveryIndex(this.deliveries);
  readonly queues: MemoryQueues;
  /** What the relay itself could not do: never anything. */
  readonly errors: string[] = [];
  private readonly fast = new FairQueue(this.world.now);
  private readonly slow = new FairQueue(this.world.now);
  private readonly control = new FairQueue(this.world.now);
  private readonly contents = new MemoryContentStore();
  private readonly scheduler: MemoryScheduler;
  private readonly idle: DeliveryContext[] = [];
  private readonly lanes = new WeakMap<DeliveryContext, Lane>();
  private accepted = 0;
  private tokens = 0;

  constructor(private readonly options: CalmOptions) {
    const { now } = this.world;
    this.queues = new MemoryQueues(this.fast, new MemoryQueue({ now }), this.control, this.slow);
    this.scheduler = new MemoryScheduler(now, this.fast);
    const [fast, slow] = [this.fast, this.slow];
    new EventSource(this.world, fast, slotsOf.fast, (messages) => this.invoke("fast", fast, messages));
    new EventSource(this.world, slow, slotsOf.slow, (messages) => this.invoke("slow", slow, messages));
    const ticks = this.controlContext();
    new EventSource(this.world, this.control, tickSlots, (messages) => this.tick(ticks, messages), 1);
    this.fireSchedules();
    if (options.isSwept) this.sweepNowAndThen(ticks);
  }

  /** Messages and schedules that are not done with. */
  get open(): number {
    return this.fast.size + this.slow.size + this.control.size + this.scheduler.schedules.size;
  }

  get deadLetters(): number {
    return this.queues.deadLetter.messages.size;
  }

  subscribe(host: string, given: Partial<SubscriptionRecord> = {}): void {
    this.config.sources.set(host, { record: aSourceRecord({ sourceId: host }), secrets: {} });
    const record = aSubscriptionRecord({
      subscriptionId: `sub_${host}`,
      sourceId: host,
      url: `https://${host}.example/`,
      secrets: [{ id: "sec_1", createdAtMs: 0 }],
      ...given,
    });
    void new MemorySubscriptionStore(this.config, retentionDays).createSubscription(record, { sec_1: secret });
  }

  newEvent(sourceId: string, receivedAtMs = this.world.now()): EventMeta {
    return anEvent(body, { eventId: `evt_${++this.accepted}`, sourceId, receivedAtMs });
  }

  /** Accepts one event now; its id. */
  accept(host: string): string {
    const event = this.newEvent(host);
    void this.queues.sendEvent({ v: 1, kind: "event", event, content: { at: "inline", packed } });
    return event.eventId;
  }

  private fireSchedules(): void {
    if (this.scheduler.schedules.size > 0) this.scheduler.fire();
    this.world.after(1_000, () => this.fireSchedules());
  }

  private async invoke(lane: Lane, queue: FairQueue, messages: readonly QueuedMessage[]): Promise<void> {
    const context = this.idle.pop() ?? this.deliveryContext();
    this.lanes.set(context, lane);
    const time = invocationTime(this.world.now(), timeoutSeconds * 1000);
    const failed = await processBatch(
      context,
      messages.map((message) => ({ ...message, lane })),
      time,
    );
    for (const { messageId, receiptHandle } of messages) if (!failed.includes(messageId)) queue.delete(receiptHandle);
    this.idle.push(context);
  }

  private async tick(context: ControlContext, messages: readonly QueuedMessage[]): Promise<void> {
    const { control, world } = this;
    const records = messages.map((message) => ({ ...message, from: "control" as const }));
    const failed = await Promise.race([processControl(context, records), world.wait(tickHiddenMs)]);
    for (const { messageId, receiptHandle } of messages) {
      if (failed === undefined) control.changeVisibility(receiptHandle, 0);
      else if (!failed.includes(messageId)) control.delete(receiptHandle);
    }
  }

  private sweepNowAndThen(context: ControlContext): void {
    const dueList = new MemoryDueList(this.deliveries, this.config.gates, this.replays.replays);
    this.world.after(sweepEveryMs, () => {
      void sweep({ ...context, dueList }, this.world.now() + sweepEveryMs);
      this.sweepNowAndThen(context);
    });
  }

  private controlContext(): ControlContext {
    const context: ControlContext = {
      ...this.deliveryContext(),
      subscriptions: settingsOf(new MemorySubscriptionConfigs(this.config, defaults)),
      deliveries: this.deliveries,
      parked: new MemoryParkedList(this.deliveries),
      replays: this.replays,
      deliveryIndex: this.deliveryIndex,
      retentionDays,
      faults: new MemoryFaultTable(),
      inbox: this.queues,
    };
    return { ...context, ...this.options.controlChanges?.(context) };
  }

  private deliveryContext(): DeliveryContext {
    const { world, queues } = this;
    const context: DeliveryContext = {
      subscriptions: new MemorySubscriptionConfigs(this.config, defaults),
      gates: new MemoryGates(this.config),
      events: this.events,
      deliveries: this.deliveries,
      contents: this.contents,
      queue: queues,
      control: queues,
      outcomes: new OutcomeMemory(),
      deadLetters: queues,
      faults: { sendFault: () => Promise.reject(new Error("nothing is a fault here")) },
      scheduler: this.scheduler,
      sender: { send: (request) => this.request(context, request) },
      now: world.now,
      after(afterMs, run) {
        let isOff = false;
        world.after(afterMs, () => {
          if (!isOff) run();
        });
        return () => {
          isOff = true;
        };
      },
      random: world.random,
      newToken: () => `token-${++this.tokens}`,
      log: (level, message, { error }) => {
        if (level === "error" && this.errors.length < 5) this.errors.push(`${message}: ${String(error)}`);
      },
      metrics: noMetrics,
      settings: { retentionDays, maxQueueDelaySeconds: 900 },
    };
    return Object.assign(context, this.options.changes?.(context) ?? {});
  }

  private async request(context: DeliveryContext, { url, headers }: OutboundRequest): Promise<SendResult> {
    const header = (name: string) => headers.find(([key]) => key === name)?.[1] ?? "";
    const [atMs, lane] = [this.world.now(), this.lanes.get(context) ?? "fast"];
    const [eventId, attempt] = [header("steadyhook-event-id"), Number(header("steadyhook-attempt"))];
    const request = { host: new URL(url).host.split(".")[0] ?? "", eventId, attempt, atMs, lane };
    const { afterMs, status, error, retryAfterSeconds } = this.options.destination(request);
    this.options.watch?.(context, request, false);
    await this.world.wait(afterMs);
    this.options.watch?.(context, request, true);
    return {
      statusCode: status ?? null,
      error: error ?? null,
      responseHeaders: retryAfterSeconds === undefined ? [] : [["retry-after", String(retryAfterSeconds)]],
      startedAtMs: atMs,
      durationMs: afterMs,
      timings: {},
      preview: Buffer.alloc(0),
      previewCut: false,
    };
  }
}

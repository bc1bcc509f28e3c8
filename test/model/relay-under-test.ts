import { MemoryDueList } from "../../functions/adapters/memory/memory-due-list.js";
import { MemoryParkedList } from "../../functions/adapters/memory/memory-parked-list.js";
import { sweep } from "../../functions/app/control/sweep.js";
import { processTick } from "../../functions/app/control/tick.js";
import type { DeliveryContext } from "../../functions/app/delivery/delivery-context.js";
import { invocationTime } from "../../functions/app/delivery/invocation-time.js";
import { processBatch } from "../../functions/app/delivery/process-batch.js";
import { decodeMessage, encodeMessage } from "../../functions/app/messages.js";
import type {
  DeliveryMessage,
  DeliveryTable,
  DueList,
  OutboundRequest,
  ParkedList,
  SendResult,
} from "../../functions/app/ports.js";
import { packContent } from "../../functions/core/content.js";
import { nextGeneration } from "../../functions/core/gate.js";
import { deliveryIdOf } from "../../functions/core/ids.js";
import type { Delivery, EventMeta } from "../../functions/core/model.js";
import { aPolicy, aSubscription } from "../support/builders.js";
import { memoryRelay } from "../support/memory-relay.js";
import { mortalContext, type Strike } from "../support/mortal-context.js";
import { delaysSeconds, maxAttempts } from "./delivery-model.js";

export const functionSeconds = 90;

/** A message in the queue. Receiving it hides nothing: SQS may hand it out again at any time. */
export interface QueuedMessage {
  readonly id: string;
  readonly body: string;
  /** Default 1. */
  readonly receiveCount?: number;
  /** Default: long ago. */
  readonly firstReceivedAtMs?: number;
}

/** A request that a destination holds, and the invocation behind it. */
interface Waiting {
  /** The message that the invocation works on. */
  readonly messageId: string;
  readonly answer: (result: SendResult) => void;
  /** Decides about the calls of the invocation from now on. */
  readonly strikeWith: (strike: Strike) => void;
  readonly end: Promise<void>;
}

/** Where deliveries are kept, and the lists that follow from it. */
export interface DeliveryStorage {
  readonly deliveries: DeliveryTable;
  readonly dueList: DueList;
  readonly parked: ParkedList;
}

/**
 * One delivery of the real delivery function, a step at a time: messages are received when a command says so, and each
 * request waits until a command answers it, or lets its function die.
 */
export class RelayUnderTest {
  readonly relay;
  readonly storage: DeliveryStorage;
  messages: QueuedMessage[] = [];
  readonly waiting: Waiting[] = [];
  /** Attempt numbers of all requests, in the order in which they went out. */
  readonly sent: number[] = [];
  private ids = 0;
  readonly context: DeliveryContext;

  constructor(
    readonly event: EventMeta,
    storage?: (now: () => number) => DeliveryStorage,
  ) {
    const policy = aPolicy({ schedule: { kind: "table", delaysSeconds }, maxAttempts, maxAgeSeconds: null });
    this.relay = memoryRelay({ subscriptions: [aSubscription({ policy })] });
    this.relay.clock.set(event.receivedAtMs);
    const { deliveries, gates } = this.relay;
    this.storage = storage?.(this.relay.clock.now) ?? {
      deliveries,
      dueList: new MemoryDueList(deliveries, gates),
      parked: new MemoryParkedList(deliveries),
    };
    this.context = {
      ...this.relay.context,
      deliveries: this.storage.deliveries,
      queue: { ...this.queue, returnAfter: async () => {} },
      scheduler: { scheduleDelivery: async (_name, message) => void this.enqueue(encodeMessage(message)) },
    };
  }

  get now(): number {
    return this.relay.clock.now();
  }

  /** What the fan-out leaves: a stored event, and the message of its delivery's first attempt. */
  async begin(): Promise<void> {
    const packed = packContent({ headers: [], body: Buffer.from("{}") });
    const content = { at: "inline", packed } as const;
    await this.relay.events.storeEvent({ event: this.event, content, subscriptionIds: ["sub_a"] });
    const { eventId, sourceId, receivedAtMs } = this.event;
    const ids = { deliveryId: this.deliveryId, eventId, sourceId, subscriptionId: "sub_a" };
    this.enqueue(encodeMessage({ v: 1, kind: "delivery", ...ids, attempt: 1, dueAtMs: receivedAtMs }));
  }

  get deliveryId(): string {
    return deliveryIdOf(this.event.eventId, "sub_a");
  }

  delivery(): Promise<Delivery | null> {
    return this.storage.deliveries.findDelivery(this.deliveryId);
  }

  message(id: string): DeliveryMessage {
    const found = this.messages.find((message) => message.id === id);
    if (found === undefined) throw new Error(`no message ${id}`);
    return decodeMessage(found.body) as DeliveryMessage;
  }

  /** Adds a message; the id is fresh. */
  enqueue(body: string): QueuedMessage {
    const message = { id: `message-${++this.ids}`, body };
    this.messages.push(message);
    return message;
  }

  /** Receives a message. Resolves when its invocation is over, has died, or waits for the destination. */
  async receive({ id, body }: QueuedMessage, strike: Strike = () => null): Promise<void> {
    let currentStrike = strike;
    const { sent, waiting } = this;
    let wait: () => void = () => {};
    const waits = new Promise<void>((resolve) => {
      wait = resolve;
    });
    const sender: DeliveryContext["sender"] = {
      send: (request) =>
        new Promise<SendResult>((answer) => {
          sent.push(attemptOf(request));
          waiting.push({ messageId: id, answer, strikeWith: (next) => (currentStrike = next), end });
          wait();
        }),
    };
    const { context, death } = mortalContext({ ...this.context, sender }, (call) => currentStrike(call));
    const time = invocationTime(this.now, functionSeconds * 1000);
    const record = { messageId: id, receiptHandle: id, receiveCount: 2, body };
    const end = Promise.race([processBatch(context, [record], time), death]).then((failed) => {
      if (failed !== "dead" && failed.length === 0) this.messages = this.messages.filter((each) => each.id !== id);
    });
    await Promise.race([end, waits]);
  }

  /** Lets the destination answer the request at `index`; resolves when its invocation is over or has died. */
  async answer(index: number, statusCode: number, strike: Strike = () => null): Promise<void> {
    const [request] = this.waiting.splice(index, 1);
    request?.strikeWith(strike);
    const result = { statusCode, error: null, responseHeaders: [], startedAtMs: this.now, durationMs: 0, timings: {} };
    request?.answer({ ...result, preview: Buffer.alloc(0), previewCut: false });
    await request?.end;
  }

  /** The function behind the request dies: nothing of it happens any more. */
  crash(index: number): void {
    this.waiting.splice(index, 1);
  }

  setGate(status: "active" | "paused"): void {
    const gate = this.relay.gates.get("sub_a");
    if (gate === undefined) throw new Error("no gate");
    this.relay.gates.set("sub_a", nextGeneration(gate, { status, statusReason: null }, this.now));
  }

  gateStatus() {
    return this.relay.gates.get("sub_a")?.status;
  }

  /** The first tick of a release. */
  async release(): Promise<void> {
    const { subscriptions } = this.relay.ticks;
    const generation = this.relay.gates.get("sub_a")?.generation ?? 0;
    const context = { ...this.context, subscriptions, parked: this.storage.parked };
    const asked = { v: 1, kind: "tick", subscriptionId: "sub_a", seq: null, generation } as const;
    await processTick(context, asked, `tick-${generation}`);
  }

  async sweep(): Promise<void> {
    const { gates, queue } = this.context;
    const { deliveries, dueList } = this.storage;
    const { now } = this.relay.clock;
    const { replays, queue: control } = this.relay;
    await sweep({ dueList, deliveries, gates, queue, control, replays, now }, this.now + 60_000);
  }

  private readonly queue = {
    sendDeliveries: async (messages: readonly DeliveryMessage[]): Promise<void> => {
      for (const message of messages) this.enqueue(encodeMessage(message));
    },
  };
}

const attemptOf = ({ headers }: OutboundRequest): number =>
  Number(headers.find(([name]) => name === "steadyhook-attempt")?.[1]);

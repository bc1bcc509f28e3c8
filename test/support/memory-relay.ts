import { MemoryContentStore } from "../../functions/adapters/memory/memory-content-store.js";
import { MemoryDeliveryTable } from "../../functions/adapters/memory/memory-delivery-table.js";
import { MemoryEventTable } from "../../functions/adapters/memory/memory-event-table.js";
import { MemoryQueue } from "../../functions/adapters/memory/memory-queue.js";
import { MemoryQueues } from "../../functions/adapters/memory/memory-queues.js";
import { MemoryScheduler } from "../../functions/adapters/memory/memory-scheduler.js";
import type { DeliveryContext } from "../../functions/app/delivery/delivery-context.js";
import { invocationTime } from "../../functions/app/delivery/invocation-time.js";
import { processBatch } from "../../functions/app/delivery/process-batch.js";
import type {
  DeadLetterMessage,
  FaultedMessage,
  Lane,
  OpenSubscription,
  OutboundRequest,
  SendResult,
} from "../../functions/app/ports.js";
import { packContent } from "../../functions/core/content.js";
import { isSlow, slowForMs } from "../../functions/core/gate.js";
import { deliveryIdOf } from "../../functions/core/ids.js";
import type { Delivery, EventMeta, Gate } from "../../functions/core/model.js";
import { aGate, anEvent } from "./builders.js";
import { seededRandom, virtualClock } from "./virtual-clock.js";

/** Seconds that the function may run, as deployed by default. */
const timeoutSeconds = 90;
const retentionDays = 30;

/** An answer of the destination: a status, a typed error, or none for a minute. */
export type Answer =
  | number
  | { readonly status: number; readonly headers?: SendResult["responseHeaders"] }
  | "reset"
  | "hangs";

/** The delivery function over memory and a virtual clock: what it would do on AWS, one invocation after the other. */
export function memoryRelay(options: { subscriptions: OpenSubscription[]; answers?: Answer[] }) {
  const clock = virtualClock();
  const { now } = clock;
  const aQueue = () => new MemoryQueue({ now });
  const queue = new MemoryQueues(aQueue(), aQueue(), aQueue(), aQueue());
  const scheduler = new MemoryScheduler(now, queue.delivery);
  const deliveries = new MemoryDeliveryTable({ now, retentionDays });
  const events = new MemoryEventTable({ now, retentionDays });
  const contents = new MemoryContentStore();
  const gates = new Map<string, Gate>();
  const subscriptions = new Map(options.subscriptions.map((each) => [each.subscriptionId, each]));
  for (const each of options.subscriptions) gates.set(each.subscriptionId, aGate(each));
  const requests: OutboundRequest[] = [];
  const faulted: FaultedMessage[] = [];
  const answers = [...(options.answers ?? [])];
  const logged: { message: string; fields: Record<string, unknown> }[] = [];
  const timers = new Set<() => void>();
  let tokens = 0;

  const context: DeliveryContext = {
    subscriptions: {
      ofSource: async (sourceId) => [...subscriptions.values()].filter((each) => each.sourceId === sourceId),
      open: async (_sourceId, id) => subscriptions.get(id) ?? null,
    },
    gates: {
      find: async (id) => gates.get(id) ?? null,
      disable: async (id, statusReason) => {
        const gate = gates.get(id) ?? aGate({ subscriptionId: id });
        if (gate.status === "active") gates.set(id, { ...gate, status: "disabled", statusReason });
      },
      noteParked: async (id) => {
        gates.set(id, { ...(gates.get(id) ?? aGate({ subscriptionId: id })), holdsParked: true });
      },
      noteSlow: async (id, nowMs) => {
        gates.set(id, { ...(gates.get(id) ?? aGate({ subscriptionId: id })), slowUntilMs: nowMs + slowForMs });
      },
      knownSlow: async (id) => isSlow(gates.get(id) ?? null, now()),
      clearParked: async (gate) => {
        const stored = gates.get(gate.subscriptionId);
        if (stored?.generation === gate.generation) gates.set(gate.subscriptionId, { ...stored, holdsParked: false });
      },
    },
    events,
    deliveries,
    contents,
    queue,
    faults: { sendFault: async (fault) => void faulted.push(fault) },
    deadLetters: queue,
    scheduler,
    sender: {
      send: async (request) => {
        requests.push(request);
        const answer = answers.shift() ?? 200;
        if (answer === "hangs") await aMinutePasses();
        return result(answer, clock.now());
      },
    },
    now: clock.now,
    after(_afterMs, run) {
      timers.add(run);
      return () => timers.delete(run);
    },
    random: seededRandom(1),
    newToken: () => `token-${++tokens}`,
    log: (_level, message, fields) => logged.push({ message, fields }),
    settings: { retentionDays, maxQueueDelaySeconds: 900 },
  };

  /** Whoever else is asked answers first; then only what hangs is open. */
  async function aMinutePasses(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve));
    clock.advance(60);
    for (const run of timers) run();
  }

  /** One invocation with what is visible on the fast lane, or else on the slow one. */
  async function invoke(): Promise<number> {
    scheduler.fire();
    return (await invokeWith("fast")) || (await invokeWith("slow"));
  }

  /** What was not reported as failed is deleted, as Lambda does. */
  async function invokeWith(lane: Lane): Promise<number> {
    const from = lane === "fast" ? queue.delivery : queue.slow;
    const received = from.receive();
    if (received.length === 0) return 0;
    const records = received.map((each) => ({ ...each, lane }));
    const failed = await processBatch(context, records, invocationTime(clock.now(), timeoutSeconds * 1000));
    for (const { messageId, receiptHandle } of received) {
      if (!failed.includes(messageId)) from.delete(receiptHandle);
    }
    return received.length;
  }

  /** Runs until nothing is left to do, moving the clock to whatever comes next. */
  async function runToEnd(): Promise<void> {
    for (let invocations = 0; invocations < 10_000; invocations++) {
      if ((await invoke()) > 0) continue;
      const visible = [queue.delivery, queue.slow].map((each) => each.nextVisibleAtMs() ?? Infinity);
      const next = Math.min(...visible, scheduler.nextAtMs() ?? Infinity);
      if (next === Infinity) return;
      clock.set(Math.max(next, clock.now()));
    }
    throw new Error("the relay never comes to rest");
  }

  async function accept(event: EventMeta = anEvent(), body: Buffer = Buffer.from("{}")): Promise<EventMeta> {
    const packed = packContent({ headers: [["content-type", "application/json"]], body });
    await queue.sendEvent({ v: 1, kind: "event", event, content: { at: "inline", packed } });
    return event;
  }

  function delivery(event: EventMeta = anEvent(), subscriptionId = "sub_a"): Delivery {
    const found = deliveries.deliveries.get(deliveryIdOf(event.eventId, subscriptionId));
    if (found === undefined) throw new Error(`no delivery of ${event.eventId} to ${subscriptionId}`);
    return found;
  }

  const deadLetters = (): readonly DeadLetterMessage[] =>
    [...queue.deadLetter.messages.values()].map(({ body }) => JSON.parse(body) as DeadLetterMessage);

  return {
    clock,
    queue,
    deadLetters,
    scheduler,
    deliveries,
    events,
    contents,
    gates,
    subscriptions,
    requests,
    faulted,
    answers,
    logged,
    context,
    invoke,
    invokeWith,
    runToEnd,
    accept,
    delivery,
  };
}

/** The function dies with every request that it sends; `revive` makes the relay well again. */
export function dyingDuringSends(relay: ReturnType<typeof memoryRelay>) {
  const original = relay.deliveries.replaceDelivery.bind(relay.deliveries);
  relay.deliveries.replaceDelivery = async (previous, next) => {
    if (previous?.status === "attempting") throw new Error("the function is gone");
    return original(previous, next);
  };
  return {
    revive() {
      relay.deliveries.replaceDelivery = original;
    },
  };
}

function result(answer: Answer, nowMs: number): SendResult {
  const base = { startedAtMs: nowMs, durationMs: 5, timings: {}, preview: Buffer.from("ok"), previewCut: false };
  if (answer === "hangs") return { ...base, statusCode: null, error: "read_timeout", responseHeaders: [] };
  if (answer === "reset") return { ...base, statusCode: null, error: "reset", responseHeaders: [] };
  const { status, headers = [] } = typeof answer === "number" ? { status: answer } : answer;
  return { ...base, statusCode: status, error: null, responseHeaders: headers };
}

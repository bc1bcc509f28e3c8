import { MemoryConfig } from "../../functions/adapters/memory/memory-config.js";
import { MemoryContentStore } from "../../functions/adapters/memory/memory-content-store.js";
import { MemoryDeliveryIndex } from "../../functions/adapters/memory/memory-delivery-index.js";
import { MemoryDeliveryTable } from "../../functions/adapters/memory/memory-delivery-table.js";
import { MemoryEventTable } from "../../functions/adapters/memory/memory-event-table.js";
import { MemoryGates } from "../../functions/adapters/memory/memory-gates.js";
import { MemoryParkedList } from "../../functions/adapters/memory/memory-parked-list.js";
import { MemoryQueue } from "../../functions/adapters/memory/memory-queue.js";
import { MemoryQueues } from "../../functions/adapters/memory/memory-queues.js";
import { MemoryReplayTable } from "../../functions/adapters/memory/memory-replay-table.js";
import { MemoryScheduler } from "../../functions/adapters/memory/memory-scheduler.js";
import { processReplayTick, type ReplayTickContext } from "../../functions/app/control/replay-tick.js";
import { processTick } from "../../functions/app/control/tick.js";
import type { TickContext } from "../../functions/app/control/tick-context.js";
import type { DeliveryContext } from "../../functions/app/delivery/delivery-context.js";
import { invocationTime } from "../../functions/app/delivery/invocation-time.js";
import { OutcomeMemory } from "../../functions/app/delivery/outcome-memory.js";
import { processBatch } from "../../functions/app/delivery/process-batch.js";
import { decodeControl } from "../../functions/app/messages.js";
import type {
  DeadLetterMessage,
  FaultedMessage,
  Gates,
  Lane,
  OpenSubscription,
  OutboundRequest,
  SendResult,
} from "../../functions/app/ports.js";
import { packContent } from "../../functions/core/content.js";
import { deliveryIdOf } from "../../functions/core/ids.js";
import type { Delivery, EventMeta } from "../../functions/core/model.js";
import { waitOnTheSpotMs } from "../../functions/core/rate.js";
import { aGate, anEvent } from "./builders.js";
import { memoryMetrics } from "./memory-metrics.js";
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
  const config = new MemoryConfig(now);
  const { gates } = config;
  const subscriptions = new Map(options.subscriptions.map((each) => [each.subscriptionId, each]));
  for (const each of options.subscriptions) {
    const { subscriptionId, sourceId } = each;
    gates.set(subscriptionId, aGate({ subscriptionId, sourceId }));
  }
  const requests: OutboundRequest[] = [];
  const faulted: FaultedMessage[] = [];
  const answers = [...(options.answers ?? [])];
  const logged: { message: string; fields: Record<string, unknown> }[] = [];
  const timers = new Set<() => void>();
  const metrics = memoryMetrics();
  let tokens = 0;

  const replays = new MemoryReplayTable();
  const context: DeliveryContext & Pick<ReplayTickContext, "replays" | "deliveries"> = {
    replays,
    subscriptions: {
      ofSource: async (sourceId) => [...subscriptions.values()].filter((each) => each.sourceId === sourceId),
      open: async (_sourceId, id) => subscriptions.get(id) ?? null,
    },
    gates: freshGates(config, (id) => subscriptions.get(id)?.sourceId),
    events,
    deliveries,
    contents,
    queue,
    faults: { sendFault: async (fault) => void faulted.push(fault) },
    deadLetters: queue,
    control: queue,
    outcomes: new OutcomeMemory(),
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
    after(afterMs, run) {
      // A wait for a slot: time passes. Others only watch a request, and run when it takes a minute.
      if (afterMs <= waitOnTheSpotMs) {
        clock.advance(afterMs / 1000);
        run();
        return () => {};
      }
      timers.add(run);
      return () => timers.delete(run);
    },
    random: seededRandom(1),
    newToken: () => `token-${++tokens}`,
    log: (_level, message, fields) => logged.push({ message, fields }),
    metrics,
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

  const ticks: TickContext & ReplayTickContext = {
    ...context,
    subscriptions: { find: async (_sourceId, id) => subscriptions.get(id) ?? null },
    parked: new MemoryParkedList(deliveries),
    deliveries,
    deliveryIndex: new MemoryDeliveryIndex(deliveries),
    retentionDays,
  };

  /** Works off what is visible on the control queue; how many ticks there were. */
  async function tick(): Promise<number> {
    const received = queue.control.receive();
    for (const { messageId, receiptHandle, body } of received) {
      const message = decodeControl(body);
      if (message.kind === "replay") await processReplayTick(ticks, message, messageId);
      else await processTick(ticks, message, messageId);
      queue.control.delete(receiptHandle);
    }
    return received.length;
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
      if ((await invoke()) > 0 || (await tick()) > 0) continue;
      const visible = [queue.delivery, queue.slow, queue.control].map((each) => each.nextVisibleAtMs() ?? Infinity);
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
    replays,
    gates,
    subscriptions,
    requests,
    faulted,
    answers,
    logged,
    metrics,
    context,
    invoke,
    invokeWith,
    tick,
    ticks,
    runToEnd,
    accept,
    delivery,
  };
}

/** Gates that are never stale: a test says what they are, and it is so at once. Each subscription has one. */
function freshGates(config: MemoryConfig, sourceOf: (subscriptionId: string) => string | undefined): Gates {
  const gates = new MemoryGates(config);
  const find = gates.find.bind(gates);
  gates.find = (subscriptionId) => {
    const sourceId = sourceOf(subscriptionId);
    if (sourceId !== undefined && !config.gates.has(subscriptionId)) {
      config.gates.set(subscriptionId, aGate({ subscriptionId, sourceId }));
    }
    return find(subscriptionId, { fresh: true });
  };
  return gates;
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

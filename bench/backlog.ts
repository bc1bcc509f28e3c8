import { SQSClient } from "@aws-sdk/client-sqs";
import { clientSettings } from "../local/engine-parts.js";
import { DeliveryInMemory } from "./delivery-in-memory.js";
import { startBenchDestination } from "./destination.js";
import { fillQueue } from "./fill-queue.js";
import { type Benchmark, number, type Table, text } from "./report.js";
import { type RunningRelay, startRunningRelay } from "./running-relay.js";
import { untilCounted } from "./until.js";

const inMemory = { quick: 1_000, full: 50_000 };
const onTheRelay = { quick: 200, full: 10_000 };
/** Messages that are made and drained together: texts that wait take memory too, and are not asked for. */
const chunk = 1_000;
const memoryEveryMs = 500;

const columns = [text("deliveries"), number("time : time of half", 2), number("seconds", 1), number("per second")];

/** The use case alone, destination and all stubbed at the ports: what grows faster than the backlog would show. */
export const backlogInMemory: Benchmark = {
  name: "backlog-in-memory",
  async measure(size) {
    const half = await drainInMemory(inMemory[size]);
    const whole = await drainInMemory(2 * inMemory[size]);
    return [
      {
        caption: "CPU seconds of the use case; memory is that of the tables in memory, which keep every delivery.",
        columns: [...columns, number("KB of heap per delivery", 1)],
        rows: [rowOf(inMemory[size], half, null), rowOf(2 * inMemory[size], whole, half)],
      },
    ];
  },
};

/** Events that lie in the queue already, on the local relay. */
export const backlogOnTheLocalRelay: Benchmark = {
  name: "backlog-local",
  async measure(size) {
    const relay = await startRunningRelay();
    try {
      await drainOnRelay(relay, "warm", 200);
      const half = await drainOnRelay(relay, "half", onTheRelay[size]);
      const whole = await drainOnRelay(relay, "whole", 2 * onTheRelay[size]);
      return [
        {
          caption: "From the first message sent to the last event delivered; memory is the process's highest.",
          columns: [...columns, number("memory, MB")],
          rows: [rowOf(onTheRelay[size], half, null), rowOf(2 * onTheRelay[size], whole, half)],
        },
      ];
    } finally {
      await relay.close();
    }
  },
};

interface Drained {
  readonly count: number;
  readonly seconds: number;
  /** In the unit of the table. */
  readonly memory: number;
}

function rowOf(count: number, { seconds, memory }: Drained, half: Drained | null): Table["rows"][0] {
  return [count.toLocaleString("en-US"), half === null ? "" : seconds / half.seconds, seconds, count / seconds, memory];
}

async function drainInMemory(count: number): Promise<Drained> {
  const nothing = { responseHeaders: [], timings: {}, preview: Buffer.alloc(0), previewCut: false };
  const relay = new DeliveryInMemory("https://destination.example/hooks", {
    send: async () => ({ statusCode: 200, error: null, startedAtMs: Date.now(), durationMs: 0, ...nothing }),
  });
  const heapBefore = heapBytes();
  let microseconds = 0;
  for (let at = 0; at < count; at += chunk) {
    const messages = relay.messages(Math.min(chunk, count - at), Buffer.from('{"hello":"world"}'));
    const before = process.cpuUsage();
    await relay.invokeAll(messages);
    const { user, system } = process.cpuUsage(before);
    microseconds += user + system;
  }
  if (relay.delivered !== count) throw new Error(`${relay.delivered} of ${count} were delivered`);
  return { count, seconds: microseconds / 1e6, memory: (heapBytes() - heapBefore) / 1024 / count };
}

function heapBytes(): number {
  globalThis.gc?.();
  return process.memoryUsage().heapUsed;
}

async function drainOnRelay(relay: RunningRelay, name: string, count: number): Promise<Drained> {
  let arrived = 0;
  const destination = await startBenchDestination(() => {
    arrived += 1;
    return 200;
  });
  const sourceId = `backlog-${name}`;
  await relay.source({ sourceId }, { url: destination.url });
  const sqs = new SQSClient(clientSettings(relay.awsUrl));
  const startMs = performance.now();
  let memory = 0;
  const look = setInterval(() => {
    memory = Math.max(memory, relay.memoryMb());
  }, memoryEveryMs);
  try {
    await Promise.all([fillQueue(sqs, sourceId, count), untilCounted(() => arrived, count)]);
  } finally {
    clearInterval(look);
  }
  const seconds = (performance.now() - startMs) / 1000;
  sqs.destroy();
  destination.close();
  return { count, seconds, memory };
}

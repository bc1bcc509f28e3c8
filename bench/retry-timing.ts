import { Agent } from "node:http";
import { setTimeout as wait } from "node:timers/promises";
import { type DeliveryView, isFinal } from "../test/support/relay.js";
import { startBenchDestination } from "./destination.js";
import { sendPlainly } from "./plain-client.js";
import { type Benchmark, number, type Table, text } from "./report.js";
import { type RunningRelay, startRunningRelay } from "./running-relay.js";
import { quantile } from "./stats.js";

const delays = [2, 3, 4, 5];
const retriesOfEachDelay = { quick: 10, full: 75 };
/** Between two events: the timing of retries is asked for, not how many fit. */
const pauseMs = 40;

/** How late second attempts start, by what the relay itself recorded. */
export const retryTiming: Benchmark = {
  name: "retry-timing",
  async measure(size) {
    const count = retriesOfEachDelay[size];
    const relay = await startRunningRelay();
    const destination = await startBenchDestination(({ headers }) =>
      headers["steadyhook-attempt"] === "1" ? 503 : 200,
    );
    try {
      const late = await Promise.all(delays.map((delay) => lateRetries(relay, destination.url, delay, count)));
      const rows = delays.map((delay, at) => rowOf(delay, late[at] ?? []));
      return [tableOf(rows, count)];
    } finally {
      destination.close();
      await relay.close();
    }
  },
};

/** Milliseconds by which each retry was late; negative: early. */
async function lateRetries(relay: RunningRelay, url: string, delaySeconds: number, count: number): Promise<number[]> {
  const sourceId = `retry-${delaySeconds}`;
  const policy = { schedule: { kind: "fixed", baseSeconds: delaySeconds }, jitter: 0 };
  await relay.source({ sourceId }, { url, policy, circuit: { failureThreshold: 1_000 } });
  const agent = new Agent({ keepAlive: true });
  const headers = [["content-type", "application/json"]] as const;
  const eventIds: string[] = [];
  for (let event = 0; event < count; event++) {
    const { text } = await sendPlainly(agent, { url: `${relay.url}/in/${sourceId}`, headers, body: Buffer.from("{}") });
    eventIds.push((JSON.parse(text) as { eventId: string }).eventId);
    await wait(pauseMs);
  }
  agent.destroy();
  const late: number[] = [];
  for (const eventId of eventIds) late.push(...(await relay.deliveries(eventId, isFinal)).map(latenessOf));
  return late;
}

/** From when the second attempt was due (the end of the first, and its delay) to when it started. */
function latenessOf({ attempts }: DeliveryView): number {
  const [first, second] = attempts as readonly (DeliveryView["attempts"][0] & { readonly durationMs: number })[];
  if (first === undefined || second === undefined) throw new Error("a delivery ended without a retry");
  const dueAtMs = Date.parse(first.startedAt) + first.durationMs + second.delaySeconds * 1000;
  return Date.parse(second.startedAt) - dueAtMs;
}

const rowOf = (delaySeconds: number, late: readonly number[]): Table["rows"][0] => [
  `${delaySeconds} s`,
  quantile(late, 0.5) / 1000 / delaySeconds,
  ...[0, 0.5, 0.99, 1].map((share) => quantile(late, share)),
];

function tableOf(rows: Table["rows"], count: number): Table {
  return {
    caption: `${count} second attempts of each delay, all four at the same time, jitter 0: how late they start.`,
    columns: [
      text("delay"),
      number("late : delay, p50", 2),
      number("earliest, ms"),
      number("p50, ms"),
      number("p99, ms"),
      number("latest, ms"),
    ],
    rows,
  };
}

import { Agent } from "node:http";
import { HttpSender } from "../functions/adapters/http/sender.js";
import type { OutboundRequest, Sender } from "../functions/app/ports.js";
import { startAnsweringProcess } from "./answering-process.js";
import { DeliveryAtPorts } from "./delivery-at-ports.js";
import { batchSize, eventMessages } from "./event-batches.js";
import { sendPlainly } from "./plain-client.js";
import { type Benchmark, number, text } from "./report.js";
import { median } from "./stats.js";

const rounds = { quick: 3, full: 15 };
const requestsPerRound = { quick: 200, full: 2_000 };
const bodyBytes = 1_024;

/** Requests per second of this process's CPU time: what else the machine does, and the destination, do not count. */
export const delivery: Benchmark = {
  name: "delivery",
  async measure(size) {
    const destination = await startAnsweringProcess();
    const sender = new HttpSender({ now: Date.now, allowLoopback: true });
    const agent = new Agent({ keepAlive: true, maxSockets: batchSize });
    try {
      const body = Buffer.from(JSON.stringify({ type: "invoice.paid", text: "x".repeat(bodyBytes - 37) }));
      const request = await requestOf(destination.url, body);
      const count = requestsPerRound[size];
      const sendAlone = () => sender.send({ ...request, deadlineMs: Date.now() + 60_000 });
      const answer = await sendAlone();
      const answering: Sender = { send: async () => ({ ...answer, startedAtMs: Date.now() }) };
      const ways = {
        "bare node:http": () => inBatches(count, () => sendPlainly(agent, request)),
        "HttpSender alone": () => inBatches(count, sendAlone),
        "use case, every adapter stubbed": deliveryOf(destination.url, body, answering, count),
        "use case with HttpSender": deliveryOf(destination.url, body, sender, count),
      };
      const speeds = await takingTurns(ways, rounds[size], count);
      const bare = speeds["bare node:http"] as number;
      return [
        {
          caption:
            `Requests of ${bodyBytes} bytes over kept connections, ${batchSize} at a time. Target for the use case: ≥ 0.6. ` +
            `Medians of ${rounds[size]} rounds of ${count}, the four taking turns.`,
          columns: [text("way"), number("ratio to bare", 2), number("requests per second of one core")],
          rows: Object.entries(speeds).map(([way, speed]) => [way, speed / bare, speed]),
        },
      ];
    } finally {
      agent.destroy();
      sender.close();
      destination.close();
    }
  },
};

/** What the use case sends for an event with this body: the others send just that. */
async function requestOf(url: string, body: Buffer): Promise<OutboundRequest> {
  let sent: OutboundRequest | undefined;
  const delivery = new DeliveryAtPorts(url, {
    async send(request) {
      sent = request;
      const nothing = { responseHeaders: [], timings: {}, preview: Buffer.alloc(0), previewCut: false };
      return { statusCode: 200, error: null, startedAtMs: Date.now(), durationMs: 0, ...nothing };
    },
  });
  await delivery.deliver(eventMessages(0, 1, body));
  if (sent === undefined) throw new Error("the use case sent nothing");
  return sent;
}

/** Messages are made before the clock runs. */
function deliveryOf(url: string, body: Buffer, sender: Sender, count: number): Way {
  const delivery = new DeliveryAtPorts(url, sender);
  return () => {
    const messages = eventMessages(0, count, body);
    return () => delivery.deliver(messages);
  };
}

type Way = () => () => Promise<void>;

function inBatches(count: number, send: () => Promise<unknown>): () => Promise<void> {
  return async () => {
    for (let sent = 0; sent < count; sent += batchSize) {
      await Promise.all(Array.from({ length: batchSize }, () => send()));
    }
  };
}

/** The median speed of each; a round before the first warms all of them up. */
async function takingTurns(
  ways: Readonly<Record<string, Way>>,
  times: number,
  count: number,
): Promise<Record<string, number>> {
  const speeds = Object.fromEntries(Object.keys(ways).map((name) => [name, [] as number[]]));
  for (let round = 0; round <= times; round++) {
    for (const [name, way] of Object.entries(ways)) {
      const run = way();
      const before = process.cpuUsage();
      await run();
      const { user, system } = process.cpuUsage(before);
      if (round > 0) speeds[name]?.push((count / (user + system)) * 1e6);
    }
  }
  return Object.fromEntries(Object.entries(speeds).map(([name, values]) => [name, median(values)]));
}

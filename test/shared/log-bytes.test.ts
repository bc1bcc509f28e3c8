import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { invocationTime } from "../../functions/app/delivery/invocation-time.js";
import { processBatch } from "../../functions/app/delivery/process-batch.js";
import { decodeMessage } from "../../functions/app/messages.js";
import type { EventMessage } from "../../functions/app/ports.js";
import { buildIngress } from "../../functions/ingress/ingress.js";
import { log } from "../../functions/shared/log.js";
import { InvocationMetrics } from "../../functions/shared/metrics.js";
import { aSubscription } from "../support/builders.js";
import { httpApiEvent } from "../support/http-api-event.js";
import { anOpenSource } from "../support/ingress-rig.js";
import { memoryRelay } from "../support/memory-relay.js";

/** Every byte that a function writes is paid for: what one event writes on its way is bounded. */
let written = 0;
const lines: string[] = [];

beforeEach(() => {
  written = 0;
  lines.length = 0;
  vi.spyOn(process.stdout, "write").mockImplementation((text) => {
    written += Buffer.byteLength(String(text));
    lines.push(String(text));
    return true;
  });
});
afterEach(() => {
  vi.restoreAllMocks();
});

const relayName = "SteadyhookProduction/Steadyhook";

/** Ids as long as they are in production. */
const sourceId = "src_01k9zq2n7v8x4c6m5t3p1r0s9w";
const subscription = aSubscription({ subscriptionId: "sub_01k9zq4t5m8r2w7x3y6p0nbc1d", sourceId });

async function accepted(count: number): Promise<EventMessage[]> {
  const messages: string[] = [];
  const metrics = new InvocationMetrics(relayName);
  const receive = buildIngress({
    sources: { find: async () => anOpenSource({ sourceId }) },
    queue: { sendEvent: async (message) => void messages.push(JSON.stringify(message)) },
    contents: { put: async () => {}, get: () => Promise.reject(new Error("not read")) },
    sns: () => Promise.reject(new Error("not asked")),
    quarantine: () => Promise.reject(new Error("not asked")),
    clock: Date.now,
    entropy: () => Buffer.from(Array.from({ length: 16 }, () => Math.floor(Math.random() * 256))),
    log,
    metrics,
  });
  for (let index = 0; index < count; index++) {
    await receive(httpApiEvent({ method: "POST", path: `/in/${sourceId}`, body: '{"hello":"world"}' }));
    metrics.flush(Date.now());
  }
  return messages.map((message) => JSON.parse(message));
}

async function delivered(events: readonly EventMessage[]): Promise<void> {
  const relay = memoryRelay({ subscriptions: [subscription] });
  const metrics = new InvocationMetrics(relayName);
  const { sender } = relay.context;
  const timings = { dnsMs: 101, connectMs: 102, tlsMs: 103, firstByteMs: 104 };
  const context = {
    ...relay.context,
    log,
    metrics,
    sender: {
      send: async (request: Parameters<typeof sender.send>[0]) => ({ ...(await sender.send(request)), timings }),
    },
  };
  for (const message of events) {
    await relay.accept(message.event, Buffer.from('{"hello":"world"}'));
  }
  const records = relay.queue.delivery.receive().map((each) => ({ ...each, lane: "fast" as const }));
  expect(records.map(({ body }) => decodeMessage(body).kind)).toEqual(events.map(() => "event"));
  expect(await processBatch(context, records, invocationTime(relay.clock.now(), 90_000))).toEqual([]);
  metrics.flush(Date.now());
}

it("an event that is delivered at once writes at most 1,200 bytes from its receipt to its delivery", async () => {
  await delivered(await accepted(1));
  expect(lines.map((line) => JSON.parse(line).message ?? "metrics")).toEqual(["metrics", "attempt", "metrics"]);
  expect(written).toBeLessThanOrEqual(1_200);
  expect(written).toBeGreaterThan(800);
});

it("in batches of ten that is at most 800 bytes an event: the numbers of a batch are one line", async () => {
  await delivered(await accepted(10));
  expect(lines).toHaveLength(10 + 10 + 1);
  expect(written / 10).toBeLessThanOrEqual(800);
});

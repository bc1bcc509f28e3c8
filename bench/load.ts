import { Agent } from "node:http";
import { setTimeout as wait } from "node:timers/promises";
import { startBenchDestination } from "./destination.js";
import { sendPlainly } from "./plain-client.js";
import type { RunningRelay } from "./running-relay.js";
import { untilCounted } from "./until.js";

/** Senders that each wait for an answer before they post again, or a steady rate whatever the answers take. */
export type LoadShape = { readonly seconds: number } & ({ readonly senders: number } | { readonly perSecond: number });

/** What a load came to. Times count from when an event was about to be posted. */
export interface Load {
  /** While senders posted. */
  readonly acceptedPerSecond: number;
  /** From the first post to the last delivery. */
  readonly deliveredPerSecond: number;
  /** Per second of the relay's CPU time; rough when it is only a few seconds. */
  readonly deliveredPerCpuSecond: number;
  readonly acceptedMs: readonly number[];
  readonly deliveredMs: readonly number[];
}

const sentAtHeader = "x-bench-sent-at";
const body = Buffer.from(JSON.stringify({ type: "invoice.paid", text: "x".repeat(980) }));
let sources = 0;

/** Posts to a source of its own whose subscription is a destination here; waits until all has arrived. */
export async function measureLoad(relay: RunningRelay, shape: LoadShape): Promise<Load> {
  const acceptedMs: number[] = [];
  const deliveredMs: number[] = [];
  const destination = await startBenchDestination(({ headers }) => {
    deliveredMs.push(nowMs() - Number(headers[sentAtHeader]));
    return 200;
  });
  const sourceId = `load-${process.pid}-${++sources}`;
  await relay.source({ sourceId }, { url: destination.url });
  const agent = new Agent({ keepAlive: true });
  const post = async (): Promise<void> => {
    const sentAtMs = nowMs();
    const headers = [
      ["content-type", "application/json"],
      [sentAtHeader, String(sentAtMs)],
    ] as const;
    const { status } = await sendPlainly(agent, { url: `${relay.url}/in/${sourceId}`, headers, body });
    if (status !== 202) throw new Error(`the relay answered ${status}`);
    acceptedMs.push(nowMs() - sentAtMs);
  };
  const cpuBefore = relay.cpuSeconds();
  const startMs = nowMs();
  await ("senders" in shape ? closedLoop(post, shape) : openLoop(post, shape));
  const postedMs = nowMs();
  await untilCounted(() => deliveredMs.length, acceptedMs.length);
  const endMs = nowMs();
  const deliveredPerCpuSecond = deliveredMs.length / (relay.cpuSeconds() - cpuBefore);
  agent.destroy();
  destination.close();
  return {
    acceptedPerSecond: (acceptedMs.length / (postedMs - startMs)) * 1000,
    deliveredPerSecond: (deliveredMs.length / (endMs - startMs)) * 1000,
    deliveredPerCpuSecond,
    acceptedMs,
    deliveredMs,
  };
}

const nowMs = (): number => performance.now();

async function closedLoop(post: () => Promise<void>, shape: { readonly senders: number; readonly seconds: number }) {
  const untilMs = nowMs() + shape.seconds * 1000;
  const sender = async (): Promise<void> => {
    while (nowMs() < untilMs) await post();
  };
  await Promise.all(Array.from({ length: shape.senders }, sender));
}

async function openLoop(post: () => Promise<void>, shape: { readonly perSecond: number; readonly seconds: number }) {
  const startMs = nowMs();
  const posts: Promise<void>[] = [];
  for (let sent = 0; sent < shape.perSecond * shape.seconds; sent++) {
    await wait(Math.max(0, startMs + (sent / shape.perSecond) * 1000 - nowMs()));
    posts.push(post());
  }
  await Promise.all(posts);
}

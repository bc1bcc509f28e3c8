import { MemoryDeliveryIndex } from "../../functions/adapters/memory/memory-delivery-index.js";
import { MemoryDeliveryTable } from "../../functions/adapters/memory/memory-delivery-table.js";
import { MemoryDueList } from "../../functions/adapters/memory/memory-due-list.js";
import { MemoryReplayTable } from "../../functions/adapters/memory/memory-replay-table.js";
import { processReplayTick, type ReplayTickContext } from "../../functions/app/control/replay-tick.js";
import type { DeliveryMessage, ReplayTickMessage } from "../../functions/app/ports.js";
import { newDelivery } from "../../functions/core/delivery.js";
import { deliveryIdOf, eventIdFromKey } from "../../functions/core/ids.js";
import type { Delivery, Gate } from "../../functions/core/model.js";
import { noCounts, type ReplayJob } from "../../functions/core/replay-job.js";
import { withNewReplayTicks } from "../../functions/core/replay-ticks.js";
import { aSubscription } from "./builders.js";
import { virtualClock } from "./virtual-clock.js";

/** When the originals of a rig were received. */
export const receivedAtMs = Date.UTC(2026, 0, 1, 12);
const retentionDays = 30;

/** Bulk replays over memory and a virtual clock; what is sent is kept, in the order in which it was. */
export function replayRig(wrap: <Port extends object>(port: Port) => Port = (port) => port) {
  const clock = virtualClock();
  clock.set(receivedAtMs + 3_600_000);
  const { now } = clock;
  const deliveries = new MemoryDeliveryTable({ now, retentionDays });
  const replays = new MemoryReplayTable();
  const sent: DeliveryMessage[] = [];
  const ticks: { readonly message: ReplayTickMessage; readonly delaySeconds: number }[] = [];
  const deleted = new Set<string>();
  const queue = {
    sendDeliveries: async (messages: readonly DeliveryMessage[]) => void sent.push(...messages),
    returnAfter: async () => {},
  };
  const control = {
    sendTick: async (message: ReplayTickMessage, delaySeconds: number) => void ticks.push({ message, delaySeconds }),
  } as ReplayTickContext["control"];
  const context: ReplayTickContext = {
    deliveries: wrap(deliveries),
    replays: wrap(replays),
    queue: wrap(queue),
    control: wrap(control),
    deliveryIndex: new MemoryDeliveryIndex(deliveries),
    subscriptions: {
      find: async (sourceId, subscriptionId) =>
        aSubscription({ sourceId, subscriptionId, deletedAtMs: deleted.has(subscriptionId) ? receivedAtMs : null }),
    },
    retentionDays,
    now,
    log: () => {},
  };
  return {
    clock,
    deliveries,
    replays,
    sent,
    ticks,
    deleted,
    context,
    dueList: new MemoryDueList(deliveries, new Map<string, Gate>(), replays.replays),
    /** Stores a job and gives the message of its first tick. */
    async begin(overrides: Partial<ReplayJob> = {}): Promise<ReplayTickMessage> {
      const job = withNewReplayTicks(aReplayJob(now(), overrides), now());
      await replays.createReplay(job);
      return { v: 1, kind: "replay", replayId: job.replayId, seq: job.tick.seq };
    },
    /** Works off ticks until none is left; gives how many messages each one sent. */
    async run(first: ReplayTickMessage): Promise<readonly number[]> {
      const pages: number[] = [];
      let message: ReplayTickMessage | undefined = first;
      while (message !== undefined) {
        const before = sent.length;
        await processReplayTick(context, message, `message-${message.seq}`);
        pages.push(sent.length - before);
        clock.advance(1);
        message = ticks.splice(0).at(-1)?.message;
      }
      return pages;
    },
    job(replayId = "rpl_a"): ReplayJob {
      const job = replays.replays.get(replayId);
      if (job === undefined) throw new Error(`no ${replayId}`);
      return job;
    },
    /** All replays of an original. */
    replaysOf: (original: Delivery): readonly Delivery[] =>
      [...deliveries.deliveries.values()].filter(({ replayOf }) => replayOf === original.deliveryId),
  };
}

export function aReplayJob(nowMs: number, overrides: Partial<ReplayJob> = {}): ReplayJob {
  return {
    replayId: "rpl_a",
    revision: 1,
    state: "running",
    failure: null,
    filter: {
      status: "dead_lettered",
      reason: null,
      subscriptionId: null,
      sourceId: null,
      sinceMs: null,
      untilMs: null,
      statusCode: null,
      error: null,
    },
    searched: null,
    target: null,
    includeReplayed: false,
    perSecond: 10,
    by: "local",
    reason: null,
    createdAtMs: nowMs,
    updatedAtMs: nowMs,
    endedAtMs: null,
    estimate: { matched: 0, toReplay: 0, atLeast: false },
    counts: noCounts,
    after: null,
    tick: { seq: 0, dueAtMs: null, by: null },
    ...overrides,
  };
}

/** The `number`th original: dead, exhausted, unless something else is said. */
export function anOriginal(number: number, overrides: Partial<Delivery> = {}): Delivery {
  const eventId = eventIdFromKey("demo", `key-${number}`);
  const subscriptionId = overrides.subscriptionId ?? "sub_a";
  const atMs = receivedAtMs + number * 1_000;
  const deliveryId = deliveryIdOf(eventId, subscriptionId);
  const origin = { deliveryId, eventId, sourceId: "demo", subscriptionId, bodySha256: "11".repeat(32) };
  return {
    ...newDelivery({ ...origin, receivedAtMs: atMs }, atMs),
    status: "dead_lettered",
    deadLetterReason: "exhausted",
    updatedAtMs: atMs + 500,
    ...overrides,
  };
}

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { processReplayTick, restartReplay } from "../../../functions/app/control/replay-tick.js";
import type { ReplayTickMessage } from "../../../functions/app/ports.js";
import { replayIdOf } from "../../../functions/core/ids.js";
import type { Delivery } from "../../../functions/core/model.js";
import { stoppedReplay, withNewReplayTicks } from "../../../functions/core/replay-ticks.js";
import { anOriginal, receivedAtMs, replayRig } from "../../support/replay-rig.js";
import { seededRandom } from "../../support/virtual-clock.js";

const dayMs = 86_400_000;
type Rig = ReturnType<typeof replayRig>;

async function store(rig: Rig, originals: readonly Delivery[]): Promise<void> {
  for (const each of originals) await rig.deliveries.replaceDelivery(null, each);
}

const originals = (count: number, overrides: Partial<Delivery> = {}) =>
  Array.from({ length: count }, (_value, number) => anOriginal(number, overrides));

describe("a bulk replay", () => {
  it("replays each original once, oldest first, a page a tick", async () => {
    const rig = replayRig();
    await store(rig, originals(25));
    expect(await rig.run(await rig.begin())).toEqual([10, 10, 5]);
    expect(rig.sent.map(({ deliveryId }) => deliveryId)).toEqual(
      originals(25).map(({ deliveryId }) => replayIdOf(deliveryId, "rpl_a")),
    );
    expect(rig.sent[0]).toMatchObject({ attempt: 1, stored: true, subscriptionId: "sub_a", sourceId: "demo" });
    expect(rig.job()).toMatchObject({ state: "done", counts: { scanned: 25, replayed: 25, skipped: {} } });
    const [first] = originals(1) as [Delivery];
    expect(rig.replaysOf(first)).toMatchObject([
      { status: "pending", attemptsStarted: 0, createdAtMs: receivedAtMs + 3_600_000, eventId: first.eventId },
    ]);
    expect(rig.deliveries.deliveries.get(first.deliveryId)?.replayedAs).toEqual([
      replayIdOf(first.deliveryId, "rpl_a"),
    ]);
  });

  it("asks for its next tick a second after the last one began", async () => {
    const rig = replayRig();
    await store(rig, originals(11));
    await processReplayTick(rig.context, await rig.begin(), "m");
    expect(rig.ticks).toMatchObject([{ message: { kind: "replay", replayId: "rpl_a", seq: 2 }, delaySeconds: 1 }]);
    // Much too early: it waits for the rest.
    rig.clock.advance(-5);
    await processReplayTick(rig.context, (rig.ticks[0] as Rig["ticks"][number]).message, "m2");
    expect(rig.sent).toHaveLength(10);
    expect(rig.ticks[1]).toMatchObject({ message: { seq: 2 }, delaySeconds: 6 });
  });

  it("sends all of it to the subscription that was named, under that one's source", async () => {
    const rig = replayRig();
    await store(rig, originals(2));
    await rig.run(await rig.begin({ target: { sourceId: "other", subscriptionId: "sub_b" } }));
    expect(rig.sent).toMatchObject([
      { sourceId: "other", subscriptionId: "sub_b" },
      { sourceId: "other", subscriptionId: "sub_b" },
    ]);
  });

  it("fails when that one is deleted", async () => {
    const rig = replayRig();
    await store(rig, originals(2));
    rig.deleted.add("sub_b");
    await rig.run(await rig.begin({ target: { sourceId: "other", subscriptionId: "sub_b" } }));
    expect(rig.job()).toMatchObject({ state: "failed", failure: "target_deleted", counts: { replayed: 0 } });
    expect(rig.sent).toEqual([]);
  });

  it.each<[string, Partial<Delivery>]>([
    ["cancelled", { deadLetterReason: "cancelled" }],
    ["subscription_deleted", { deadLetterReason: "subscription_deleted" }],
    ["target_deleted", { subscriptionId: "sub_gone" }],
    ["erased", { erasedAtMs: receivedAtMs }],
    ["expired", { receivedAtMs: receivedAtMs - 36 * dayMs }],
  ])("skips as %s, and counts it", async (reason, overrides) => {
    const rig = replayRig();
    rig.deleted.add("sub_gone");
    await store(rig, [anOriginal(1, overrides), anOriginal(2)]);
    await rig.run(await rig.begin());
    expect(rig.job().counts).toEqual({ scanned: 2, replayed: 1, skipped: { [reason]: 1 } });
  });

  it("skips what has been replayed, by whomever, unless it is told not to", async () => {
    const rig = replayRig();
    await store(rig, originals(3));
    await rig.run(await rig.begin());
    rig.clock.advance(60);
    await rig.run(await rig.begin({ replayId: "rpl_b" }));
    expect(rig.job("rpl_b").counts).toMatchObject({ replayed: 0, skipped: { already_replayed: 3 } });
    await rig.run(await rig.begin({ replayId: "rpl_c", includeReplayed: true }));
    expect(rig.job("rpl_c").counts).toMatchObject({ replayed: 3, skipped: {} });
  });

  it("takes a replay that was noted and never made for none", async () => {
    const rig = replayRig();
    await store(rig, originals(1));
    await rig.deliveries.noteReplay(anOriginal(0), "dlv_never_made");
    await rig.run(await rig.begin());
    expect(rig.job().counts.replayed).toBe(1);
  });

  it("leaves alone what ended after it began, and its own replays", async () => {
    const rig = replayRig();
    const later = { updatedAtMs: rig.clock.now() + 1 };
    await store(rig, [anOriginal(1), anOriginal(2), anOriginal(3, later)]);
    const message = await rig.begin({ includeReplayed: true, perSecond: 1 });
    await processReplayTick(rig.context, message, "m");
    const [replay] = rig.replaysOf(anOriginal(1)) as [Delivery];
    const died = { deadLetterReason: "exhausted", updatedAtMs: rig.clock.now() } as const;
    await rig.deliveries.replaceDelivery(replay, { ...replay, status: "dead_lettered", ...died });
    await rig.run((rig.ticks.splice(0)[0] as Rig["ticks"][number]).message);
    expect(rig.job()).toMatchObject({ state: "done", counts: { replayed: 2 } });
    expect([rig.replaysOf(replay), rig.replaysOf(anOriginal(3))]).toEqual([[], []]);
  });

  it("goes on in the next second where its filter takes few", async () => {
    const rig = replayRig();
    await store(rig, [...originals(900), anOriginal(900, { subscriptionId: "sub_b" })]);
    const message = await rig.begin({ filter: { ...aFilter, subscriptionId: "sub_b" } });
    expect(await rig.run(message)).toEqual([0, 0, 1]);
    expect(rig.job().counts).toEqual({ scanned: 901, replayed: 1, skipped: {} });
  });

  it("that is paused makes no page, goes on where it was, and one that is cancelled does not", async () => {
    const rig = replayRig();
    await store(rig, originals(30));
    await processReplayTick(rig.context, await rig.begin(), "m1");
    await change(rig, (job) => stoppedReplay(job, "paused", rig.clock.now()));
    rig.clock.advance(1);
    await processReplayTick(rig.context, (rig.ticks.splice(0)[0] as Rig["ticks"][number]).message, "m2");
    expect(rig.sent).toHaveLength(10);
    await change(rig, (job) => withNewReplayTicks(job, rig.clock.now()));
    await processReplayTick(rig.context, { v: 1, kind: "replay", replayId: "rpl_a", seq: rig.job().tick.seq }, "m3");
    expect(rig.sent).toHaveLength(20);
    await change(rig, (job) => stoppedReplay(job, "cancelled", rig.clock.now()));
    await rig.run((rig.ticks.splice(0)[0] as Rig["ticks"][number]).message);
    expect(rig.sent).toHaveLength(20);
    expect(rig.job()).toMatchObject({ state: "cancelled", counts: { replayed: 20 } });
  });

  it("that is cancelled while a page is made has that page's counts, and no next tick", async () => {
    const rig = replayRig();
    await store(rig, originals(30));
    const message = await rig.begin();
    const { queue } = rig.context;
    const sendDeliveries = queue.sendDeliveries.bind(queue);
    queue.sendDeliveries = async (...sent) => {
      await sendDeliveries(...sent);
      await change(rig, (job) => stoppedReplay(job, "cancelled", rig.clock.now()));
    };
    await processReplayTick(rig.context, message, "m");
    expect(rig.job()).toMatchObject({ state: "cancelled", counts: { replayed: 10 }, tick: { dueAtMs: null } });
    expect(rig.ticks).toEqual([]);
  });

  it("whose tick is lost is set going by the sweeper, once, and one that goes on is left alone", async () => {
    const rig = replayRig();
    await store(rig, originals(5));
    await rig.begin();
    expect(await restartReplay(rig.context, "rpl_a")).toBe(false);
    rig.clock.advance(600);
    const due = [];
    for await (const page of rig.dueList.due("overdue", rig.clock.now())) due.push(...page);
    expect(due).toMatchObject([{ kind: "replay", replayId: "rpl_a" }]);
    expect(await restartReplay(rig.context, "rpl_a")).toBe(true);
    expect(await restartReplay(rig.context, "rpl_a")).toBe(false);
    await rig.run((rig.ticks.splice(0)[0] as Rig["ticks"][number]).message);
    expect(rig.job()).toMatchObject({ state: "done", counts: { replayed: 5 } });
  });
});

const aFilter = {
  status: "dead_lettered" as const,
  reason: null,
  subscriptionId: null,
  sourceId: null,
  sinceMs: null,
  untilMs: null,
  statusCode: null,
  error: null,
};

async function change(rig: Rig, to: (job: ReturnType<Rig["job"]>) => ReturnType<Rig["job"]>): Promise<void> {
  const job = rig.job();
  await rig.replays.replaceReplay(job, { ...to(job), revision: job.revision + 1 });
}

/** Any original that a relay may hold, some of which a bulk replay must leave alone. */
const anyOriginal = fc.record({
  status: fc.constantFrom("dead_lettered", "dead_lettered", "delivered", "parked" as const),
  deadLetterReason: fc.constantFrom("exhausted", "permanent", "cancelled", "subscription_deleted" as const),
  erased: fc.boolean(),
  replayed: fc.boolean(),
  later: fc.boolean(),
});

describe("whatever breaks off, and however often its messages come", () => {
  it("each original that is to be replayed is replayed exactly once", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(anyOriginal, { maxLength: 40 }),
        fc.integer({ min: 1, max: 12 }),
        fc.integer(),
        async (kinds, perSecond, seed) => {
          const random = seededRandom(seed);
          const rig = replayRig((port) => dying(port, random));
          const wanted: Delivery[] = [];
          for (const [number, { erased, replayed, later, ...kind }] of kinds.entries()) {
            const isDead = kind.status === "dead_lettered";
            const original = anOriginal(number, {
              status: kind.status,
              deadLetterReason: isDead ? kind.deadLetterReason : null,
              parkedUntilMs: kind.status === "parked" ? receivedAtMs : null,
              ...(erased ? { erasedAtMs: receivedAtMs } : {}),
              ...(later ? { updatedAtMs: rig.clock.now() + 1_000 } : {}),
            });
            await rig.deliveries.replaceDelivery(null, original);
            if (replayed) await replayBefore(rig, original);
            const isWanted =
              isDead && !/cancelled|deleted/.test(kind.deadLetterReason) && !erased && !replayed && !later;
            if (isWanted) wanted.push(original);
          }
          await runThroughFaults(rig, await rig.begin({ perSecond }), random);
          for (const original of wanted) {
            expect(rig.replaysOf(original)).toHaveLength(1);
            const [replay] = rig.replaysOf(original) as [Delivery];
            expect(rig.sent.some(({ deliveryId }) => deliveryId === replay.deliveryId)).toBe(true);
          }
          const made = [...rig.deliveries.deliveries.values()].filter(({ deliveryId, replayOf }) => {
            return replayOf !== null && deliveryId === replayIdOf(replayOf, "rpl_a");
          });
          expect(made).toHaveLength(wanted.length);
          expect(rig.job()).toMatchObject({ state: "done", counts: { replayed: wanted.length } });
        },
      ),
      { numRuns: 150 },
    );
  });
});

async function replayBefore(rig: Rig, original: Delivery): Promise<void> {
  const deliveryId = `dlv_before_${original.deliveryId.slice(4)}`;
  await rig.deliveries.noteReplay(original, deliveryId);
  const replay = { ...original, deliveryId, replayOf: original.deliveryId, status: "delivered" as const };
  await rig.deliveries.replaceDelivery(null, { ...replay, deadLetterReason: null, parkedUntilMs: null });
}

/** A tick's function dies before or after any of its calls; its message comes again, and copies of old ones do. */
async function runThroughFaults(rig: Rig, first: ReplayTickMessage, random: () => number): Promise<void> {
  const messages = [{ message: first, id: "first" }];
  const done: typeof messages = [];
  for (let turns = 0; turns < 2_000 && rig.job().state === "running"; turns++) {
    const copy = random() < 0.1 ? done[Math.floor(random() * done.length)] : undefined;
    const next = copy ?? messages.shift();
    if (next === undefined) {
      // Every message is lost: the sweeper comes some minutes later.
      rig.clock.advance(400);
      await restartReplay(rig.context, "rpl_a").catch(() => {});
    } else {
      const completed = await processReplayTick(rig.context, next.message, next.id).then(
        () => true,
        () => false,
      );
      if (!completed && copy === undefined) messages.unshift(next);
      else done.push(next);
    }
    for (const { message } of rig.ticks.splice(0)) {
      if (random() > 0.05) messages.push({ message, id: `${message.seq}-${turns}` });
    }
    rig.clock.advance(1);
  }
}

/** Every call may fail, before it takes effect or after. */
function dying<Port extends object>(port: Port, random: () => number): Port {
  return new Proxy(port, {
    get(target, name) {
      const method = Reflect.get(target, name) as unknown;
      if (typeof method !== "function") return method;
      return async (...given: unknown[]) => {
        if (random() < 0.03) throw new Error("died before");
        const result = await method.apply(target, given);
        if (random() < 0.03) throw new Error("died after");
        return result;
      };
    },
  });
}

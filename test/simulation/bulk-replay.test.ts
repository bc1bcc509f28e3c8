import { beforeAll, describe, expect, it } from "vitest";
import type { DryRunView, ReplayView } from "../../functions/app/admin/view-schemas.js";
import type { ControlContext } from "../../functions/app/control/process-control.js";
import { atCall, ReplayScene } from "./bulk-replay.js";
import { receiveCycleMs } from "./event-source.js";
import { mostWithin } from "./outage.js";

const timeout = 120_000;
const perSecond = 90;

const distinct = ({ replayed }: ReplayScene): number => new Set(replayed.map(({ eventId }) => eventId)).size;

describe("a bulk replay of 20,000 dead letters, while new events come", () => {
  const count = 20_000;
  const seconds = Math.ceil(count / perSecond) + 10;
  let scene: ReplayScene;
  let alone: ReplayScene;
  let foreseen: DryRunView;
  let ended: ReplayView;
  /** The view that an operator had every ten seconds, and how many replays there were at that moment. */
  const looks: { readonly job: ReplayView; readonly made: number }[] = [];
  beforeAll(async () => {
    alone = await ReplayScene.of({ count: 0, perSecond });
    alone.sendFresh(seconds);
    await alone.relay.world.run(alone.relay.startMs + (seconds + 1) * 1000);

    scene = await ReplayScene.of({ count, perSecond });
    foreseen = await scene.dryRun();
    scene.sendFresh(seconds);
    const { replayId } = await scene.begin();
    for (let second = 10; second < seconds; second += 10) {
      await scene.relay.world.run(scene.relay.startMs + second * 1000);
      looks.push({ job: await scene.find(replayId), made: scene.made() });
    }
    ended = await scene.end(replayId);
  }, timeout);

  it("is foreseen exactly", () => {
    const expected = {
      matched: count,
      replay: count,
      atLeast: false,
      skipped: {},
      seconds: Math.ceil(count / perSecond),
    };
    expect(foreseen).toMatchObject(expected);
    expect(ended.estimate).toEqual({ matched: count, toReplay: count, atLeast: false });
  });

  it("replays each once, and leaves none out", () => {
    expect(scene.relay.errors).toEqual([]);
    expect(ended).toMatchObject({ state: "done", scanned: count, matched: count, replayed: count, skipped: {} });
    expect([scene.made(), scene.replayed.length, distinct(scene)]).toEqual([count, count, count]);
  });

  it("is never ahead of the pace that was asked for, nor behind it", () => {
    const times = scene.replayed.map(({ atMs }) => atMs - scene.relay.startMs);
    const ahead = times.filter((atMs, index) => atMs < Math.floor(index / perSecond) * 1000);
    expect(ahead).toEqual([]);
    expect(times.at(-1)).toBeLessThan(1.02 * (count / perSecond) * 1000);
    // While the first pages wait for slots, what one leaves over comes with the next.
    expect(mostWithin(1_000, times)).toBeLessThan(2 * perSecond);
    const withAllSlots = times.filter((atMs) => atMs > 5_000);
    expect(mostWithin(1_000, withAllSlots)).toBeLessThanOrEqual(perSecond);
    expect(scene.refused).toBe(0);
  });

  it("tells all along how far it is", () => {
    expect(looks.length).toBeGreaterThan(20);
    for (const [index, { job, made }] of looks.slice(0, -1).entries()) {
      const secondsLeft = Math.ceil((count - made) / perSecond);
      expect(job).toMatchObject({ state: "running", replayed: made, matched: made, scanned: made, secondsLeft });
      expect(made / ((index + 1) * 10 * perSecond)).toBeCloseTo(1, 1);
    }
  });

  it("makes first attempts of new events wait at most one receive cycle longer", () => {
    const [waits, without] = [scene.freshWaitsMs(), alone.freshWaitsMs()];
    const longer = waits.map((waitMs, index) => waitMs - (without[index] ?? 0));
    expect([waits.length, Math.max(...without)]).toEqual([10 * seconds, expect.any(Number)]);
    expect(Math.max(...longer)).toBeLessThanOrEqual(receiveCycleMs);
  });

  it("begun again, skips all of them", { timeout }, async () => {
    const { replayId } = await scene.begin();
    expect(await scene.end(replayId)).toMatchObject({
      state: "done",
      replayed: 0,
      skipped: { already_replayed: count },
    });
    expect(scene.replayed).toHaveLength(count);
  });
});

describe("a bulk replay of 2,000", () => {
  const count = 2_000;
  /** A write in the twelfth page. */
  const inTheMiddle = 1_000;

  it("is foreseen exactly, and its view says how long it takes", async () => {
    const scene = await ReplayScene.of({ count, perSecond });
    const { relay } = scene;
    const foreseen = {
      matched: count,
      replay: count,
      atLeast: false,
      skipped: {},
      seconds: Math.ceil(count / perSecond),
    };
    expect(await scene.dryRun()).toMatchObject(foreseen);
    const { replayId, estimate } = await scene.begin();
    expect(estimate).toEqual({ matched: count, toReplay: count, atLeast: false });
    await relay.world.run(relay.startMs + 10_000);
    const { replayed, secondsLeft } = await scene.find(replayId);
    expect([replayed, secondsLeft]).toEqual([scene.made(), Math.ceil((count - replayed) / perSecond)]);
    const { endedAt } = await scene.end(replayId);
    expect(Math.abs(Date.parse(endedAt ?? "") - relay.startMs - 10_000 - (secondsLeft ?? 0) * 1000)).toBeLessThan(
      2_000,
    );
    expect(await scene.dryRun()).toMatchObject({ matched: count, replay: 0, skipped: { already_replayed: count } });
  });

  it("is foreseen as far as there is time, and does not pretend to know what is left", async () => {
    const scene = await ReplayScene.of({ count, perSecond, readMs: 1_000 });
    const { world, startMs } = scene.relay;
    const looks = Promise.all([scene.dryRun(), scene.begin()]);
    await world.run(startMs + 20_000);
    const [foreseen, { estimate, secondsLeft }] = await looks;
    // A read of a hundred a second, for 15 s and the one under way.
    expect(foreseen).toMatchObject({ matched: 1_600, atLeast: true });
    expect([estimate, secondsLeft]).toEqual([{ matched: 1_600, toReplay: 1_600, atLeast: true }, null]);
  });

  /** A cancelled one has sent what it has made, and the next one sends the others. */
  async function expectTheRestByTheNext(scene: ReplayScene, cancelled: ReplayView): Promise<void> {
    const { state, replayed } = cancelled;
    expect([state, scene.made(), scene.replayed.length]).toEqual(["cancelled", replayed, replayed]);
    const { replayId } = await scene.begin();
    const { state: end, ...next } = await scene.end(replayId);
    expect(end).toBe("done");
    expect(next).toMatchObject({ replayed: count - replayed, skipped: { already_replayed: replayed } });
    expect([scene.made(), scene.replayed.length, distinct(scene)]).toEqual([count, count, count]);
  }

  it("that is cancelled between two pages begins nothing more, and leaves the others to the next", async () => {
    const scene = await ReplayScene.of({ count, perSecond });
    const { replayId } = await scene.begin();
    await scene.relay.world.run(scene.relay.startMs + 10_500);
    const made = scene.made();
    await scene.cancel(replayId);
    const cancelled = await scene.end(replayId);
    expect([made, cancelled.replayed]).toEqual([11 * perSecond, made]);
    await expectTheRestByTheNext(scene, cancelled);
  });

  it("that is cancelled within a page makes the rest of it, and leaves the others to the next", async () => {
    let made = 0;
    const scene: ReplayScene = await ReplayScene.of({
      count,
      perSecond,
      controlChanges: ({ deliveries }) => ({
        deliveries: atCall(deliveries, "replaceDelivery", inTheMiddle, async (call) => {
          made = scene.made();
          await scene.cancel(replayId);
          return call();
        }),
      }),
    });
    const { replayId } = await scene.begin();
    const cancelled = await scene.end(replayId);
    expect([made, cancelled.replayed]).toEqual([inTheMiddle - 1, 12 * perSecond]);
    await expectTheRestByTheNext(scene, cancelled);
  });

  const died = () => new Promise(() => {});
  const failed = () => Promise.reject(new Error("the table is throttled"));
  const breaks: readonly {
    readonly what: string;
    readonly broken: (context: ControlContext) => Partial<ControlContext>;
    /**
     * Longest that nothing is replayed. A queue hides what a dead function held for six minutes; the sweeper looks every
     * five for what is five late.
     */
    readonly standsForSeconds: number;
  }[] = [
    {
      what: "whose function dies within a page",
      broken: ({ deliveries }) => ({ deliveries: atCall(deliveries, "replaceDelivery", inTheMiddle, died) }),
      standsForSeconds: 360,
    },
    {
      what: "whose function dies between a page and the next tick",
      broken: ({ control }) => ({ control: atCall(control, "sendTick", 12, died) }),
      standsForSeconds: 360,
    },
    {
      what: "whose tick is lost",
      broken: ({ control }) => ({ control: atCall(control, "sendTick", 12, async () => {}) }),
      standsForSeconds: 600,
    },
    {
      what: "whose tick comes twice at the same time",
      broken: ({ control }) => ({ control: atCall(control, "sendTick", 12, (call) => call().then(call)) }),
      standsForSeconds: 0,
    },
    {
      what: "whose page fails half way",
      broken: ({ deliveries }) => ({ deliveries: atCall(deliveries, "replaceDelivery", inTheMiddle, failed) }),
      standsForSeconds: 30,
    },
    {
      what: "whose next tick could not be sent",
      broken: ({ control }) => ({ control: atCall(control, "sendTick", 12, failed) }),
      standsForSeconds: 30,
    },
  ];

  it.each(breaks)("$what goes on, and replays each once", async ({ broken, standsForSeconds }) => {
    const scene = await ReplayScene.of({ count, perSecond, controlChanges: broken });
    const { replayId } = await scene.begin();
    const { endedAt, ...job } = await scene.end(replayId);
    expect(job).toMatchObject({ state: "done", scanned: count, matched: count, replayed: count, skipped: {} });
    expect([scene.made(), scene.replayed.length, distinct(scene)]).toEqual([count, count, count]);
    const seconds = (Date.parse(endedAt ?? "") - scene.relay.startMs) / 1000;
    expect(seconds).toBeLessThan(standsForSeconds + 1.02 * (count / perSecond) + 1);
  });
});

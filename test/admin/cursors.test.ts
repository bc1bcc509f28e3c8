import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { newDelivery } from "../../functions/core/delivery.js";
import type { Delivery } from "../../functions/core/model.js";
import { type AdminRelay, startAdminRelay } from "../support/admin-relay.js";

/** What happens between two pages: so many new ones, and these of the old ones are changed or go. */
interface Disturbance {
  readonly inserts: number;
  readonly removes: readonly number[];
  readonly moves: readonly number[];
}

const disturbances = fc.array(
  fc.record({
    inserts: fc.nat({ max: 3 }),
    removes: fc.array(fc.nat({ max: 30 }), { maxLength: 3 }),
    moves: fc.array(fc.nat({ max: 30 }), { maxLength: 3 }),
  }),
  { maxLength: 12 },
);

interface Script {
  readonly start: number;
  readonly limit: number;
  readonly disturbances: readonly Disturbance[];
}

const scripts: fc.Arbitrary<Script> = fc.record({
  start: fc.integer({ min: 0, max: 14 }),
  limit: fc.integer({ min: 1, max: 4 }),
  disturbances,
});

/** A list under test; ids are whatever the list shows. */
interface World {
  readonly path: string;
  readonly query?: string;
  readonly idOf: (item: Record<string, unknown>) => string;
  insert(): Promise<string>;
  remove(id: string): Promise<void>;
  /** Changes an entry in a way that leaves it in the list. */
  move?(id: string): Promise<void>;
}

describe("cursors under writes", () => {
  let relay: AdminRelay;
  let runs = 0;

  beforeEach(async () => {
    relay = await startAdminRelay();
  });

  afterEach(() => relay.close());

  /** Reads the list page by page while it changes; what was in it all the time is seen once, nothing is seen twice. */
  async function neitherSkipsNorRepeats(world: World, script: Script): Promise<void> {
    const [alive, ever, gone] = [new Set<string>(), new Set<string>(), new Set<string>()];
    const add = async () => {
      const id = await world.insert();
      alive.add(id);
      ever.add(id);
    };
    for (let count = 0; count < script.start; count += 1) await add();
    const atStart = [...alive];
    const seen: string[] = [];
    const disturb = [...script.disturbances];
    let cursor: string | null = "";
    while (cursor !== null) {
      const query = [world.query, `limit=${script.limit}`, cursor === "" ? undefined : `cursor=${cursor}`];
      const page = await relay.call("GET", world.path, undefined, {
        query: query.filter((each) => each !== undefined).join("&"),
      });
      seen.push(...page.body.items.map(world.idOf));
      cursor = page.body.cursor;
      await apply(disturb.shift(), world, alive, gone, add);
    }
    const ofThisRun = seen.filter((id) => ever.has(id));
    expect(new Set(ofThisRun).size).toBe(ofThisRun.length);
    const stayed = atStart.filter((id) => !gone.has(id));
    expect(stayed.filter((id) => !ofThisRun.includes(id))).toEqual([]);
  }

  async function apply(
    disturbance: Disturbance | undefined,
    world: World,
    alive: Set<string>,
    gone: Set<string>,
    add: () => Promise<void>,
  ): Promise<void> {
    if (disturbance === undefined) return;
    for (let count = 0; count < disturbance.inserts; count += 1) await add();
    for (const index of disturbance.removes) {
      const id = [...alive][index];
      if (id === undefined) continue;
      await world.remove(id);
      alive.delete(id);
      gone.add(id);
    }
    for (const index of disturbance.moves) {
      const id = [...alive][index];
      if (id !== undefined) await world.move?.(id);
    }
  }

  const holds = (makeWorld: (run: number) => Promise<World>, numRuns = 6) =>
    fc.assert(
      fc.asyncProperty(scripts, async (script) => {
        runs += 1;
        await neitherSkipsNorRepeats(await makeWorld(runs), script);
      }),
      { numRuns },
    );

  test("sources", () =>
    holds(async (run) => {
      // Ids come in no order, as callers choose them.
      let count = 0;
      return {
        path: "/admin/sources",
        idOf: ({ sourceId }) => sourceId as string,
        async insert() {
          count += 1;
          const { body } = await relay.call("POST", "/admin/sources", { sourceId: `${(count * 7919) % 97}-${run}` });
          return body.sourceId as string;
        },
        async remove(id) {
          await relay.call("DELETE", `/admin/sources/${id}`);
        },
        async move(id) {
          await relay.call("PATCH", `/admin/sources/${id}`, { description: `changed ${runs}` });
        },
      };
    }));

  test("subscriptions of a source", () =>
    holds(async (run) => {
      await relay.call("POST", "/admin/sources", { sourceId: `of-${run}` });
      return {
        path: `/admin/sources/of-${run}/subscriptions`,
        idOf: ({ subscriptionId }) => subscriptionId as string,
        async insert() {
          relay.clock.nowMs += 1;
          const made = { url: "https://destination.example/", signing: "off" };
          const { body } = await relay.call("POST", `/admin/sources/of-${run}/subscriptions`, made);
          return body.subscriptionId as string;
        },
        async remove(id) {
          await relay.call("DELETE", `/admin/subscriptions/${id}`);
        },
        async move(id) {
          await relay.call("POST", `/admin/subscriptions/${id}/pause`, {});
        },
      };
    }));

  /** Deliveries in one state, to one or two subscriptions of a source; leaving the state takes one out of the list. */
  async function deliveries(run: number, status: Delivery["status"], listedBy: "source" | "all"): Promise<World> {
    const sourceId = `d-${run}`;
    await relay.call("POST", "/admin/sources", { sourceId });
    const subscriptionIds: string[] = [];
    for (const url of ["https://one.example/", "https://two.example/"]) {
      const { body } = await relay.call("POST", `/admin/sources/${sourceId}/subscriptions`, { url, signing: "off" });
      subscriptionIds.push(body.subscriptionId);
    }
    let count = 0;
    const change = async (id: string, changes: Partial<Delivery>) => {
      const stored = (await relay.context.deliveries.findDelivery(id)) as Delivery;
      const updatedAtMs = stored.updatedAtMs + 1_000;
      await relay.context.deliveries.replaceDelivery(stored, { ...stored, updatedAtMs, ...changes });
    };
    return {
      path: "/admin/deliveries",
      query: `${listedBy === "source" ? `sourceId=${sourceId}&` : ""}status=${status}`,
      idOf: ({ deliveryId }) => deliveryId as string,
      async insert() {
        count += 1;
        relay.clock.nowMs += count % 2;
        const origin = {
          deliveryId: `dlv_${run}_${(count * 7919) % 97}`,
          eventId: "evt_1",
          sourceId,
          subscriptionId: subscriptionIds[count % 2] as string,
          bodySha256: "00".repeat(32),
          receivedAtMs: relay.clock.nowMs,
        };
        const open = status === "retry_scheduled" ? { nextAttemptAtMs: relay.clock.nowMs + 1_000 * count } : {};
        const delivery = { ...newDelivery(origin, relay.clock.nowMs), status, ...open };
        expect(await relay.context.deliveries.replaceDelivery(null, delivery)).toBe(true);
        return origin.deliveryId;
      },
      remove: (id) => change(id, { status: status === "delivered" ? "parked" : "delivered", nextAttemptAtMs: null }),
      async move(id) {
        // One more attempt has failed: due later than everything else.
        if (status === "retry_scheduled") await change(id, { nextAttemptAtMs: relay.clock.nowMs + 3_600_000 });
      },
    };
  }

  test("deliveries of a source", () => holds((run) => deliveries(run, "delivered", "source")));

  test("dead letters over all", () => holds((run) => deliveries(run, "dead_lettered", "all")));

  test("retries over all, which move on while they are listed", () =>
    holds((run) => deliveries(run, "retry_scheduled", "all"), 3));
});

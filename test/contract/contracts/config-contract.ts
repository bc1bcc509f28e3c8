import { randomBytes } from "node:crypto";
import { beforeEach, describe, expect, it, vi } from "vitest";
import type { SubscriptionRecord } from "../../../functions/app/admin/definitions.js";
import type { SourceStore, SubscriptionStore } from "../../../functions/app/admin/ports.js";
import type { Gates, SourceConfigs, SubscriptionConfigs } from "../../../functions/app/ports.js";
import { aSourceRecord, aSubscriptionRecord } from "../../support/config-records.js";
import type { VirtualClock } from "../../support/virtual-clock.js";
import { aSubscriptionId } from "./some-deliveries.js";

export interface ConfigSubject {
  readonly sources: SourceStore;
  readonly subscriptions: SubscriptionStore;
  /** The read side, with empty caches. */
  readonly sourceConfigs: SourceConfigs;
  readonly subscriptionConfigs: SubscriptionConfigs;
  readonly gates: Gates;
  /** What the caches count their age by. */
  readonly clock: VirtualClock;
  /** The list of sources is eventually consistent. */
  readonly patienceMs: number;
}

const secrets = [{ id: "sec_1", createdAtMs: 1 }];
const daySeconds = 86_400;

/** What the admin API writes, and what ingress and delivery read of it. */
export function configContract(makeSubject: () => ConfigSubject): void {
  let subject: ConfigSubject;
  let sourceId: string;
  beforeEach(() => {
    subject = makeSubject();
    sourceId = `src-${randomBytes(6).toString("hex")}`;
  });
  const aSource = (given: Partial<ReturnType<typeof aSourceRecord>> = {}) => aSourceRecord({ sourceId, ...given });
  const aSubscription = (given: Partial<SubscriptionRecord> = {}) =>
    aSubscriptionRecord({
      sourceId,
      subscriptionId: aSubscriptionId(1_000),
      createdAtMs: subject.clock.now(),
      ...given,
    });
  /** A source with one subscription. */
  async function given(record = aSubscription(), secretValues = {}): Promise<SubscriptionRecord> {
    await subject.sources.createSource(aSource(), {});
    expect(await subject.subscriptions.createSubscription(record, secretValues)).toBe("created");
    return record;
  }

  describe("a source", () => {
    it("is created once, whoever else tries at the same moment", async () => {
      const rivals = ["a", "b", "c"].map((description) => aSource({ description }));
      const created = await Promise.all(rivals.map((rival) => subject.sources.createSource(rival, {})));
      expect(created.filter(Boolean)).toHaveLength(1);
      expect(await subject.sources.findSource(sourceId)).toEqual(rivals[created.indexOf(true)]);
    });

    it("is replaced by the version after the stored one only", async () => {
      await subject.sources.createSource(aSource(), {});
      const rivals = ["a", "b", "c"].map((description) => aSource({ version: 2, description }));
      const replaced = await Promise.all(rivals.map((rival) => subject.sources.replaceSource(rival, null)));
      expect(replaced.filter(Boolean)).toHaveLength(1);
      expect(await subject.sources.findSource(sourceId)).toEqual(rivals[replaced.indexOf(true)]);
      expect(await subject.sources.replaceSource(aSource({ version: 5 }), null)).toBe(false);
    });

    it("keeps its secrets when a replacement brings none, and has them opened", async () => {
      await subject.sources.createSource(aSource({ secrets }), { sec_1: "kept" });
      await subject.sources.replaceSource(aSource({ secrets, version: 2 }), null);
      expect((await subject.sources.openSource(sourceId))?.secretValues).toEqual([{ id: "sec_1", value: "kept" }]);
      await subject.sources.replaceSource(aSource({ secrets, version: 3 }), { sec_1: "new" });
      expect((await subject.sources.openSource(sourceId))?.secretValues).toEqual([{ id: "sec_1", value: "new" }]);
      await subject.sources.replaceSource(aSource({ version: 4 }), {});
      expect((await subject.sources.openSource(sourceId))?.secretValues).toEqual([]);
    });

    it("is deleted in the version that was read only", async () => {
      await subject.sources.createSource(aSource(), {});
      expect(await subject.sources.deleteSource(aSource({ version: 2 }))).toBe(false);
      expect(await subject.sources.deleteSource(aSource())).toBe(true);
      expect(await subject.sources.findSource(sourceId)).toBeNull();
      expect(await subject.sources.deleteSource(aSource())).toBe(false);
    });

    it("is listed by its id, page after page", async () => {
      const ids = ["a", "b", "c", "d", "e"].map((letter) => `${sourceId}-${letter}`);
      for (const each of ids.toReversed()) await subject.sources.createSource(aSource({ sourceId: each }), {});
      const eventually = { timeout: subject.patienceMs, interval: 20 };
      await vi.waitFor(async () => {
        const seen: string[] = [];
        let after: string | null = sourceId;
        do {
          const page = await subject.sources.listSources({ after, limit: 2 });
          seen.push(...page.items.map((source) => source.sourceId));
          after = page.after;
        } while (after?.startsWith(sourceId));
        expect(seen.filter((each) => each.startsWith(sourceId))).toEqual(ids);
      }, eventually);
    });
  });

  describe("a subscription", () => {
    it("is found with its gate and its secrets", async () => {
      const record = await given(aSubscription({ secrets, name: "orders" }), { sec_1: "whsec_x" });
      const gated = { record, gate: { status: "active", statusReason: null, generation: 1, sourceId } };
      expect(await subject.subscriptions.findSubscription(record.subscriptionId)).toMatchObject(gated);
      expect(await subject.subscriptions.findNamed(sourceId, "orders")).toMatchObject(gated);
      expect(await subject.subscriptions.openSecrets(record)).toEqual({ sec_1: "whsec_x" });
      expect(await subject.sources.hasSubscriptions(sourceId)).toBe(true);
    });

    it("needs its source", async () => {
      const record = aSubscription({ name: "orders" });
      expect(await subject.subscriptions.createSubscription(record, {})).toBe("source_missing");
      expect(await subject.subscriptions.findSubscription(record.subscriptionId)).toBeNull();
      await given(aSubscription({ name: "orders" }));
    });

    it("has its name for itself in its source, whoever else tries at the same moment", async () => {
      await subject.sources.createSource(aSource(), {});
      const rivals = [1, 2, 3].map(() => aSubscription({ name: "orders" }));
      const answers = await Promise.all(rivals.map((each) => subject.subscriptions.createSubscription(each, {})));
      expect(answers.toSorted()).toEqual(["created", "name_taken", "name_taken"]);
      const winner = rivals[answers.indexOf("created")];
      expect((await subject.subscriptions.findNamed(sourceId, "orders"))?.record).toEqual(winner);
    });

    it("takes a free name, gives its old one up, and gets no taken one", async () => {
      const first = await given(aSubscription({ name: "old" }));
      const renamed = { ...first, name: "new", version: 2 };
      expect(await subject.subscriptions.replaceSubscription(first, renamed, null)).toBe("replaced");
      const second = aSubscription({ name: "old" });
      expect(await subject.subscriptions.createSubscription(second, {})).toBe("created");
      const taken = { ...second, name: "new", version: 2 };
      expect(await subject.subscriptions.replaceSubscription(second, taken, null)).toBe("name_taken");
      expect((await subject.subscriptions.findNamed(sourceId, "new"))?.record).toEqual(renamed);
      expect((await subject.subscriptions.findNamed(sourceId, "old"))?.record).toEqual(second);
    });

    it("is replaced in the version that was read only", async () => {
      const first = await given(aSubscription({ secrets, name: "orders" }), { sec_1: "kept" });
      const rivals = ["https://a.example/", "https://b.example/"].map((url) => ({ ...first, url, version: 2 }));
      const answers = await Promise.all(
        rivals.map((rival) => subject.subscriptions.replaceSubscription(first, rival, null)),
      );
      expect(answers.toSorted()).toEqual(["changed", "replaced"]);
      expect(await subject.subscriptions.openSecrets(first)).toEqual({ sec_1: "kept" });
    });

    it("that is deleted leaves its id, a closed gate, and its name to others, until it is forgotten", async () => {
      const record = await given(aSubscription({ name: "orders", secrets }), { sec_1: "whsec_x" });
      const { subscriptionId } = record;
      const { clock, subscriptions } = subject;
      expect(await subscriptions.deleteSubscription({ ...record, version: 2 }, clock.now())).toBe(false);
      expect(await subscriptions.deleteSubscription(record, clock.now())).toBe(true);
      expect(await subscriptions.findSubscription(subscriptionId)).toBeNull();
      expect(await subject.sources.hasSubscriptions(sourceId)).toBe(false);
      expect(await subscriptions.subscriptionIds(sourceId, 10)).toEqual([subscriptionId]);
      expect(await subscriptions.createSubscription(aSubscription({ name: "orders" }), {})).toBe("created");
      const known = await subject.subscriptionConfigs.ofSource(sourceId, { fresh: true });
      expect(known.find((each) => each.subscriptionId === subscriptionId)).toMatchObject({
        subscriptionId,
        url: "",
        secrets: [],
        deletedAtMs: clock.now(),
      });
      expect(await subject.gates.find(subscriptionId)).toMatchObject({ status: "disabled", generation: 2 });
      clock.advance(37 * daySeconds + 1);
      expect(await subscriptions.subscriptionIds(sourceId, 10)).not.toContain(subscriptionId);
      expect(await subject.gates.find(subscriptionId, { fresh: true })).toBeNull();
    });

    it("is listed by its id, page after page, past the deleted ones", async () => {
      const records = ["1", "2", "3", "4", "5"].map((digit) =>
        aSubscription({ subscriptionId: `sub_${sourceId}_${digit}` }),
      );
      await subject.sources.createSource(aSource(), {});
      for (const record of records) await subject.subscriptions.createSubscription(record, {});
      await subject.subscriptions.deleteSubscription(records[1] as SubscriptionRecord, subject.clock.now());
      const first = await subject.subscriptions.listSubscriptions(sourceId, { after: null, limit: 2 });
      const rest = await subject.subscriptions.listSubscriptions(sourceId, { after: first.after, limit: 2 });
      expect(first.items.map(({ record }) => record)).toEqual([records[0], records[2]]);
      expect(rest.items.map(({ record }) => record)).toEqual([records[3], records[4]]);
      expect(rest.after).toBeNull();
    });
  });

  describe("a reader", () => {
    it("sees a source for 10 s as it read it, then as it is, and absence never longer than it lasts", async () => {
      const { sourceConfigs, clock } = subject;
      expect(await sourceConfigs.find(sourceId)).toBeNull();
      await subject.sources.createSource(aSource({ secrets }), { sec_1: "one" });
      const opened = { ...aSource({ secrets }), secretValues: [{ id: "sec_1", value: "one" }], verifyToken: null };
      expect(await sourceConfigs.find(sourceId)).toEqual(opened);
      await subject.sources.replaceSource(aSource({ version: 2 }), {});
      clock.advance(9.999);
      expect(await sourceConfigs.find(sourceId)).toEqual(opened);
      clock.advance(0.001);
      const changed = { ...aSource({ version: 2 }), secretValues: [], verifyToken: null };
      expect(await sourceConfigs.find(sourceId)).toEqual(changed);
    });

    it("sees a source's subscriptions for 10 s as it read them, unless it asks afresh", async () => {
      const { subscriptionConfigs, clock } = subject;
      const idsOf = async (options = {}) =>
        new Set((await subscriptionConfigs.ofSource(sourceId, options)).map(({ subscriptionId }) => subscriptionId));
      expect(await idsOf()).toEqual(new Set());
      const { subscriptionId } = await given();
      expect(await idsOf()).toEqual(new Set([subscriptionId]));
      const second = aSubscription();
      await subject.subscriptions.createSubscription(second, {});
      const both = new Set([subscriptionId, second.subscriptionId]);
      clock.advance(9.999);
      expect(await idsOf()).toEqual(new Set([subscriptionId]));
      clock.advance(0.001);
      expect(await idsOf()).toEqual(both);
      const third = aSubscription();
      await subject.subscriptions.createSubscription(third, {});
      expect(await idsOf()).toEqual(both);
      expect(await idsOf({ fresh: true })).toEqual(new Set([...both, third.subscriptionId]));
    });

    it("opens a subscription that is newer than what it remembers, complete with defaults and secrets", async () => {
      await given();
      await subject.subscriptionConfigs.ofSource(sourceId);
      const newer = aSubscription({ secrets });
      await subject.subscriptions.createSubscription(newer, { sec_1: "whsec_x" });
      const opened = await subject.subscriptionConfigs.open(sourceId, newer.subscriptionId);
      expect(opened).toMatchObject({
        subscriptionId: newer.subscriptionId,
        policy: { maxAttempts: 5, rules: "strict" },
        timeouts: { connectSeconds: 15, readSeconds: 60 },
        secretValues: [{ id: "sec_1", value: "whsec_x" }],
      });
      expect(await subject.subscriptionConfigs.open(sourceId, aSubscriptionId(1_000))).toBeNull();
    });

    it("opens a version that it is told of, whatever it remembers", async () => {
      const { subscriptions, subscriptionConfigs } = subject;
      const record = await given();
      const { subscriptionId } = record;
      const open = async (atLeastVersion?: number) => {
        const asked = atLeastVersion === undefined ? {} : { atLeastVersion };
        return (await subscriptionConfigs.open(sourceId, subscriptionId, asked))?.url;
      };
      expect(await open()).toBe(record.url);
      const url = "https://elsewhere.example/hook";
      await subscriptions.replaceSubscription(record, { ...record, url, version: 2 }, null);
      expect(await open()).toBe(record.url);
      expect(await open(1)).toBe(record.url);
      expect(await open(2)).toBe(url);
      // From then on it is what is remembered. One that is not there yet, or no more, is as it is.
      expect([await open(), await open(3)]).toEqual([url, url]);
    });

    it("opens live signing secrets only, also of what it remembers; its own headers; the key of its certificate", async () => {
      const { clock, subscriptionConfigs } = subject;
      const ending = { id: "sec_0", createdAtMs: 0, expiresAtMs: clock.now() + 5_000 };
      const headers = { "x-team": "billing", "x-api-key": { secret: true as const } };
      const record = await given(
        aSubscription({ secrets: [...secrets, ending], headers, tls: { certificate: "PEM", ca: "CA" } }),
        { sec_1: "whsec_x", sec_0: "whsec_y", "header:x-api-key": "hidden", "tls:key": "KEY" },
      );
      const open = () => subscriptionConfigs.open(sourceId, record.subscriptionId);
      expect(await open()).toMatchObject({
        headerValues: [
          ["x-team", "billing"],
          ["x-api-key", "hidden"],
        ],
        tls: { certificate: "PEM", ca: "CA" },
        tlsKey: "KEY",
      });
      const live = async () => (await open())?.secretValues.map(({ value }) => value);
      expect(await live()).toEqual(["whsec_x", "whsec_y"]);
      clock.advance(4.999);
      expect(await live()).toEqual(["whsec_x", "whsec_y"]);
      clock.advance(0.001);
      expect(await live()).toEqual(["whsec_x"]);
    });

    it("sees a gate for 1 s as it read it, unless it asks afresh", async () => {
      const { subscriptionId } = await given();
      const { gates, clock } = subject;
      const gate = await gates.find(subscriptionId);
      if (gate === null) throw new Error("there is no gate");
      const paused = { ...gate, status: "paused" as const, generation: 2, changedAtMs: clock.now() };
      await subject.subscriptions.moveGate(gate, paused);
      clock.advance(0.999);
      expect(await gates.find(subscriptionId)).toEqual(gate);
      clock.advance(0.001);
      expect(await gates.find(subscriptionId)).toEqual(paused);
      const resumed = { ...paused, status: "active" as const, generation: 3, changedAtMs: clock.now() };
      await subject.subscriptions.moveGate(paused, resumed);
      expect(await gates.find(subscriptionId)).toEqual(paused);
      expect(await gates.find(subscriptionId, { fresh: true })).toEqual(resumed);
    });
  });
}

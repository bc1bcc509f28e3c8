import { PutItemCommand } from "@aws-sdk/client-dynamodb";
import { marshall } from "@aws-sdk/util-dynamodb";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { sourceItem } from "../../../functions/adapters/aws/config-items.js";
import { TableSourceStore } from "../../../functions/adapters/aws/config-sources.js";
import { TableSubscriptionStore } from "../../../functions/adapters/aws/config-subscriptions.js";
import {
  CachedSourceConfigs,
  CachedSubscriptionConfigs,
  type ConfigReader,
} from "../../../functions/adapters/aws/config-table.js";
import { CachedGates } from "../../../functions/adapters/aws/gates.js";
import { UnknownItemVersionError } from "../../../functions/adapters/aws/item-version.js";
import { CachedSubscriptionSettings } from "../../../functions/adapters/aws/subscription-settings.js";
import { Vault } from "../../../functions/adapters/aws/vault.js";
import { aSourceRecord, aSubscriptionRecord } from "../../support/config-records.js";
import { startTable, type TestTable } from "../../support/dynalite.js";
import { memoryDataKeys } from "../../support/memory-data-keys.js";

const defaults = { policyPreset: "default", connectSeconds: 15, readSeconds: 60 };

describe("the cached configuration", () => {
  let table: TestTable;
  let nowMs: number;
  let reader: ConfigReader;
  let sources: TableSourceStore;
  let subscriptions: TableSubscriptionStore;

  beforeEach(async () => {
    table = await startTable();
    nowMs = 1_000_000;
    reader = {
      client: () => table.client,
      tableName: table.tableName,
      vault: new Vault(memoryDataKeys()),
      now: () => nowMs,
    };
    sources = new TableSourceStore(reader);
    subscriptions = new TableSubscriptionStore(reader, 30);
    await sources.createSource(aSourceRecord(), {});
  });

  afterEach(() => table.close());

  test("a source comes with its secrets opened, in their order", async () => {
    const secrets = [
      { id: "sec_2", createdAtMs: 2 },
      { id: "sec_1", createdAtMs: 1 },
    ];
    await sources.createSource(aSourceRecord({ sourceId: "github", secrets }), { sec_1: "old", sec_2: "new" });
    expect(await new CachedSourceConfigs(reader).find("github")).toEqual({
      ...aSourceRecord({ sourceId: "github", secrets }),
      verifyToken: null,
      secretValues: [
        { id: "sec_2", value: "new" },
        { id: "sec_1", value: "old" },
      ],
    });
  });

  test("a new source is found at once although it was asked for before", async () => {
    const configs = new CachedSourceConfigs(reader);
    expect(await configs.find("late")).toBeNull();
    await sources.createSource(aSourceRecord({ sourceId: "late" }), {});
    expect(await configs.find("late")).toMatchObject({ sourceId: "late" });
  });

  test("a changed source shows after 10 s at the latest", async () => {
    const configs = new CachedSourceConfigs(reader);
    await configs.find("src");
    await sources.replaceSource(aSourceRecord({ version: 2, description: "changed" }), null);
    expect((await configs.find("src"))?.description).toBeNull();
    nowMs += 10_000;
    expect((await configs.find("src"))?.description).toBe("changed");
  });

  test("an item of a later layout is refused, not misread", async () => {
    const item = marshall({ ...sourceItem(aSourceRecord({ sourceId: "later" }), null), v: 2 });
    await table.client.send(new PutItemCommand({ TableName: table.tableName, Item: item }));
    await expect(new CachedSourceConfigs(reader).find("later")).rejects.toThrow(UnknownItemVersionError);
  });

  test("all of a source's subscriptions are read, beyond one page, and no other source's", async () => {
    await sources.createSource(aSourceRecord({ sourceId: "src2" }), {});
    await subscriptions.createSubscription(aSubscriptionRecord({ sourceId: "src2", subscriptionId: "sub_other" }), {});
    const description = "x".repeat(60_000);
    const ids = Array.from({ length: 20 }, (_, index) => `sub_${String(index).padStart(2, "0")}`);
    for (const subscriptionId of ids) {
      await subscriptions.createSubscription(aSubscriptionRecord({ subscriptionId, description }), {});
    }
    const read = await new CachedSubscriptionConfigs(reader, defaults).ofSource("src");
    expect(read.map(({ subscriptionId }) => subscriptionId)).toEqual(ids);
  });

  test("the first subscription of a source is seen at once", async () => {
    const configs = new CachedSubscriptionConfigs(reader, defaults);
    expect(await configs.ofSource("src")).toEqual([]);
    await subscriptions.createSubscription(aSubscriptionRecord(), {});
    expect(await configs.ofSource("src")).toHaveLength(1);
  });

  test("a further subscription is seen by a fresh read at once, by others within 10 s", async () => {
    const configs = new CachedSubscriptionConfigs(reader, defaults);
    await subscriptions.createSubscription(aSubscriptionRecord(), {});
    await configs.ofSource("src");
    await subscriptions.createSubscription(aSubscriptionRecord({ subscriptionId: "sub_2" }), {});
    expect(await configs.ofSource("src")).toHaveLength(1);
    expect(await configs.ofSource("src", { fresh: true })).toHaveLength(2);
    expect(await configs.ofSource("src")).toHaveLength(2);
  });

  test("a policy is completed at the read, so that a raised system default takes effect", async () => {
    await subscriptions.createSubscription(aSubscriptionRecord({ policy: { jitter: 0 } }), {});
    const raised = { ...defaults, maxAttempts: 42, readSeconds: 90 };
    const [subscription] = await new CachedSubscriptionConfigs(reader, raised).ofSource("src");
    expect(subscription).toMatchObject({
      policy: { jitter: 0, maxAttempts: 42, schedule: { kind: "exponential", baseSeconds: 30 } },
      timeouts: { connectSeconds: 15, readSeconds: 90 },
      circuit: {
        failureThreshold: 5,
        failureRate: null,
        minimumAttempts: 20,
        cooldownSeconds: 15,
        maxCooldownSeconds: 900,
      },
    });
  });

  test("a subscription that the memory does not hold yet is opened all the same", async () => {
    const configs = new CachedSubscriptionConfigs(reader, defaults);
    await subscriptions.createSubscription(aSubscriptionRecord({ subscriptionId: "sub_0" }), {});
    await configs.ofSource("src");
    const secrets = [{ id: "sec_1", createdAtMs: 1 }];
    await subscriptions.createSubscription(aSubscriptionRecord({ secrets }), { sec_1: "whsec_x" });
    expect(await configs.open("src", "sub_1")).toMatchObject({ secretValues: [{ id: "sec_1", value: "whsec_x" }] });
    expect(await configs.open("src", "sub_unknown")).toBeNull();
  });

  test("settings are as old as they may be, but of the version that is known to be there", async () => {
    await subscriptions.createSubscription(aSubscriptionRecord(), {});
    const settings = new CachedSubscriptionSettings(reader, defaults);
    const rate = async (options = {}) => (await settings.find("src", "sub_1", options))?.maxPerSecond;
    expect(await rate()).toBeNull();
    const changed = aSubscriptionRecord({ maxPerSecond: 5, version: 2 });
    await subscriptions.replaceSubscription(aSubscriptionRecord(), changed, null);
    expect([await rate(), await rate({ atLeastVersion: 1 })]).toEqual([null, null]);
    expect([await rate({ atLeastVersion: 2 }), await rate()]).toEqual([5, 5]);
  });

  test("a deleted subscription stays as a tombstone until its time to live is over", async () => {
    await subscriptions.createSubscription(aSubscriptionRecord(), {});
    await subscriptions.deleteSubscription(aSubscriptionRecord(), nowMs);
    const configs = new CachedSubscriptionConfigs(reader, defaults);
    expect(await configs.ofSource("src", { fresh: true })).toMatchObject([{ deletedAtMs: 1_000_000, url: "" }]);
    nowMs += 38 * 86_400_000;
    expect(await configs.ofSource("src", { fresh: true })).toEqual([]);
  });
});

describe("the cached gates", () => {
  let table: TestTable;
  let nowMs: number;
  let gates: CachedGates;
  let subscriptions: TableSubscriptionStore;

  beforeEach(async () => {
    table = await startTable();
    nowMs = 1_000_000;
    const reader = {
      client: () => table.client,
      tableName: table.tableName,
      vault: new Vault(memoryDataKeys()),
      now: () => nowMs,
    };
    gates = new CachedGates(reader);
    subscriptions = new TableSubscriptionStore(reader, 30);
    await new TableSourceStore(reader).createSource(aSourceRecord(), {});
    await subscriptions.createSubscription(aSubscriptionRecord(), {});
  });

  afterEach(() => table.close());

  test("a new subscription's gate is active", async () => {
    expect(await gates.find("sub_1")).toEqual({
      subscriptionId: "sub_1",
      sourceId: "src",
      status: "active",
      statusReason: null,
      generation: 1,
      holdsParked: false,
      changedAtMs: 1_000,
    });
    expect(await gates.find("sub_unknown")).toBeNull();
  });

  test("disabling closes the gate, counts a generation and shows at once", async () => {
    await gates.find("sub_1");
    await gates.disable("sub_1", "gone", 1, nowMs);
    expect(await gates.find("sub_1")).toMatchObject({ status: "disabled", statusReason: "gone", generation: 2 });
  });

  test("disabling again, or after a deletion, changes nothing", async () => {
    await gates.disable("sub_1", "gone", 1, nowMs);
    await gates.disable("sub_1", "other", 1, nowMs);
    expect(await gates.find("sub_1")).toMatchObject({ statusReason: "gone", generation: 2 });
    await subscriptions.deleteSubscription(aSubscriptionRecord(), nowMs);
    await gates.disable("sub_1", "gone", 1, nowMs);
    expect(await gates.find("sub_1", { fresh: true })).toMatchObject({ statusReason: "deleted", generation: 3 });
  });

  test("disabling an unknown subscription creates nothing", async () => {
    await gates.disable("sub_unknown", "gone", 1, nowMs);
    expect(await gates.find("sub_unknown")).toBeNull();
  });

  test("a gate that another function closed is noticed within a second", async () => {
    await gates.find("sub_1");
    const reader = { client: () => table.client, tableName: table.tableName, now: () => nowMs };
    await new CachedGates(reader).disable("sub_1", "gone", 1, nowMs);
    nowMs += 999;
    expect((await gates.find("sub_1"))?.status).toBe("active");
    expect((await gates.find("sub_1", { fresh: true }))?.status).toBe("disabled");
    nowMs += 1;
    expect((await gates.find("sub_1"))?.status).toBe("disabled");
  });
});

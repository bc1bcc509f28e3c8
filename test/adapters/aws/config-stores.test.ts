import { DeleteItemCommand, PutItemCommand, ScanCommand } from "@aws-sdk/client-dynamodb";
import { marshall } from "@aws-sdk/util-dynamodb";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { nameItem } from "../../../functions/adapters/aws/config-items.js";
import { TableSourceStore } from "../../../functions/adapters/aws/config-sources.js";
import { TableSubscriptionStore } from "../../../functions/adapters/aws/config-subscriptions.js";
import { gateItem } from "../../../functions/adapters/aws/gate-item.js";
import { sourceKey, subscriptionNameKey } from "../../../functions/adapters/aws/keys.js";
import { Vault } from "../../../functions/adapters/aws/vault.js";
import { aSourceRecord, aSubscriptionRecord } from "../../support/config-records.js";
import { startTable, type TestTable } from "../../support/dynalite.js";
import { memoryDataKeys } from "../../support/memory-data-keys.js";

let table: TestTable;
let nowMs: number;
let sources: TableSourceStore;
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
  sources = new TableSourceStore(reader);
  subscriptions = new TableSubscriptionStore(reader, 30);
});

afterEach(() => table.close());

const dump = async () =>
  JSON.stringify((await table.client.send(new ScanCommand({ TableName: table.tableName }))).Items);

const oneSecret = [{ id: "sec_1", createdAtMs: 1 }];

describe("the store of sources", () => {
  test("creates an id once", async () => {
    expect(await sources.createSource(aSourceRecord(), {})).toBe(true);
    expect(await sources.createSource(aSourceRecord({ description: "second" }), {})).toBe(false);
    expect((await sources.findSource("src"))?.description).toBeNull();
  });

  test("replaces only the version that was read", async () => {
    await sources.createSource(aSourceRecord(), {});
    expect(await sources.replaceSource(aSourceRecord({ version: 2, description: "a" }), null)).toBe(true);
    expect(await sources.replaceSource(aSourceRecord({ version: 2, description: "b" }), null)).toBe(false);
    expect(await sources.findSource("src")).toMatchObject({ version: 2, description: "a" });
  });

  test("keeps the sealed secrets of a replacement that brings none, and drops them with the last one", async () => {
    await sources.createSource(aSourceRecord({ secrets: oneSecret }), { sec_1: "kept" });
    await sources.replaceSource(aSourceRecord({ secrets: oneSecret, version: 2, description: "x" }), null);
    expect((await sources.openSource("src"))?.secretValues).toEqual([{ id: "sec_1", value: "kept" }]);
    await sources.replaceSource(aSourceRecord({ version: 3 }), {});
    expect(await dump()).not.toContain("sealed");
  });

  test("lists every source once, page by page", async () => {
    const ids = ["a", "b", "c", "d", "e"];
    for (const sourceId of ids) await sources.createSource(aSourceRecord({ sourceId }), {});
    const seen: string[] = [];
    let after: string | null = null;
    do {
      const page = await sources.listSources({ after, limit: 2 });
      seen.push(...page.items.map((source) => source.sourceId));
      after = page.after;
    } while (after !== null);
    expect(seen).toEqual(ids);
  });

  test("deletes only the version that was read", async () => {
    await sources.createSource(aSourceRecord(), {});
    expect(await sources.deleteSource(aSourceRecord({ version: 2 }))).toBe(false);
    expect(await sources.deleteSource(aSourceRecord())).toBe(true);
    expect(await sources.findSource("src")).toBeNull();
  });

  test("counts live subscriptions only", async () => {
    await sources.createSource(aSourceRecord(), {});
    expect(await sources.hasSubscriptions("src")).toBe(false);
    await subscriptions.createSubscription(aSubscriptionRecord(), {});
    expect(await sources.hasSubscriptions("src")).toBe(true);
    await subscriptions.deleteSubscription(aSubscriptionRecord(), nowMs);
    expect(await sources.hasSubscriptions("src")).toBe(false);
  });
});

describe("the store of subscriptions", () => {
  beforeEach(() => sources.createSource(aSourceRecord(), {}));

  test("finds by id alone what it created, with its gate", async () => {
    const record = aSubscriptionRecord({ policy: { preset: "hookwatch" }, name: "orders", secrets: oneSecret });
    expect(await subscriptions.createSubscription(record, { sec_1: "whsec_x" })).toBe("created");
    const found = await subscriptions.findSubscription("sub_1");
    expect(found).toMatchObject({ record, gate: { status: "active", generation: 1 } });
    expect(await subscriptions.openSecrets(record)).toEqual({ sec_1: "whsec_x" });
  });

  test("leaves no secret in a dump of the table", async () => {
    await subscriptions.createSubscription(aSubscriptionRecord({ secrets: oneSecret }), { sec_1: "whsec_visible" });
    const text = await dump();
    expect(text).not.toContain("whsec_visible");
    expect(text).not.toContain(Buffer.from("whsec_visible").toString("base64").slice(0, -2));
  });

  test("gives a name to one subscription of a source, but to each source its own", async () => {
    await sources.createSource(aSourceRecord({ sourceId: "src2" }), {});
    const named = aSubscriptionRecord({ name: "orders" });
    expect(await subscriptions.createSubscription(named, {})).toBe("created");
    expect(await subscriptions.createSubscription({ ...named, subscriptionId: "sub_2" }, {})).toBe("name_taken");
    expect(await subscriptions.findSubscription("sub_2")).toBeNull();
    expect(await subscriptions.createSubscription({ ...named, subscriptionId: "sub_3", sourceId: "src2" }, {})).toBe(
      "created",
    );
  });

  test("gives a name to one of two that ask at the same moment", async () => {
    const answers = await Promise.all(
      ["sub_1", "sub_2"].map((subscriptionId) =>
        subscriptions.createSubscription(
          aSubscriptionRecord({ subscriptionId, name: "orders", createdAtMs: nowMs }),
          {},
        ),
      ),
    );
    expect(answers.toSorted()).toEqual(["created", "name_taken"]);
  });

  test("takes over a name that a crash left behind, once no creation can be under way", async () => {
    const left = nameItem(subscriptionNameKey("src", "orders"), { subscriptionId: "sub_0", claimedAtMs: nowMs });
    await table.client.send(new PutItemCommand({ TableName: table.tableName, Item: marshall(left) }));
    const at = (createdAtMs: number) => aSubscriptionRecord({ name: "orders", createdAtMs });
    expect(await subscriptions.createSubscription(at(nowMs + 59_999), {})).toBe("name_taken");
    expect(await subscriptions.createSubscription(at(nowMs + 60_000), {})).toBe("created");
  });

  test("a gate that a crash left behind stands for no subscription", async () => {
    const gate = {
      subscriptionId: "sub_0",
      sourceId: "src",
      status: "active",
      statusReason: null,
      generation: 1,
      holdsParked: false,
      changedAtMs: nowMs,
    } as const;
    await table.client.send(new PutItemCommand({ TableName: table.tableName, Item: marshall(gateItem(gate)) }));
    expect(await subscriptions.findSubscription("sub_0")).toBeNull();
  });

  test("undoes a creation whose source is gone by then", async () => {
    await table.client.send(new DeleteItemCommand({ TableName: table.tableName, Key: marshall(sourceKey("src")) }));
    expect(await subscriptions.createSubscription(aSubscriptionRecord({ name: "orders" }), {})).toBe("source_missing");
    expect(await dump()).toBe("[]");
  });

  test("renames: the new name is taken, the old one is free again", async () => {
    const first = aSubscriptionRecord({ name: "orders" });
    await subscriptions.createSubscription(first, {});
    const renamed = { ...first, name: "invoices", version: 2 };
    expect(await subscriptions.replaceSubscription(first, renamed, null)).toBe("replaced");
    const second = aSubscriptionRecord({ subscriptionId: "sub_2", name: "orders" });
    expect(await subscriptions.createSubscription(second, {})).toBe("created");
    expect(await subscriptions.replaceSubscription(second, { ...second, name: "invoices", version: 2 }, null)).toBe(
      "name_taken",
    );
  });

  test("a replacement that comes too late keeps no name for longer than a minute", async () => {
    const first = aSubscriptionRecord({ name: "orders", updatedAtMs: nowMs });
    await subscriptions.createSubscription(first, {});
    await subscriptions.replaceSubscription(first, { ...first, version: 2 }, null);
    const late = { ...first, name: "late", version: 2 };
    expect(await subscriptions.replaceSubscription(first, late, null)).toBe("changed");
    const at = (createdAtMs: number) => aSubscriptionRecord({ subscriptionId: "sub_2", name: "late", createdAtMs });
    expect(await subscriptions.createSubscription(at(nowMs + 59_999), {})).toBe("name_taken");
    expect(await subscriptions.createSubscription(at(nowMs + 60_000), {})).toBe("created");
  });

  test("a rename that two callers make at once leaves the name claimed", async () => {
    const first = aSubscriptionRecord({ name: "orders" });
    await subscriptions.createSubscription(first, {});
    const renamed = { ...first, name: "invoices", version: 2 };
    const answers = await Promise.all([1, 2].map(() => subscriptions.replaceSubscription(first, renamed, null)));
    expect(answers.toSorted()).toEqual(["changed", "replaced"]);
    const second = aSubscriptionRecord({ subscriptionId: "sub_2", name: "invoices", createdAtMs: Date.UTC(2100, 0) });
    expect(await subscriptions.createSubscription(second, {})).toBe("name_taken");
  });

  test("a subscription is found by its name, and only by the one that it has", async () => {
    const first = aSubscriptionRecord({ name: "orders" });
    await subscriptions.createSubscription(first, {});
    expect((await subscriptions.findNamed("src", "orders"))?.record.subscriptionId).toBe("sub_1");
    await subscriptions.replaceSubscription(first, { ...first, name: "invoices", version: 2 }, null);
    expect(await subscriptions.findNamed("src", "orders")).toBeNull();
    expect((await subscriptions.findNamed("src", "invoices"))?.gate.status).toBe("active");
    const left = nameItem(subscriptionNameKey("src", "other"), { subscriptionId: "sub_1", claimedAtMs: nowMs });
    await table.client.send(new PutItemCommand({ TableName: table.tableName, Item: marshall(left) }));
    expect(await subscriptions.findNamed("src", "other")).toBeNull();
  });

  test("a deletion removes URL and secrets, frees the name and closes the gate", async () => {
    const record = aSubscriptionRecord({ name: "orders", url: "https://gone.example/", secrets: oneSecret });
    await subscriptions.createSubscription(record, { sec_1: "whsec_x" });
    expect(await subscriptions.deleteSubscription({ ...record, version: 2 }, nowMs)).toBe(false);
    expect(await subscriptions.deleteSubscription(record, nowMs)).toBe(true);
    expect(await subscriptions.findSubscription("sub_1")).toBeNull();
    const text = await dump();
    expect(text).not.toContain("gone.example");
    expect(text).not.toContain("sealed");
    expect(text).not.toContain("NAME#");
    expect(await subscriptions.subscriptionIds("src", 10)).toEqual(["sub_1"]);
  });

  test("lists live subscriptions page by page, past the deleted ones", async () => {
    const ids = ["sub_1", "sub_2", "sub_3", "sub_4", "sub_5"];
    for (const subscriptionId of ids) {
      await subscriptions.createSubscription(aSubscriptionRecord({ subscriptionId }), {});
    }
    await subscriptions.deleteSubscription(aSubscriptionRecord({ subscriptionId: "sub_2" }), nowMs);
    const first = await subscriptions.listSubscriptions("src", { after: null, limit: 2 });
    expect(first.items.map(({ record }) => record.subscriptionId)).toEqual(["sub_1", "sub_3"]);
    const second = await subscriptions.listSubscriptions("src", { after: first.after, limit: 2 });
    expect(second.items.map(({ record }) => record.subscriptionId)).toEqual(["sub_4", "sub_5"]);
    expect(second.after).toBeNull();
  });
});

import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { CachedGates } from "../../functions/adapters/aws/gates.js";
import { route } from "../../functions/admin/router.js";
import { slowForMs } from "../../functions/core/gate.js";
import { type AdminRelay, startAdminRelay } from "../support/admin-relay.js";
import { httpApiEvent } from "../support/http-api-event.js";
import { withoutTrail } from "../support/table-dump.js";

const url = "https://destination.example/hooks";

describe("the admin API's subscriptions", () => {
  let relay: AdminRelay;

  beforeEach(async () => {
    relay = await startAdminRelay();
    await relay.call("POST", "/admin/sources", { sourceId: "shop" });
  });

  afterEach(() => relay.close());

  const create = (body: object) => relay.call("POST", "/admin/sources/shop/subscriptions", body);
  const dump = () => withoutTrail(relay.table);

  test("a subscription shows the policy, timeouts and circuit that are in force", async () => {
    const created = await create({ url });
    expect(created.status).toBe(201);
    expect(created.headers["location"]).toBe(`/admin/subscriptions/${created.body.subscriptionId}`);
    const { signingSecret, ...shown } = created.body;
    expect(signingSecret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(shown).toEqual({
      subscriptionId: expect.stringMatching(/^sub_[0-9a-z]{26}$/),
      sourceId: "shop",
      name: null,
      description: null,
      url,
      status: "active",
      statusReason: null,
      slowUntil: null,
      gate: {
        circuit: "closed",
        openedAt: null,
        nextProbeAt: null,
        probes: 0,
        failuresInARow: 0,
        heldUntil: null,
        holdsParked: false,
        release: null,
      },
      policy: {
        preset: "default",
        schedule: { kind: "exponential", baseSeconds: 30 },
        capSeconds: 3600,
        jitter: 0.2,
        maxAttempts: 5,
        maxAgeSeconds: null,
        rules: "strict",
        retryOn: [],
        neverRetry: [],
        retryAfterCapSeconds: 3600,
        disableOnGone: true,
      },
      timeouts: { connectSeconds: 15, readSeconds: 60 },
      circuit: {
        failureThreshold: 5,
        failureRate: null,
        minimumAttempts: 20,
        cooldownSeconds: 15,
        maxCooldownSeconds: 900,
      },
      given: { policy: null, timeouts: null, circuit: null },
      maxPerSecond: null,
      types: null,
      filter: null,
      forwardSuffix: false,
      signing: "standard-webhooks",
      secrets: [{ id: expect.stringMatching(/^sec_/), createdAt: "2026-01-31T12:00:00.000Z", expiresAt: null }],
      headers: null,
      tls: null,
      version: 1,
      managedBy: null,
      createdAt: "2026-01-31T12:00:00.000Z",
      updatedAt: "2026-01-31T12:00:00.000Z",
    });
    expect((await relay.call("GET", `/admin/subscriptions/${shown.subscriptionId}`)).body).toEqual(shown);
  });

  test("a preset is completed by what goes with it, and by the system's defaults", async () => {
    const raised = await startAdminRelay({
      defaults: { policyPreset: "hookwatch", maxAttempts: 12, connectSeconds: 3, readSeconds: 4 },
    });
    await raised.call("POST", "/admin/sources", { sourceId: "shop" });
    const { body } = await raised.call("POST", "/admin/sources/shop/subscriptions", {
      url,
      policy: { preset: "notification-rules" },
    });
    expect(body.policy).toMatchObject({ preset: "notification-rules", maxAttempts: 12, rules: "lenient" });
    expect(body.circuit.failureThreshold).toBe(1);
    expect(body.timeouts).toEqual({ connectSeconds: 3, readSeconds: 4 });
    const plain = await raised.call("POST", "/admin/sources/shop/subscriptions", { url });
    expect(plain.body.policy).toMatchObject({ preset: "hookwatch", schedule: { delaysSeconds: [30, 120, 600] } });
    await raised.close();
  });

  test("a given signing secret is taken, sealed and never shown", async () => {
    const signingSecret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
    const { body } = await create({ url, signingSecret });
    expect(JSON.stringify(body)).not.toContain("MfKQ9r8GKY");
    expect(await dump()).not.toContain("MfKQ9r8GKY");
    const { record } = (await relay.context.subscriptions.findSubscription(body.subscriptionId)) ?? {};
    expect(record && Object.values(await relay.context.subscriptions.openSecrets(record))).toEqual([signingSecret]);
  });

  test("a subscription that does not sign has no secret until it does", async () => {
    const { body } = await create({ url, signing: "off" });
    expect(body).not.toHaveProperty("signingSecret");
    expect(body.secrets).toEqual([]);
    const patched = await relay.call("PATCH", `/admin/subscriptions/${body.subscriptionId}`, {
      signing: "standard-webhooks",
    });
    expect(patched.body.signingSecret).toMatch(/^whsec_/);
    expect(patched.body.secrets).toHaveLength(1);
  });

  test("a patch changes what it names, null brings the default back, the secret stays", async () => {
    const created = await create({ url, policy: { maxAttempts: 9, jitter: 0 }, timeouts: { readSeconds: 5 } });
    const path = `/admin/subscriptions/${created.body.subscriptionId}`;
    const { body } = await relay.call("PATCH", path, {
      url: "https://other.example/",
      policy: { maxAttempts: null, rules: "lenient" },
      timeouts: null,
      types: ["invoice.*"],
    });
    expect(body).toMatchObject({
      url: "https://other.example/",
      policy: { maxAttempts: 5, jitter: 0, rules: "lenient", disableOnGone: false },
      timeouts: { readSeconds: 60 },
      types: ["invoice.*"],
      version: 2,
      secrets: created.body.secrets,
    });
    expect(body).not.toHaveProperty("signingSecret");
    expect((await relay.call("GET", path)).body).toEqual(body);
  });

  test("a patch of a schedule to another kind needs no clearing of the old one", async () => {
    const created = await create({ url, policy: { schedule: { kind: "table", delaysSeconds: [1, 2] } } });
    const { status, body } = await relay.call("PATCH", `/admin/subscriptions/${created.body.subscriptionId}`, {
      policy: { schedule: { kind: "fixed", baseSeconds: 7 } },
    });
    expect(status).toBe(200);
    expect(body.policy.schedule).toEqual({ kind: "fixed", baseSeconds: 7 });
  });

  test("ids that a document carries are accepted where they are its own, and refused where they are another's", async () => {
    const created = await create({ url, sourceId: "shop" });
    const { subscriptionId } = created.body;
    const path = `/admin/subscriptions/${subscriptionId}`;
    expect([created.status, created.body.sourceId]).toEqual([201, "shop"]);
    const same = await relay.call("PATCH", path, { subscriptionId, sourceId: "shop", url });
    expect([same.status, same.body.version]).toEqual([200, 1]);
    const refusals = [
      await create({ url, sourceId: "other" }),
      await create({ url, subscriptionId: "sub_mine" }),
      await relay.call("PATCH", path, { sourceId: "other" }),
      await relay.call("PATCH", path, { subscriptionId: "sub_other" }),
    ];
    expect(refusals.map(({ status, body }) => [status, body.errors[0].field])).toEqual([
      [400, "sourceId"],
      [400, "subscriptionId"],
      [400, "sourceId"],
      [400, "subscriptionId"],
    ]);
    expect(JSON.stringify((await relay.call("GET", "/admin/sources/shop/subscriptions")).body)).not.toContain("other");
  });

  test("status is refused where it would change something, and named with what changes it", async () => {
    expect((await create({ url, status: "active" })).status).toBe(201);
    const paused = await create({ url, status: "paused" });
    expect(paused.body.errors).toEqual([
      { field: "status", reason: expect.stringContaining("active"), fix: expect.stringContaining("/pause") },
    ]);
    const { subscriptionId } = (await create({ url })).body;
    const path = `/admin/subscriptions/${subscriptionId}`;
    expect((await relay.call("PATCH", path, { status: "paused" })).status).toBe(400);
    expect((await relay.call("PATCH", path, { status: "active" })).status).toBe(200);
  });

  test("a subscription that a 410 disabled shows it", async () => {
    const { subscriptionId } = (await create({ url })).body;
    const table = { client: () => relay.table.client, tableName: relay.table.tableName, now: () => 0 };
    await new CachedGates(table).disable(subscriptionId, "gone", 1, 0);
    const { body } = await relay.call("GET", `/admin/subscriptions/${subscriptionId}`);
    expect(body).toMatchObject({ status: "disabled", statusReason: "gone" });
  });

  test("a slow subscription shows until when it is, as long as it is", async () => {
    const { subscriptionId } = (await create({ url })).body;
    const table = { client: () => relay.table.client, tableName: relay.table.tableName, now: () => 0 };
    const shown = async () => (await relay.call("GET", `/admin/subscriptions/${subscriptionId}`)).body.slowUntil;
    const { nowMs } = relay.clock;
    await new CachedGates(table).noteSlow(subscriptionId, nowMs - slowForMs);
    expect(await shown()).toBeNull();
    await new CachedGates(table).noteSlow(subscriptionId, nowMs);
    expect(Date.parse(await shown())).toBe(nowMs + slowForMs);
  });

  test("pause closes the gate, resume opens it and releases what is parked; both may be repeated", async () => {
    const { subscriptionId } = (await create({ url })).body;
    const path = `/admin/subscriptions/${subscriptionId}`;
    for (let time = 0; time < 2; time += 1) {
      const paused = await relay.call("POST", `${path}/pause`, {});
      expect([paused.status, paused.body.status, paused.body.statusReason]).toEqual([200, "paused", "operator"]);
    }
    expect(relay.ticks).toEqual([]);
    for (let time = 0; time < 2; time += 1) {
      const resumed = await relay.call("POST", `${path}/resume`, {});
      expect([resumed.status, resumed.body.status, resumed.body.statusReason]).toEqual([200, "active", null]);
    }
    // The second call sets new ticks going: the first one's message may have been lost after its write.
    const tick = { v: 1, kind: "tick", subscriptionId, generation: 3 };
    expect(relay.ticks).toEqual([1, 2].map((seq) => ({ ...tick, seq })));
    const { gate } = (await relay.context.subscriptions.findSubscription(subscriptionId)) ?? {};
    expect(gate).toMatchObject({ status: "active", generation: 3 });
  });

  test("resume opens what a 410 closed", async () => {
    const { subscriptionId } = (await create({ url })).body;
    const table = { client: () => relay.table.client, tableName: relay.table.tableName, now: () => 0 };
    await new CachedGates(table).disable(subscriptionId, "gone", 1, 0);
    const { body } = await relay.call("POST", `/admin/subscriptions/${subscriptionId}/resume`, {});
    expect([body.status, relay.ticks[0]]).toMatchObject(["active", { generation: 3 }]);
  });

  test("pause and resume of an unknown subscription are 404, and without a JSON content type 415", async () => {
    expect((await relay.call("POST", "/admin/subscriptions/sub_none/pause", {})).status).toBe(404);
    expect((await relay.call("POST", "/admin/subscriptions/sub_none/resume")).status).toBe(415);
  });

  test("pause and resume heed If-Match", async () => {
    const { subscriptionId } = (await create({ url })).body;
    for (const verb of ["pause", "resume"]) {
      const path = `/admin/subscriptions/${subscriptionId}/${verb}`;
      const stale = await relay.call("POST", path, {}, { headers: { "if-match": '"2"' } });
      expect([stale.status, stale.body.code]).toEqual([412, "version_mismatch"]);
      expect((await relay.call("POST", path, {}, { headers: { "if-match": '"1"' } })).status).toBe(200);
    }
  });

  test("a name is unique within its source", async () => {
    await create({ url, name: "billing" });
    const second = await create({ url, name: "billing" });
    expect([second.status, second.body.code]).toEqual([409, "name_taken"]);
    const other = (await create({ url })).body.subscriptionId;
    expect((await relay.call("PATCH", `/admin/subscriptions/${other}`, { name: "billing" })).status).toBe(409);
    expect((await relay.call("PATCH", `/admin/subscriptions/${other}`, { name: "orders" })).body.name).toBe("orders");
  });

  test("a deleted subscription is gone from every answer", async () => {
    const { subscriptionId } = (await create({ url })).body;
    const path = `/admin/subscriptions/${subscriptionId}`;
    expect((await relay.call("DELETE", path)).status).toBe(204);
    expect((await relay.call("GET", path)).body.code).toBe("unknown_subscription");
    expect((await relay.call("PATCH", path, {})).status).toBe(404);
    expect((await relay.call("DELETE", path)).status).toBe(404);
    expect((await relay.call("GET", "/admin/sources/shop/subscriptions")).body).toEqual({ items: [], cursor: null });
  });

  test("a deletion lets parked deliveries go at once, and counts also when it cannot", async () => {
    const first = (await create({ url })).body.subscriptionId;
    await relay.call("POST", `/admin/subscriptions/${first}/pause`, {});
    await relay.call("DELETE", `/admin/subscriptions/${first}`);
    expect(relay.ticks).toEqual([{ v: 1, kind: "tick", subscriptionId: first, seq: null, generation: 3 }]);

    const second = (await create({ url })).body.subscriptionId;
    const control = { sendTick: () => Promise.reject(new Error("SQS is away")) };
    const event = httpApiEvent({ method: "DELETE", path: `/admin/subscriptions/${second}`, headers: {} });
    expect((await route({ ...relay.context, control }, () => {}, event)).statusCode).toBe(204);
    expect((await relay.call("GET", `/admin/subscriptions/${second}`)).status).toBe(404);
  });

  test("If-Match guards changes and deletions", async () => {
    const { subscriptionId } = (await create({ url })).body;
    const path = `/admin/subscriptions/${subscriptionId}`;
    const stale = { headers: { "if-match": '"7"' } };
    expect((await relay.call("PATCH", path, { description: "x" }, stale)).status).toBe(412);
    expect((await relay.call("DELETE", path, undefined, stale)).status).toBe(412);
    expect((await relay.call("DELETE", path, undefined, { headers: { "if-match": '"1"' } })).status).toBe(204);
  });

  test("a list neither skips nor repeats; its cursor is good for this list only", async () => {
    const ids: string[] = [];
    for (let index = 0; index < 5; index += 1) {
      relay.clock.nowMs += 1;
      ids.push((await create({ url })).body.subscriptionId);
    }
    const path = "/admin/sources/shop/subscriptions";
    const first = (await relay.call("GET", path, undefined, { query: "limit=3" })).body;
    const second = (await relay.call("GET", path, undefined, { query: `limit=3&cursor=${first.cursor}` })).body;
    const seen = [...first.items, ...second.items].map(({ subscriptionId }) => subscriptionId);
    expect(seen).toEqual(ids);
    expect(second.cursor).toBeNull();
    const elsewhere = await relay.call("GET", "/admin/sources", undefined, { query: `cursor=${first.cursor}` });
    expect([elsewhere.status, elsewhere.body.code]).toEqual([400, "invalid_cursor"]);
  });

  test("a source that does not exist has no subscriptions, and gets none", async () => {
    const refused = await relay.call("POST", "/admin/sources/none/subscriptions", { url });
    expect([refused.status, refused.body.code]).toEqual([404, "unknown_source"]);
    expect((await relay.call("GET", "/admin/sources/none/subscriptions")).status).toBe(404);
  });

  test.each([
    ["url", {}],
    ["url", { url: "ftp://destination.example/" }],
    ["url", { url: "not a url" }],
    ["url", { url: 5 }],
    ["url", { url: "http://127.0.0.1:9000/" }],
    ["url", { url: "http://[::ffff:169.254.169.254]/" }],
    ["url", { url: "https://destination.example:25/" }],
    ["policy.capSeconds", { url, policy: { capSeconds: 10, schedule: { kind: "fixed", baseSeconds: 30 } } }],
    ["policy.capSeconds", { url, policy: { capSeconds: 10 } }],
    ["policy.jitter", { url, policy: { jitter: 1.5 } }],
    ["policy.jitter", { url, policy: { jitter: "a lot" } }],
    ["policy.schedule.delaysSeconds", { url, policy: { schedule: { kind: "table", delaysSeconds: [] } } }],
    ["policy.schedule.delaysSeconds[1]", { url, policy: { schedule: { kind: "table", delaysSeconds: [1, -1] } } }],
    ["policy.schedule.delaysSeconds[0]", { url, policy: { schedule: { kind: "table", delaysSeconds: ["1"] } } }],
    ["policy.schedule.kind", { url, policy: { schedule: { kind: "random" } } }],
    ["policy.schedule.baseSeconds", { url, policy: { schedule: { kind: "linear" } } }],
    ["policy.maxAttempts", { url, policy: { maxAttempts: 0 } }],
    ["policy.maxAttempts", { url, policy: { maxAttempts: 1.5 } }],
    ["policy.retryOn", { url, policy: { retryOn: [409], neverRetry: [409] } }],
    ["policy.preset", { url, policy: { preset: "aggressive" } }],
    ["policy.maxAttempt", { url, policy: { maxAttempt: 3 } }],
    ["policy", { url, policy: [] }],
    ["timeouts.readSeconds", { url, timeouts: { readSeconds: 0 } }],
    ["timeouts.connectSeconds", { url, timeouts: { connectSeconds: 301 } }],
    ["circuit.maxCooldownSeconds", { url, circuit: { cooldownSeconds: 901 } }],
    ["circuit.failureThreshold", { url, circuit: { failureThreshold: 0 } }],
    ["maxPerSecond", { url, maxPerSecond: 0 }],
    ["types", { url, types: [] }],
    ["types[0]", { url, types: ["invoice.pa*"] }],
    ["filter.amount", { url, filter: { amount: 5 } }],
    ["filter", { url, filter: [] }],
    ["filter.any[0].json", { url, filter: { any: [{ json: "a", exists: true }] } }],
    ["filter.not.oneOf[1]", { url, filter: { not: { header: "x-a", oneOf: ["1", 2] } } }],
    ["filter.equals", { url, filter: { json: "/id", equals: 2 ** 53 } }],
    ["signing", { url, signing: "hmac" }],
    ["signingSecret", { url, signingSecret: "whsec_!!!!" }],
    ["signingSecret", { url, signingSecret: "v1,whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw" }],
    ["name", { url, name: "with space" }],
    ["subscriptionId", { url, subscriptionId: "sub_mine" }],
    ["status", { url, status: "paused" }],
  ])("refuses a wrong %s, naming it, and writes nothing", async (field, body) => {
    const before = await dump();
    const refused = await create(body);
    expect(refused.status).toBe(400);
    expect(refused.headers["content-type"]).toBe("application/problem+json");
    const [problem] = refused.body.errors.filter((error: { field: string }) => error.field === field);
    expect(problem?.reason).toMatch(/\w/);
    expect(await dump()).toBe(before);
  });

  test("a patch that would leave a contradiction changes nothing", async () => {
    const created = await create({ url, policy: { schedule: { kind: "fixed", baseSeconds: 100 } } });
    const before = await dump();
    const refused = await relay.call("PATCH", `/admin/subscriptions/${created.body.subscriptionId}`, {
      policy: { capSeconds: 50 },
    });
    expect(refused.body.errors).toMatchObject([{ field: "policy.capSeconds" }]);
    expect(await dump()).toBe(before);
  });

  test("a patch that changes nothing leaves version and time as they are", async () => {
    const { subscriptionId } = (await create({ url, policy: { maxAttempts: 9 }, types: ["a.*"] })).body;
    const path = `/admin/subscriptions/${subscriptionId}`;
    relay.clock.nowMs += 1_000;
    const before = (await relay.call("GET", path)).body;
    const patched = await relay.call("PATCH", path, { url, policy: { maxAttempts: 9 }, types: ["a.*"] });
    expect(patched.body).toEqual(before);
    expect(patched.headers["etag"]).toBe('"1"');
    expect((await relay.call("PATCH", path, { types: ["b.*"] })).body).toMatchObject({ version: 2 });
  });

  test.each([
    ["timeouts.readSeconds", { readSeconds: 66 }],
    ["timeouts.connectSeconds", { connectSeconds: 21 }],
    ["timeouts.readSeconds", { connectSeconds: 40, readSeconds: 40.5 }],
  ])("refuses limits that no attempt can reach, naming %s and the stack's prop", async (field, timeouts) => {
    const { status, body } = await create({ url, timeouts });
    expect([status, body.errors[0].field]).toEqual([400, field]);
    expect(body.errors[0].reason).toContain("an attempt has 80 s");
    expect(body.errors[0].fix).toMatch(/deliveryTimeout .* of 9[12] s/);
  });

  test("limits that just fit into the delivery function's timeout are taken", async () => {
    expect((await create({ url, timeouts: { connectSeconds: 20, readSeconds: 60 } })).status).toBe(201);
    const longer = await startAdminRelay({ deliveryTimeoutSeconds: 900 });
    await longer.call("POST", "/admin/sources", { sourceId: "shop" });
    const body = { url, timeouts: { connectSeconds: 300, readSeconds: 300 } };
    expect((await longer.call("POST", "/admin/sources/shop/subscriptions", body)).status).toBe(201);
    await longer.close();
  });

  test("destinations on this machine are for the local relay", async () => {
    const local = await startAdminRelay({ allowLoopback: true });
    await local.call("POST", "/admin/sources", { sourceId: "shop" });
    const body = { url: "http://127.0.0.1:8787/sink" };
    expect((await local.call("POST", "/admin/sources/shop/subscriptions", body)).status).toBe(201);
    await local.close();
  });
});

describe("PUT of a subscription by its name", () => {
  let relay: AdminRelay;

  beforeEach(async () => {
    relay = await startAdminRelay();
    await relay.call("POST", "/admin/sources", { sourceId: "shop" });
  });

  afterEach(() => relay.close());

  const path = "/admin/sources/shop/subscriptions/billing";
  const put = (body: object, headers: Record<string, string> = {}) => relay.call("PUT", path, body, { headers });
  const listed = async () => (await relay.call("GET", "/admin/sources/shop/subscriptions")).body.items;

  test("creates, and shows the secret that it made once", async () => {
    const created = await put({ url, managedBy: "deploy" });
    expect([created.status, created.headers["etag"]]).toEqual([201, '"1"']);
    expect(created.headers["location"]).toBe(`/admin/subscriptions/${created.body.subscriptionId}`);
    expect(created.body).toMatchObject({ name: "billing", managedBy: "deploy", status: "active", version: 1 });
    const { signingSecret, ...shown } = created.body;
    expect(signingSecret).toMatch(/^whsec_/);
    expect(await listed()).toEqual([shown]);
  });

  test("says the same twice: one subscription, one version, the same secret", async () => {
    const created = await put({ url, policy: { maxAttempts: 3 } });
    relay.clock.nowMs += 1_000;
    const again = await put({ policy: { maxAttempts: 3 }, url });
    const { signingSecret: _once, ...shown } = created.body;
    expect([again.status, again.body]).toEqual([200, shown]);
    expect(again.headers).not.toHaveProperty("location");
  });

  test("replaces as a whole: what is left out is the default again; id, secret, status and creation stay", async () => {
    const created = await put({ url, policy: { maxAttempts: 3 }, types: ["a.*"], managedBy: "deploy" });
    await relay.call("POST", `/admin/subscriptions/${created.body.subscriptionId}/pause`, {});
    relay.clock.nowMs += 1_000;
    const replaced = await put({ url: "https://other.example/" });
    expect([replaced.status, replaced.headers["etag"]]).toEqual([200, '"2"']);
    expect(replaced.body).toMatchObject({
      subscriptionId: created.body.subscriptionId,
      url: "https://other.example/",
      policy: { maxAttempts: 5 },
      types: null,
      managedBy: null,
      status: "paused",
      secrets: created.body.secrets,
      createdAt: created.body.createdAt,
      updatedAt: "2026-01-31T12:00:01.000Z",
    });
    expect(replaced.body).not.toHaveProperty("signingSecret");
  });

  test("a given secret replaces the stored one; the same one again changes nothing", async () => {
    const created = await put({ url });
    const signingSecret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
    const rotated = await put({ url, signingSecret });
    expect(rotated.body.secrets[0].id).not.toBe(created.body.secrets[0].id);
    expect((await put({ url, signingSecret })).body).toEqual(rotated.body);
  });

  test("If-None-Match: * creates only, If-Match replaces that version only", async () => {
    const early = await put({ url }, { "if-match": '"1"' });
    expect([early.status, early.body.code]).toEqual([412, "version_mismatch"]);
    expect((await put({ url }, { "if-none-match": "*" })).status).toBe(201);
    const second = await put({ url }, { "if-none-match": "*" });
    expect([second.status, second.body.code, second.headers["etag"]]).toEqual([412, "already_exists", '"1"']);
    expect((await put({ url, description: "x" }, { "if-match": '"1"' })).body.version).toBe(2);
    const stale = await put({ url, description: "y" }, { "if-match": '"1"' });
    expect([stale.status, stale.headers["etag"]]).toEqual([412, '"2"']);
    expect((await listed())[0].description).toBe("x");
  });

  test("many at once make one subscription", async () => {
    const answers = await Promise.all(Array.from({ length: 8 }, () => put({ url })));
    const ids = answers.filter(({ status }) => status < 300).map(({ body }) => body.subscriptionId);
    expect(new Set(ids).size).toBe(1);
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    // Whoever lost every round is told so, and finds it made when it asks again.
    expect(answers.every(({ status, body }) => status < 300 || body.code === "changed_meanwhile")).toBe(true);
    expect(await listed()).toHaveLength(1);
  });

  test("a name that its subscription gave up makes another one", async () => {
    const created = await put({ url });
    await relay.call("PATCH", `/admin/subscriptions/${created.body.subscriptionId}`, { name: "invoices" });
    const other = await put({ url });
    expect(other.status).toBe(201);
    expect(other.body.subscriptionId).not.toBe(created.body.subscriptionId);
    await relay.call("DELETE", `/admin/subscriptions/${other.body.subscriptionId}`);
    expect((await put({ url })).status).toBe(201);
  });

  test.each([
    ["name", { url, name: "other" }],
    ["url", {}],
    ["status", { url, status: "paused" }],
    ["version", { url, version: 1 }],
  ])("refuses a wrong %s and writes nothing", async (field, body) => {
    const refused = await put(body);
    expect([refused.status, refused.body.errors[0].field]).toEqual([400, field]);
    expect(await listed()).toEqual([]);
  });

  test("needs a name that can be one, and a source", async () => {
    const named = await relay.call("PUT", "/admin/sources/shop/subscriptions/a b", { url });
    expect([named.status, named.body.errors[0].field]).toEqual([400, "name"]);
    const nowhere = await relay.call("PUT", "/admin/sources/none/subscriptions/billing", { url });
    expect([nowhere.status, nowhere.body.code]).toEqual([404, "unknown_source"]);
  });
});

import { createHmac, randomBytes } from "node:crypto";
import { ScanCommand } from "@aws-sdk/client-dynamodb";
import { unmarshall } from "@aws-sdk/util-dynamodb";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { CachedSourceConfigs } from "../../functions/adapters/aws/config-table.js";
import { TableQuarantine } from "../../functions/adapters/aws/quarantine-table.js";
import { encodeMessage } from "../../functions/app/messages.js";
import { unpackContent } from "../../functions/core/content.js";
import { eventIdFromKey } from "../../functions/core/ids.js";
import { buildIngress, type Ingress } from "../../functions/ingress/ingress.js";
import { type AdminRelay, startAdminRelay } from "../support/admin-relay.js";
import { type HttpApiRequest, httpApiEvent } from "../support/http-api-event.js";
import { noMetrics } from "../support/memory-metrics.js";

const sign = (body: string | Buffer, secret: string): string =>
  `sha256=${createHmac("sha256", secret).update(body).digest("hex")}`;

const iso = (ms: number): string => new Date(ms).toISOString();

describe("the quarantine", () => {
  let relay: AdminRelay;
  let ingress: Ingress;
  let accepted: string[];

  beforeEach(async () => {
    relay = await startAdminRelay();
    const { client, tableName } = relay.table;
    const table = { client: () => client, tableName };
    accepted = [];
    const now = () => relay.clock.nowMs;
    const quarantine = new TableQuarantine(table, relay.vault);
    ingress = buildIngress({
      sources: new CachedSourceConfigs({ ...table, vault: relay.vault, now }),
      queue: { sendEvent: async (message) => void accepted.push(encodeMessage(message)) },
      contents: relay.context.contents,
      sns: relay.context.sns,
      quarantine: async () => quarantine,
      clock: now,
      entropy: () => randomBytes(16),
      log: () => {},
      metrics: noMetrics,
    });
  });

  afterEach(() => relay.close());

  const github = { scheme: "github", secrets: ["the right secret"] };
  const json = { "content-type": "application/json" };
  const dump = async () =>
    ((await relay.table.client.send(new ScanCommand({ TableName: relay.table.tableName }))).Items ?? [])
      .map((item) => unmarshall(item))
      .filter(({ pk }) => !String(pk).startsWith("AUDIT#"));

  /** Posts what will not be verified; gives the id under which it was kept. */
  async function post(request: HttpApiRequest): Promise<string> {
    const before = new Set((await dump()).map(({ pk }) => pk));
    expect((await ingress(httpApiEvent({ path: "/in/shop", ...request }))).statusCode).toBe(401);
    const kept = (await dump()).filter(({ pk, sk }) => sk === "EVENT" && !before.has(pk));
    expect(kept).toHaveLength(1);
    return String(kept[0]?.["pk"]).slice("EVT#".length);
  }

  const list = async (query = "sourceId=shop&state=quarantined") =>
    (await relay.call("GET", "/admin/events", undefined, { query })).body.items;

  test("keeps a request whose signature is wrong: listed, shown with the reason, its body byte for byte", async () => {
    await relay.call("PUT", "/admin/sources/shop", { verification: github, dedupe: { from: "json", pointer: "/id" } });
    const body = Buffer.from('{"id":"order-1","a":"\xe9"}', "latin1");
    const eventId = await post({
      path: "/in/shop/orders",
      query: "a=%20",
      body,
      headers: { ...json, "x-hub-signature-256": sign(body, "another secret"), cookie: "a=b" },
      base64: true,
    });
    expect(accepted).toEqual([]);
    expect(eventId).not.toBe(eventIdFromKey("shop", "order-1"));
    const [listed] = await list();
    expect(listed).toMatchObject({
      eventId,
      state: "quarantined",
      suffix: "/orders",
      query: "a=%20",
      dedupeKey: null,
      verifiedBy: null,
      deliveryIds: [],
      quarantine: { reason: "signature mismatch", releasedAt: null, releasedBy: null, releasedAs: null },
    });
    const shown = (await relay.call("GET", `/admin/events/${eventId}`)).body;
    expect(shown).toMatchObject({ state: "quarantined", deliveries: [] });
    expect(shown.headers["x-hub-signature-256"]).toBe(sign(body, "another secret"));
    expect((await relay.call("GET", `/admin/events/${eventId}/body`)).bytes).toEqual(body);
    expect(await list("sourceId=shop")).toHaveLength(1);
    expect(await list("sourceId=shop&state=undelivered")).toEqual([]);
  });

  test("keeps a large body in the bucket, and a small one on the item", async () => {
    await relay.call("PUT", "/admin/sources/shop", { verification: github });
    const body = randomBytes(20_000);
    const eventId = await post({ body });
    expect([...relay.contents.keys()]).toEqual([expect.stringContaining(`bodies/${eventId}/`)]);
    expect((await relay.call("GET", `/admin/events/${eventId}/body`)).bytes.equals(body)).toBe(true);
    await post({ body: "small" });
    expect(relay.contents.size).toBe(1);
  });

  test("keeps nothing of a source that rejects, and nothing of a forged handshake", async () => {
    const verification = { ...github, onFailure: "reject" };
    await relay.call("PUT", "/admin/sources/shop", { verification });
    await relay.call("PUT", "/admin/sources/slack", { verification: github, handshake: { kind: "slack" } });
    expect((await ingress(httpApiEvent({ path: "/in/shop", body: "{}" }))).statusCode).toBe(401);
    const body = '{"type":"url_verification","challenge":"x"}';
    expect((await ingress(httpApiEvent({ path: "/in/slack", body }))).statusCode).toBe(401);
    expect((await dump()).filter(({ sk }) => sk !== "SOURCE")).toEqual([]);
  });

  test("keeps a hundred a day of a source, however many come at once, and counts the others", async () => {
    await relay.call("PUT", "/admin/sources/shop", { verification: github });
    await relay.call("PUT", "/admin/sources/other", { verification: github });
    const send = (path: string) => ingress(httpApiEvent({ path, body: "{}" }));
    const answers = await Promise.all(Array.from({ length: 130 }, () => send("/in/shop")));
    expect(answers.every(({ statusCode }) => statusCode === 401)).toBe(true);
    const kept = async () => (await dump()).filter(({ sk }) => sk === "EVENT").length;
    expect(await kept()).toBe(100);
    expect((await dump()).find(({ pk }) => pk === "QUA#shop")).toMatchObject({ sk: "2026-01-31", requests: 130, v: 1 });
    await send("/in/other");
    expect(await kept()).toBe(101);
    relay.clock.nowMs += 86_400_000;
    await send("/in/shop");
    expect(await kept()).toBe(102);
  });

  test("counts a flood in memory for a while, and tells the table later", async () => {
    await relay.call("PUT", "/admin/sources/shop", { verification: github });
    const table = { client: () => relay.table.client, tableName: relay.table.tableName };
    const quarantine = new TableQuarantine(table, relay.vault);
    const count = () => quarantine.countUnverified("shop", relay.clock.nowMs, 2);
    expect([await count(), await count(), await count(), await count(), await count()]).toEqual([1, 2, 3, 4, 5]);
    const stored = async () => (await dump()).find(({ pk }) => pk === "QUA#shop")?.["requests"];
    expect(await stored()).toBe(3);
    relay.clock.nowMs += 5_000;
    expect(await count()).toBe(6);
    expect(await stored()).toBe(6);
  });

  test("forgets after seven days", async () => {
    await relay.call("PUT", "/admin/sources/shop", { verification: github });
    const eventId = await post({ body: "{}" });
    relay.clock.nowMs += 7 * 86_400_000 + 2_000;
    expect((await relay.call("GET", `/admin/events/${eventId}`)).body.code).toBe("not_yet_processed");
    expect(await list()).toEqual([]);
  });

  describe("verifying again", () => {
    test("says step by step what is wrong, and that it is right once the secret is", async () => {
      await relay.call("PUT", "/admin/sources/shop", { verification: github });
      const eventId = await post({ body: "{}", headers: { "x-hub-signature-256": sign("{}", "rotated secret") } });
      const path = `/admin/events/${eventId}/verify`;
      const wrong = await relay.call("POST", path, {});
      expect(wrong.body).toMatchObject({ eventId, verified: false, reason: "signature mismatch", scheme: "github" });
      expect(wrong.body.steps.at(-1)).toMatchObject({ step: "signature", ok: false });
      const changed = await relay.call("PATCH", "/admin/sources/shop", {
        verification: { secrets: ["the right secret", "rotated secret"] },
      });
      const right = await relay.call("POST", path, {});
      expect(right.body).toMatchObject({
        verified: true,
        reason: null,
        verifiedBy: changed.body.verification.secrets[1].id,
      });
      expect(right.body.steps.every(({ ok }: { ok: boolean }) => ok)).toBe(true);
      expect((await list())[0].state).toBe("quarantined");
    });

    test("takes the time at which it was received, however long ago that is", async () => {
      const verification = { scheme: "slack", secrets: ["another secret"] };
      await relay.call("PUT", "/admin/sources/shop", { verification });
      const timestamp = String(Math.floor(relay.clock.nowMs / 1000));
      const digest = createHmac("sha256", "the secret").update(`v0:${timestamp}:{}`).digest("hex");
      const headers = { "x-slack-request-timestamp": timestamp, "x-slack-signature": `v0=${digest}` };
      const eventId = await post({ body: "{}", headers });
      await relay.call("PATCH", "/admin/sources/shop", { verification: { secrets: ["the secret"] } });
      relay.clock.nowMs += 6 * 86_400_000;
      const { body } = await relay.call("POST", `/admin/events/${eventId}/verify`, {});
      expect(body).toMatchObject({ verified: true, receivedAt: "2026-01-31T12:00:00.000Z" });
    });

    test.each([
      [
        "basic",
        { scheme: "basic", secrets: ["user:pass phrase"] },
        { authorization: `Basic ${btoa("user:hush hush")}` },
      ],
      [
        "header-token",
        { scheme: "header-token", headerToken: { header: "X-Token" }, secrets: ["pass phrase"] },
        { "x-token": "hush hush" },
      ],
    ])("finds the credential of %s, which is sealed and shown nowhere", async (_, verification, headers) => {
      await relay.call("PUT", "/admin/sources/shop", { verification });
      const eventId = await post({ body: "{}", headers });
      const [value] = Object.values(headers);
      const item = (await dump()).find(({ pk }) => pk === `EVT#${eventId}`);
      const clear = JSON.stringify({ ...item, content: Buffer.from(item?.["content"]).toString("latin1") });
      expect(clear + JSON.stringify((await relay.call("GET", `/admin/events/${eventId}`)).body)).not.toMatch(
        new RegExp(`hush|${btoa("hush")}|${value}`),
      );
      // What one event carried does not open on another one.
      await expect(relay.vault.unseal("evt_other", Buffer.from(item?.["sealed"]))).rejects.toThrow();
      const secrets = verification.secrets.map((secret) => secret.replace("pass phrase", "hush hush"));
      await relay.call("PATCH", "/admin/sources/shop", { verification: { secrets } });
      const { body } = await relay.call("POST", `/admin/events/${eventId}/verify`, {});
      expect(body.verified).toBe(true);
      expect(JSON.stringify(body)).not.toContain("hush");
    });

    test("takes suffix and query as they came; what is shown, stored in clear and released has no secret in them", async () => {
      const content = "{url}{body}";
      const hmac = { header: "x-signature", prefix: "", algorithm: "sha256", encoding: "hex", content };
      const secret = "a secret of the URL";
      const publicUrl = "https://example.com/in/shop";
      const verification = { scheme: "hmac", publicUrl, hmac, secrets: ["another secret", secret] };
      await relay.call("PUT", "/admin/sources/shop", { verification: { ...verification, secrets: [secret] } });
      const query = `token=${encodeURIComponent(secret)}`;
      const signature = createHmac("sha256", "another secret")
        .update(`${publicUrl}/${encodeURI(secret)}?${query}{}`)
        .digest("hex");
      const headers = { "x-signature": signature };
      const eventId = await post({ path: `/in/shop/${secret}`, query, body: "{}", headers });
      await relay.call("PATCH", "/admin/sources/shop", { verification: { secrets: verification.secrets } });
      const report = await relay.call("POST", `/admin/events/${eventId}/verify`, {});
      expect(report.body.verified).toBe(true);
      const shown = (await relay.call("GET", `/admin/events/${eventId}`)).body;
      expect(shown).toMatchObject({ suffix: "/***", query: "token=***" });
      await relay.call("POST", `/admin/events/${eventId}/release`, {});
      expect(relay.sentEvents[0]?.event).toMatchObject({ suffix: "/***", query: "token=***" });
      const item = (await dump()).find(({ pk }) => pk === `EVT#${eventId}`);
      const clear = JSON.stringify([report.body, shown, item, relay.sentEvents]);
      expect(clear).not.toMatch(/secret of|secret%20of/);
    });

    test("is refused for an event that was accepted, and for a source that is gone", async () => {
      await relay.call("PUT", "/admin/sources/shop", { verification: github });
      const eventId = await post({ body: "{}" });
      await relay.call("DELETE", "/admin/sources/shop");
      for (const action of ["verify", "release"]) {
        const gone = await relay.call("POST", `/admin/events/${eventId}/${action}`, {});
        expect([gone.status, gone.body.code]).toEqual([404, "unknown_source"]);
      }
      const event = {
        eventId: eventIdFromKey("shop", "1"),
        sourceId: "shop",
        method: "POST",
        suffix: "",
        query: "",
        type: null,
        receivedAtMs: relay.clock.nowMs,
        bodySha256: "00",
        bodyBytes: 0,
        verifiedBy: null,
        dedupeKey: "1",
      };
      await relay.context.events.storeEvent({
        event,
        content: { at: "inline", packed: Buffer.alloc(0) },
        subscriptionIds: [],
      });
      const refused = await relay.call("POST", `/admin/events/${event.eventId}/verify`, {});
      expect([refused.status, refused.body.code]).toEqual([409, "not_quarantined"]);
      expect((await relay.call("POST", "/admin/events/evt_1/release", {})).status).toBe(404);
    });
  });

  describe("releasing", () => {
    const source = {
      verification: github,
      dedupe: { from: "json", pointer: "/id" },
      eventType: { from: "json", pointer: "/type" },
    };
    const userArn = "arn:aws:iam::111122223333:user/operator";
    const releaseIt = (eventId: string) => relay.call("POST", `/admin/events/${eventId}/release`, {}, { userArn });

    test("sends the event with the identity that it would have had, and notes who and when", async () => {
      await relay.call("PUT", "/admin/sources/shop", source);
      const body = '{"id":"order-1","type":"order.paid"}';
      const eventId = await post({ body, headers: json, query: "a=%20" });
      relay.clock.nowMs += 60_000;
      const released = await releaseIt(eventId);
      const releasedAs = eventIdFromKey("shop", "order-1");
      expect(released.status).toBe(200);
      expect(released.body).toMatchObject({
        eventId,
        state: "released",
        quarantine: { releasedAt: iso(relay.clock.nowMs), releasedBy: userArn, releasedAs },
      });
      expect(relay.sentEvents).toHaveLength(1);
      const [sent] = relay.sentEvents;
      expect(sent?.event).toMatchObject({
        eventId: releasedAs,
        dedupeKey: "order-1",
        type: "order.paid",
        query: "a=%20",
        releasedFrom: eventId,
        receivedAtMs: relay.clock.nowMs - 60_000,
      });
      const content = sent?.content.at === "inline" ? unpackContent(sent.content.packed) : null;
      expect(content).toEqual({ headers: [["content-type", "application/json"]], body: Buffer.from(body) });
      expect(await list()).toEqual([]);
      expect((await relay.call("GET", `/admin/events/${eventId}`)).body.state).toBe("released");
      expect(relay.lines).toContainEqual(
        expect.objectContaining({ fields: expect.objectContaining({ operation: "event.release", caller: userArn }) }),
      );
    });

    test("is done once, however often it is asked for, also at the same time", async () => {
      await relay.call("PUT", "/admin/sources/shop", { verification: github });
      const eventId = await post({ body: "{}" });
      const answers = await Promise.all([releaseIt(eventId), releaseIt(eventId), releaseIt(eventId)]);
      answers.push(await releaseIt(eventId));
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
      expect(new Set(answers.map(({ body }) => JSON.stringify(body.quarantine))).size).toBe(1);
      // Whatever was sent twice is one event by its id.
      expect(new Set(relay.sentEvents.map(({ event }) => event.eventId)).size).toBe(1);
      const sent = relay.sentEvents.length;
      await releaseIt(eventId);
      expect(relay.sentEvents).toHaveLength(sent);
      expect(relay.sentEvents[0]?.event.eventId).not.toBe(eventId);
    });

    test("is done again when the queue did not take it", async () => {
      await relay.call("PUT", "/admin/sources/shop", { verification: github });
      const eventId = await post({ body: "{}" });
      const { eventQueue } = relay.context;
      const failing = { sendEvent: () => Promise.reject(new Error("down")) };
      Object.assign(relay.context, { eventQueue: failing });
      expect((await releaseIt(eventId)).status).toBe(500);
      expect((await list())[0].state).toBe("quarantined");
      Object.assign(relay.context, { eventQueue });
      expect((await releaseIt(eventId)).status).toBe(200);
      expect(relay.sentEvents).toHaveLength(1);
    });

    test("of a large body sends it as an accepted event would be sent", async () => {
      await relay.call("PUT", "/admin/sources/shop", { verification: github });
      const body = randomBytes(900_000);
      const eventId = await post({ body });
      await releaseIt(eventId);
      const [sent] = relay.sentEvents;
      const key = sent?.content.at === "bucket" ? sent.content.key : "";
      expect(key).toContain(sent?.event.eventId);
      expect(unpackContent(relay.contents.get(key) ?? Buffer.alloc(0)).body.equals(body)).toBe(true);
    });
  });
});

import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type AdminRelay, startAdminRelay } from "../support/admin-relay.js";

const given = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const daySeconds = 86_400;

describe("POST /admin/subscriptions/{subscriptionId}/rotate-secret", () => {
  let relay: AdminRelay;
  let path: string;
  let firstId: string;

  beforeEach(async () => {
    relay = await startAdminRelay();
    await relay.call("POST", "/admin/sources", { sourceId: "shop" });
    const { body } = await relay.call("POST", "/admin/sources/shop/subscriptions", { url: "https://d.example/" });
    path = `/admin/subscriptions/${body.subscriptionId}`;
    firstId = body.secrets[0].id;
  });

  afterEach(() => relay.close());

  const rotate = (body: object = {}, headers = {}) => relay.call("POST", `${path}/rotate-secret`, body, { headers });
  const advance = (seconds: number) => {
    relay.clock.nowMs += seconds * 1000;
  };
  const stored = async (): Promise<Readonly<Record<string, string>>> => {
    const found = await relay.context.subscriptions.findSubscription(path.split("/").at(-1) ?? "");
    return found === null ? {} : relay.context.subscriptions.openSecrets(found.record);
  };

  test("a new secret is made and shown once; the old one keeps a day", async () => {
    const { status, body, headers } = await rotate();
    expect([status, headers["etag"]]).toEqual([200, '"2"']);
    expect(body.signingSecret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(body.secrets).toEqual([
      { id: expect.stringMatching(/^sec_/), createdAt: "2026-01-31T12:00:00.000Z", expiresAt: null },
      { id: firstId, createdAt: "2026-01-31T12:00:00.000Z", expiresAt: "2026-02-01T12:00:00.000Z" },
    ]);
    expect((await stored())[body.secrets[0].id]).toBe(body.signingSecret);
    const { signingSecret: _once, ...shown } = body;
    expect((await relay.call("GET", path)).body).toEqual(shown);
  });

  test("a secret that is given is taken and not shown; said again it is no third one", async () => {
    const first = await rotate({ signingSecret: given });
    expect(JSON.stringify(first.body)).not.toContain(given);
    const again = await rotate({ signingSecret: given });
    expect(again.body.secrets).toEqual(first.body.secrets);
    expect(Object.values(await stored())).toContain(given);
  });

  test("with an overlap of 0 the old ones end at once and are no longer stored", async () => {
    await rotate();
    const { body } = await rotate({ overlapSeconds: 0 });
    expect(body.secrets).toHaveLength(1);
    expect(Object.values(await stored())).toEqual([body.signingSecret]);
  });

  test("a secret whose time is over is not shown, and its value goes with the next change", async () => {
    await rotate({ overlapSeconds: 60 });
    advance(59.999);
    expect((await relay.call("GET", path)).body.secrets).toHaveLength(2);
    advance(0.001);
    expect((await relay.call("GET", path)).body.secrets).toHaveLength(1);
    expect(Object.keys(await stored())).toHaveLength(2);
    await rotate({ overlapSeconds: daySeconds });
    expect(Object.keys(await stored())).toHaveLength(2);
    expect(await stored()).not.toHaveProperty(firstId);
  });

  test("a second rotation never gives an old secret more time", async () => {
    await rotate({ overlapSeconds: 60 });
    const { body } = await rotate({ overlapSeconds: daySeconds });
    expect(body.secrets.map(({ expiresAt }: { expiresAt: string | null }) => expiresAt)).toEqual([
      null,
      "2026-02-01T12:00:00.000Z",
      "2026-01-31T12:01:00.000Z",
    ]);
  });

  test("a patch of something else leaves a rotation as it is; the same secret again too", async () => {
    const { body } = await rotate({ signingSecret: given });
    const patched = await relay.call("PATCH", path, { description: "new", signingSecret: given });
    expect(patched.body.secrets).toEqual(body.secrets);
    const version = patched.body.version;
    expect((await relay.call("PATCH", path, { signingSecret: given })).body.version).toBe(version);
  });

  test("one of several is revoked by its id at once; the one that stays is not", async () => {
    const { body } = await rotate();
    const revoked = await relay.call("DELETE", `${path}/secrets/${firstId}`);
    expect([revoked.status, revoked.body.secrets]).toEqual([200, [body.secrets[0]]]);
    expect(await stored()).not.toHaveProperty(firstId);
    expect((await relay.call("DELETE", `${path}/secrets/${firstId}`)).body.code).toBe("unknown_secret");
    const last = await relay.call("DELETE", `${path}/secrets/${body.secrets[0].id}`);
    expect([last.status, last.body.code]).toEqual([409, "last_secret"]);
  });

  test("the newest cannot be revoked while what is left has an end", async () => {
    const { body } = await rotate();
    expect((await relay.call("DELETE", `${path}/secrets/${body.secrets[0].id}`)).body.code).toBe("last_secret");
  });

  test("ten live ones are the most", async () => {
    for (let n = 0; n < 9; n++) expect((await rotate()).status).toBe(200);
    const refused = await rotate();
    expect([refused.status, refused.body.code]).toEqual([409, "too_many_secrets"]);
    expect((await rotate({ overlapSeconds: 0 })).status).toBe(200);
  });

  test.each([
    [{ overlapSeconds: -1 }, "overlapSeconds"],
    [{ overlapSeconds: 1.5 }, "overlapSeconds"],
    [{ overlapSeconds: 31 * daySeconds }, "overlapSeconds"],
    [{ signingSecret: "secret" }, "signingSecret"],
    [{ overlap: 1 }, "overlap"],
  ])("%j is refused", async (body, field) => {
    const { status, body: problem } = await rotate(body);
    expect([status, problem.errors[0].field]).toEqual([400, field]);
  });

  test("a rotation that is sent again with If-Match is refused: the version is another by then", async () => {
    expect((await rotate({}, { "if-match": '"1"' })).status).toBe(200);
    expect((await rotate({}, { "if-match": '"1"' })).status).toBe(412);
  });

  test("no secret is in the log", async () => {
    const { body } = await rotate({ signingSecret: given });
    expect(JSON.stringify([relay.lines, body])).not.toContain(given.slice(6));
    expect(relay.lines.at(-1)?.fields).toMatchObject({ operation: "subscription.rotate_secret" });
  });
});

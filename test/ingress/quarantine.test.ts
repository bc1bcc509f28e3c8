import { randomBytes } from "node:crypto";
import { describe, expect, it } from "vitest";
import { unpackContent } from "../../functions/core/content.js";
import type { EventMeta, Verification } from "../../functions/core/model.js";
import { type HttpApiRequest, httpApiEvent } from "../support/http-api-event.js";
import { aGithubSource, anOpenSource, ingressRig } from "../support/ingress-rig.js";

const quarantine = { onFailure: "quarantine" } as const;
const source = aGithubSource({
  verification: { scheme: "github", ...quarantine },
  dedupe: { from: "header", name: "x-github-delivery" },
});
const forged = httpApiEvent({
  path: "/in/src/a",
  query: "x=%20",
  headers: { "content-type": "application/json", "x-github-delivery": "72d3162e", cookie: "a=b" },
  body: '{"a":1}',
});

describe("a request that cannot be verified", () => {
  it("is answered as one that is rejected, and kept under a fresh id without a dedupe key", async () => {
    const rig = ingressRig(source);
    const rejecting = ingressRig(aGithubSource());
    const [kept, rejected] = [await rig.receive(forged), await rejecting.receive(forged)];
    expect([kept.statusCode, kept.headers, kept.body]).toEqual([401, rejected.headers, rejected.body]);
    expect([rig.queue, rejecting.quarantined]).toEqual([[], []]);
    const [found] = rig.quarantined;
    expect(found).toMatchObject({ reason: "missing signature header", credentials: { headers: [] } });
    expect(found?.event).toMatchObject({ suffix: "/a", query: "x=%20", dedupeKey: null, verifiedBy: null });
    const packed = found?.content.at === "inline" ? found.content.packed : Buffer.alloc(0);
    expect(unpackContent(packed)).toEqual({
      headers: [
        ["content-type", "application/json"],
        ["x-github-delivery", "72d3162e"],
      ],
      body: Buffer.from('{"a":1}'),
    });
    await rig.receive(forged);
    expect(new Set(rig.quarantined.map(({ event }) => event.eventId)).size).toBe(2);
    expect(rig.logged[0]?.fields["quarantine"]).toEqual({ kept: true, eventId: found?.event.eventId });
  });

  it.each<[string, Omit<Verification, "onFailure">, Record<string, string>]>([
    ["basic", { scheme: "basic" }, { authorization: "Basic aHVzaDpodXNo" }],
    ["header-token", { scheme: "header-token", headerToken: { header: "X-Token" } }, { "x-token": "hush hush" }],
    ["gitlab", { scheme: "gitlab" }, { "x-gitlab-token": "hush hush" }],
  ])("hands its credential over apart from its headers: %s", async (_, verification, headers) => {
    const rig = ingressRig(
      anOpenSource({
        verification: { ...verification, ...quarantine },
        secrets: [{ id: "sec_1", createdAtMs: 0 }],
        secretValues: [{ id: "sec_1", value: "user:another" }],
      }),
    );
    await rig.receive(httpApiEvent({ headers, body: "{}" }));
    const [found] = rig.quarantined;
    expect(found?.credentials).toEqual({ headers: Object.entries(headers) });
    const packed = found?.content.at === "inline" ? found.content.packed : Buffer.alloc(0);
    expect(JSON.stringify(unpackContent(packed).headers) + JSON.stringify(rig.logged)).not.toMatch(/hush|aHVza/);
  });

  it("hands over apart what holds a live secret in whatever header, where the source names the wrong one", async () => {
    const secret = "user:a long password";
    const rig = ingressRig(
      anOpenSource({
        verification: { scheme: "header-token", headerToken: { header: "x-token" }, ...quarantine },
        secrets: [{ id: "sec_1", createdAtMs: 0 }],
        secretValues: [{ id: "sec_1", value: secret }],
      }),
    );
    const headers = {
      "x-api-token": `Token ${secret}`,
      authorization: `Basic ${Buffer.from(secret).toString("base64")}`,
      "x-other": "user: another",
    };
    await rig.receive(httpApiEvent({ headers, body: "{}" }));
    const [found] = rig.quarantined;
    expect(found?.credentials.headers.map(([name]) => name)).toEqual(["x-api-token", "authorization"]);
    const packed = found?.content.at === "inline" ? found.content.packed : Buffer.alloc(0);
    expect(unpackContent(packed).headers).toEqual([["x-other", "user: another"]]);
  });

  describe("that says a secret of its source where none belongs", () => {
    const token = "tok-zzz/98765 é";
    const verifyToken = "vt-12345-xyz";
    const handed = anOpenSource({
      verification: { scheme: "header-token", headerToken: { header: "x-tok" }, ...quarantine },
      handshake: { kind: "meta", verifyToken: { id: "sec_2", createdAtMs: 0 } },
      eventType: { from: "header", name: "x-event" },
      secrets: [{ id: "sec_1", createdAtMs: 0 }],
      secretValues: [{ id: "sec_1", value: token }],
      verifyToken,
    });
    const base64 = Buffer.from(token).toString("base64");

    it.each<[string, HttpApiRequest, Partial<EventMeta>]>([
      ["in the query", { query: `a=1&x-tok=${encodeURIComponent(token)}&b` }, { query: "a=1&x-tok=***&b" }],
      [
        "in the query, escaped twice",
        { query: `x=${encodeURIComponent(encodeURIComponent(token))}` },
        { query: "x=***" },
      ],
      ["in the query, as a form", { query: `${new URLSearchParams({ x: token })}` }, { query: "x=***" }],
      ["in the query, in base64", { query: `x=${encodeURIComponent(base64)}&y=z` }, { query: "x=***&y=z" }],
      ["in the query, as a name", { query: verifyToken }, { query: "***" }],
      ["over several segments of the suffix", { path: `/in/src/a/${token}` }, { suffix: "/***" }],
      ["in the suffix, escaped", { path: `/in/src/a/x${verifyToken.replace("-", "%2D")}/b` }, { suffix: "/a/***/b" }],
      [
        "in a handshake by another method",
        { query: `hub.mode=subscribe&hub.verify_token=${verifyToken}&hub.challenge=1` },
        { query: "hub.mode=subscribe&hub.verify_token=***&hub.challenge=1" },
      ],
      ["in a header", { headers: { "x-other": verifyToken } }, {}],
      ["in a header that becomes its type", { headers: { "x-event": verifyToken } }, { type: null }],
      ["as a password", { headers: { authorization: `basic ${btoa(`me:${verifyToken}`)}` } }, {}],
      ["in the URL of a page", { headers: { referer: `https://example.com/?t=vt%2d12345%2dxyz` } }, {}],
    ])("hands it over apart: %s", async (_, request, shown) => {
      const rig = ingressRig(handed);
      await rig.receive(httpApiEvent({ path: "/in/src", body: "{}", ...request }));
      const [found] = rig.quarantined;
      expect(found?.event).toMatchObject(shown);
      const packed = found?.content.at === "inline" ? found.content.packed : Buffer.alloc(0);
      expect(unpackContent(packed).headers).toEqual([]);
      expect(found?.credentials).toEqual({
        headers: Object.entries(request.headers ?? {}),
        ...(request.query === undefined ? {} : { query: request.query }),
        ...(request.path === undefined ? {} : { suffix: request.path.slice("/in/src".length) }),
      });
    });
  });

  it.each(["table", "bucket"] as const)(
    "is 401 also when the %s does not take it, and the log says why",
    async (part) => {
      const rig = ingressRig(source);
      rig.failing.add(part);
      const answer = await rig.receive(httpApiEvent({ body: randomBytes(9_000) }));
      expect(answer.statusCode).toBe(401);
      expect(rig.quarantined).toEqual([]);
      expect(rig.logged[0]?.fields["quarantine"]).toMatchObject({ kept: false, error: new Error(`${part} is down`) });
    },
  );

  it("is only counted from the 101st of a day on", async () => {
    const rig = ingressRig(source);
    for (let sent = 0; sent < 102; sent++) expect((await rig.receive(forged)).statusCode).toBe(401);
    expect(rig.quarantined).toHaveLength(100);
    expect(rig.logged.at(-1)?.fields["quarantine"]).toEqual({ kept: false, countToday: 102 });
  });

  it("costs a verified one nothing: the quarantine is not asked", async () => {
    const rig = ingressRig(anOpenSource());
    rig.failing.add("table");
    expect((await rig.receive(httpApiEvent({ body: "{}" }))).statusCode).toBe(202);
  });
});

describe("an accepted event", () => {
  it("shows none of its source's secrets outside its body, and takes neither type nor identity from one", async () => {
    const secret = "Bearer tok-zzz-98765";
    const rig = ingressRig(
      anOpenSource({
        verification: { scheme: "header-token", headerToken: { header: "Authorization" }, ...quarantine },
        dedupe: { from: "header", name: "authorization" },
        eventType: { from: "header", name: "x-copy" },
        secrets: [{ id: "sec_1", createdAtMs: 0 }],
        secretValues: [{ id: "sec_1", value: secret }],
      }),
    );
    const headers = { authorization: secret, "x-copy": "tok-zzz-98765", "x-other": "kept" };
    const request = { path: "/in/src/tok-zzz-98765/a", query: "token=tok%2Dzzz-98765", headers, body: "{}" };
    expect((await rig.receive(httpApiEvent(request))).statusCode).toBe(202);
    const [found] = rig.accepted();
    expect(found?.event).toMatchObject({ suffix: "/***/a", query: "token=***", type: null, dedupeKey: null });
    expect(found?.event.dedupeMissed).toBe("no_value");
    expect(found?.content.headers).toEqual([["x-other", "kept"]]);
  });

  it("of a source without verification shows no verify token: a handshake of another mode is an event", async () => {
    const handshake = { kind: "meta", verifyToken: { id: "sec_2", createdAtMs: 0 } } as const;
    const rig = ingressRig(anOpenSource({ handshake, verifyToken: "vt-12345-xyz" }));
    const query = "hub.mode=unsubscribe&hub.verify_token=vt-12345-xyz";
    expect((await rig.receive(httpApiEvent({ method: "GET", query }))).statusCode).toBe(202);
    expect(rig.accepted()[0]?.event.query).toBe("hub.mode=unsubscribe&hub.verify_token=***");
  });
});

import { createHmac } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { eventually, startRelay, type TestRelay } from "../support/relay.js";

/** What providers ask before they send events, and secrets that come and go, on the deployed bundles. */

let relay: TestRelay;
beforeAll(async () => {
  relay = await startRelay();
});
afterAll(async () => {
  await relay.close();
});

const secret = "a shared secret of some length";
const hmac = (text: string, key = secret) => createHmac("sha256", key).update(text).digest("hex");
const json = { "content-type": "application/json" };

interface Asked {
  readonly verification?: object;
  readonly handshake: object;
  readonly method?: "GET";
  readonly query?: string;
  readonly body?: string;
  readonly headers?: (body: string) => Record<string, string>;
  readonly answer: string;
  /** What the same request is answered with unsigned, or with another token; null: the provider signs nothing. */
  readonly forged: number | null;
}

const v0 = (signature: string, timestamp: string) => (body: string) => {
  const seconds = String(Math.floor(Date.now() / 1000));
  return { ...json, [timestamp]: seconds, [signature]: `v0=${hmac(`v0:${seconds}:${body}`)}` };
};

const twitch = {
  header: "twitch-eventsub-message-signature",
  prefix: "sha256=",
  content: "{header:twitch-eventsub-message-id}{header:twitch-eventsub-message-timestamp}{body}",
};

const asked: Readonly<Record<string, Asked>> = {
  slack: {
    verification: { scheme: "slack", secrets: [secret] },
    handshake: { kind: "slack" },
    body: '{"token":"t","challenge":"3eZbrw1aBm2rZgRNFdxV2595E9CY","type":"url_verification"}',
    headers: v0("x-slack-signature", "x-slack-request-timestamp"),
    answer: "3eZbrw1aBm2rZgRNFdxV2595E9CY",
    forged: 401,
  },
  zoom: {
    verification: { scheme: "zoom", secrets: [secret] },
    handshake: { kind: "zoom" },
    body: '{"payload":{"plainToken":"qgg8vlvZRS6UYooatFL8Aw"},"event_ts":1,"event":"endpoint.url_validation"}',
    headers: v0("x-zm-signature", "x-zm-request-timestamp"),
    answer: JSON.stringify({
      plainToken: "qgg8vlvZRS6UYooatFL8Aw",
      encryptedToken: hmac("qgg8vlvZRS6UYooatFL8Aw"),
    }),
    forged: 401,
  },
  twitch: {
    verification: { scheme: "hmac", secrets: [secret], hmac: twitch },
    handshake: { kind: "twitch" },
    body: '{"challenge":"pogchamp-kappa-360noscope-vohiyo","subscription":{"type":"channel.follow"}}',
    headers: (body) => ({
      ...json,
      "twitch-eventsub-message-type": "webhook_callback_verification",
      "twitch-eventsub-message-id": "e76c6bd4",
      "twitch-eventsub-message-timestamp": "2019-11-16T10:11:12.634234626Z",
      "twitch-eventsub-message-signature": `sha256=${hmac(`e76c6bd42019-11-16T10:11:12.634234626Z${body}`)}`,
    }),
    answer: "pogchamp-kappa-360noscope-vohiyo",
    forged: 401,
  },
  meta: {
    handshake: { kind: "meta", verifyToken: "meaty ham hock" },
    method: "GET",
    query: "?hub.mode=subscribe&hub.challenge=1158201444&hub.verify_token=meaty+ham+hock",
    answer: "1158201444",
    forged: 403,
  },
  graph: {
    handshake: { kind: "graph" },
    query: "?validationToken=Validation%3A+Testing+client+application",
    body: "",
    answer: "Validation: Testing client application",
    forged: null,
  },
  dropbox: {
    handshake: { kind: "dropbox" },
    method: "GET",
    query: "?challenge=abc-123",
    answer: "abc-123",
    forged: null,
  },
};

describe.each(Object.entries(asked))("the handshake of %s", (sourceId, each) => {
  const { method = "POST", query = "", body, headers = () => json } = each;
  const send = (target: string, sent: Record<string, string>) =>
    fetch(`${relay.engine.gatewayUrl}/in/${sourceId}${target}`, {
      method,
      headers: sent,
      ...(body === undefined ? {} : { body }),
    });

  it("is answered as inert text or JSON, is no event, and is refused to whoever did not sign it", async () => {
    await relay.source({ sourceId, verification: each.verification ?? null, handshake: each.handshake });
    const answer = await send(query, headers(body ?? ""));
    expect([answer.status, await answer.text()]).toEqual([200, each.answer]);
    expect(answer.headers.get("content-type")).toMatch(/^(text\/plain|application\/json)/);
    expect(answer.headers.get("x-content-type-options")).toBe("nosniff");
    const unsigned = Object.entries(headers(body ?? "")).filter(([name]) => !name.endsWith("signature"));
    const forged = await send(query.replace("hock", "ham"), Object.fromEntries(unsigned));
    if (each.forged !== null) expect(forged.status).toBe(each.forged);
    const { items } = await relay.admin<{ items: unknown[] }>("GET", `/admin/events?sourceId=${sourceId}`);
    expect(items).toEqual([]);
  });
});

describe("the secrets of a source", () => {
  it("all count while they are there: two, then the one that was left", async () => {
    const of = (...secrets: string[]) => ({ verification: { scheme: "github", secrets } });
    await relay.source({ sourceId: "rotating", ...of("old secret", "new secret") });
    const status = async (key: string) => {
      const headers = { ...json, "x-hub-signature-256": `sha256=${hmac("{}", key)}` };
      return (await relay.post("/in/rotating", "{}", headers)).status;
    };
    expect([await status("old secret"), await status("new secret"), await status("another")]).toEqual([202, 202, 401]);
    await relay.admin("PATCH", "/admin/sources/rotating", of("new secret"));
    // Ingress knows a source for up to 10 s.
    await eventually(async () => ((await status("old secret")) === 401 ? true : undefined));
    expect(await status("new secret")).toBe(202);
  });
});

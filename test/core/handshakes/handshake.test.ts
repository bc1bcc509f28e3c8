import { createHmac } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { recogniseHandshake } from "../../../functions/core/handshakes/handshake.js";
import type {
  HandshakeReply,
  HandshakeRequest,
  HandshakeSecrets,
} from "../../../functions/core/handshakes/recognised.js";
import type { Handshake } from "../../../functions/core/model.js";

const request = (given: Partial<HandshakeRequest> = {}): HandshakeRequest => ({
  method: "POST",
  query: "",
  headers: [],
  body: Buffer.alloc(0),
  ...given,
});

const jsonRequest = (value: unknown, given: Partial<HandshakeRequest> = {}): HandshakeRequest =>
  request({ body: Buffer.from(JSON.stringify(value)), ...given });

const meta: Handshake = { kind: "meta", verifyToken: { id: "sec_1", createdAtMs: 0 } };
const sns: Handshake = { kind: "sns" };

function reply(
  handshake: Handshake,
  asked: HandshakeRequest,
  secrets: Partial<HandshakeSecrets> = {},
): HandshakeReply | null {
  return recogniseHandshake(handshake, asked)?.reply({ verifiedBy: null, verifyToken: null, ...secrets }) ?? null;
}

describe("Slack's handshake", () => {
  const asked = jsonRequest({
    token: "t",
    challenge: "3eZbrw1aBm2rZgRNFdxV2595E9CY3gmdALWMmHkvFXO7tYXAYM8P",
    type: "url_verification",
  });

  it("echoes the challenge, once the signature is verified", () => {
    expect(recogniseHandshake({ kind: "slack" }, asked)?.signed).toBe(true);
    expect(reply({ kind: "slack" }, asked)).toEqual({ echo: "3eZbrw1aBm2rZgRNFdxV2595E9CY3gmdALWMmHkvFXO7tYXAYM8P" });
  });

  it.each([
    ["an event", jsonRequest({ type: "event_callback", challenge: "x" })],
    ["a form", request({ body: Buffer.from("type=url_verification&challenge=x") })],
    ["a list", jsonRequest([{ type: "url_verification", challenge: "x" }])],
    ["a GET", { ...asked, method: "GET" }],
  ])("is not %s", (_, event) => {
    expect(recogniseHandshake({ kind: "slack" }, event)).toBeNull();
  });
});

describe("Meta's handshake", () => {
  const query = "hub.mode=subscribe&hub.challenge=1537258&hub.verify_token=meatyhamhock";
  const asked = request({ method: "GET", query });

  it("echoes the challenge to whoever knows the token", () => {
    expect(reply(meta, asked, { verifyToken: "meatyhamhock" })).toEqual({ echo: "1537258" });
  });

  it("takes a token that has to be encoded in a query", () => {
    const encoded = request({ method: "GET", query: "hub.mode=subscribe&hub.verify_token=a%26b+c&hub.challenge=1" });
    expect(reply(meta, encoded, { verifyToken: "a&b c" })).toEqual({ echo: "1" });
  });

  it.each([
    ["another token", "meatyhamhoc", query],
    ["no token in the request", "meatyhamhock", "hub.mode=subscribe&hub.challenge=1537258"],
    ["no challenge", "meatyhamhock", "hub.mode=subscribe&hub.verify_token=meatyhamhock"],
    ["no token stored", null, "hub.mode=subscribe&hub.challenge=1&hub.verify_token="],
  ])("is refused with %s", (_, verifyToken, asks) => {
    expect(reply(meta, request({ method: "GET", query: asks }), { verifyToken })).toHaveProperty("refused");
  });

  it("is no POST, and no GET of another mode", () => {
    expect(recogniseHandshake(meta, request({ query }))).toBeNull();
    expect(recogniseHandshake(meta, request({ method: "GET", query: "hub.mode=unsubscribe" }))).toBeNull();
  });
});

describe("Zoom's handshake", () => {
  const asked = (plainToken: unknown) =>
    jsonRequest({ payload: { plainToken }, event_ts: 1654503849680, event: "endpoint.url_validation" });

  it("answers the token with its HMAC under the secret that verified the request", () => {
    expect(recogniseHandshake({ kind: "zoom" }, asked("x"))?.signed).toBe(true);
    const encryptedToken = createHmac("sha256", "secret token").update("qgg8vlvZRS6UYooatFL8Aw").digest("hex");
    expect(reply({ kind: "zoom" }, asked("qgg8vlvZRS6UYooatFL8Aw"), { verifiedBy: "secret token" })).toEqual({
      json: { plainToken: "qgg8vlvZRS6UYooatFL8Aw", encryptedToken },
    });
  });

  it("signs nothing that could be a signature's text, and nothing without a secret", () => {
    const secrets = { verifiedBy: "secret token" };
    for (const token of ['v0:1654503849:{"event":"x"}', "", 7, null, "a".repeat(257)]) {
      expect(reply({ kind: "zoom" }, asked(token), secrets)).toHaveProperty("refused");
    }
    expect(reply({ kind: "zoom" }, jsonRequest({ event: "endpoint.url_validation" }), secrets)).toHaveProperty(
      "refused",
    );
    expect(reply({ kind: "zoom" }, asked("abc"))).toHaveProperty("refused");
  });

  it("is no other event", () => {
    expect(recogniseHandshake({ kind: "zoom" }, jsonRequest({ event: "meeting.started" }))).toBeNull();
  });
});

describe("the handshake of Microsoft Graph", () => {
  it("echoes the decoded token, and asks for no signature", () => {
    const token = "Validation%3a+Testing+client+application+reachability+Request-Id%3a+522a8e7e%2Bx";
    const asked = request({ query: `validationToken=${token}` });
    expect(recogniseHandshake({ kind: "graph" }, asked)?.signed).toBe(false);
    expect(reply({ kind: "graph" }, asked)).toEqual({
      echo: "Validation: Testing client application reachability Request-Id: 522a8e7e+x",
    });
  });

  it("is no notification", () => {
    expect(recogniseHandshake({ kind: "graph" }, jsonRequest({ value: [] }))).toBeNull();
    expect(recogniseHandshake({ kind: "graph" }, request({ method: "GET", query: "validationToken=a" }))).toBeNull();
  });
});

describe("Twitch's handshake", () => {
  const headers = [["twitch-eventsub-message-type", "webhook_callback_verification"]] as const;
  const asked = jsonRequest({ challenge: "pogchamp-kappa-360noscope-vohiyo", subscription: {} }, { headers });

  it("echoes the challenge, once the signature is verified", () => {
    expect(recogniseHandshake({ kind: "twitch" }, asked)?.signed).toBe(true);
    expect(reply({ kind: "twitch" }, asked)).toEqual({ echo: "pogchamp-kappa-360noscope-vohiyo" });
  });

  it("is refused without a challenge, and is no notification", () => {
    expect(reply({ kind: "twitch" }, request({ headers }))).toHaveProperty("refused");
    const notification = { ...asked, headers: [["twitch-eventsub-message-type", "notification"]] as const };
    expect(recogniseHandshake({ kind: "twitch" }, notification)).toBeNull();
  });
});

describe("Dropbox's handshake", () => {
  it("echoes the challenge of a GET", () => {
    const asked = request({ method: "GET", query: "challenge=C6TjS7DMHZ" });
    expect(recogniseHandshake({ kind: "dropbox" }, asked)?.signed).toBe(false);
    expect(reply({ kind: "dropbox" }, asked)).toEqual({ echo: "C6TjS7DMHZ" });
  });

  it("is no POST, and no GET without one", () => {
    expect(recogniseHandshake({ kind: "dropbox" }, request({ query: "challenge=x" }))).toBeNull();
    expect(recogniseHandshake({ kind: "dropbox" }, request({ method: "GET" }))).toBeNull();
  });
});

describe("every handshake", () => {
  const kinds: readonly Handshake[] = [
    { kind: "slack" },
    { kind: "zoom" },
    { kind: "graph" },
    { kind: "twitch" },
    { kind: "dropbox" },
    meta,
    sns,
  ];
  const ask: Readonly<Record<string, (challenge: string) => HandshakeRequest>> = {
    slack: (challenge) => jsonRequest({ type: "url_verification", challenge }),
    graph: (challenge) => request({ query: `validationToken=${encodeURIComponent(challenge)}` }),
    dropbox: (challenge) => request({ method: "GET", query: `challenge=${encodeURIComponent(challenge)}` }),
    meta: (challenge) =>
      request({
        method: "GET",
        query: `hub.mode=subscribe&hub.verify_token=v&hub.challenge=${encodeURIComponent(challenge)}`,
      }),
    twitch: (challenge) =>
      jsonRequest({ challenge }, { headers: [["twitch-eventsub-message-type", "webhook_callback_verification"]] }),
  };

  it.each(Object.keys(ask))("of the kind %s reflects no markup, no control character and no long text", (kind) => {
    const handshake = kinds.find((each) => each.kind === kind) as Handshake;
    for (const challenge of ["<script>alert(1)</script>", "a\r\nset-cookie: a=b", "\0", "x".repeat(1_025), ""]) {
      expect(
        reply(handshake, (ask[kind] as (text: string) => HandshakeRequest)(challenge), { verifyToken: "v" }),
      ).toHaveProperty("refused");
    }
    const most = "x".repeat(1_024);
    expect(reply(handshake, (ask[kind] as (text: string) => HandshakeRequest)(most), { verifyToken: "v" })).toEqual({
      echo: most,
    });
  });

  it("never throws, and echoes harmless text only", () => {
    const json = fc.oneof(
      fc.json(),
      fc
        .record({ type: fc.constant("url_verification"), challenge: fc.anything() })
        .map((value) => JSON.stringify(value)),
    );
    fc.assert(
      fc.property(
        fc.constantFrom(...kinds),
        fc.constantFrom("GET", "POST"),
        fc.oneof(
          fc.string(),
          fc.webQueryParameters(),
          fc.string().map((text) => `challenge=${text}`),
        ),
        fc.oneof(
          json.map((text) => Buffer.from(text)),
          fc.uint8Array().map((bytes) => Buffer.from(bytes)),
        ),
        (handshake, method, query, body) => {
          const found = reply(handshake, request({ method, query, body }), { verifyToken: "v", verifiedBy: "s" });
          if (found !== null && "echo" in found) expect(found.echo).toMatch(/^[^<\p{Cc}]{1,1024}$/u);
        },
      ),
    );
  });

  it("of a kind that this version does not know is none", () => {
    expect(recogniseHandshake({ kind: "later" } as unknown as Handshake, request())).toBeNull();
  });
});

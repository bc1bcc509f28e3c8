import { validateHeaderName, validateHeaderValue } from "node:http";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Headers } from "../../functions/core/model.js";
import { type OutboundHeadersInput, outboundHeaders, storableHeaders } from "../../functions/core/outbound-headers.js";
import { signatureHeader } from "../../functions/core/standard-webhooks.js";

const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const body = Buffer.from('{"n":"Müller 😀"}');

const input = (received: Headers, overrides: Partial<OutboundHeadersInput> = {}): OutboundHeadersInput => ({
  received,
  verification: null,
  signing: "standard-webhooks",
  webhookId: "dlv_1",
  eventId: "evt_1",
  attempt: 3,
  receivedAtMs: Date.UTC(2026, 0, 1, 12),
  timestampSeconds: 1_767_268_800,
  body,
  secrets: [secret],
  ...overrides,
});
const sent = (received: Headers, overrides: Partial<OutboundHeadersInput> = {}) =>
  Object.fromEntries(outboundHeaders(input(received, overrides)));

describe("headers of an attempt", () => {
  it("are the provider's, the relay's own and the signature", () => {
    const received: Headers = [
      ["content-type", "application/json"],
      ["user-agent", "GitHub-Hookshot/1"],
      ["x-github-event", "push"],
    ];
    expect(outboundHeaders(input(received))).toEqual([
      ["content-type", "application/json"],
      ["user-agent", "GitHub-Hookshot/1"],
      ["x-github-event", "push"],
      ["accept-encoding", "identity"],
      ["steadyhook-event-id", "evt_1"],
      ["steadyhook-attempt", "3"],
      ["steadyhook-received-at", "2026-01-01T12:00:00.000Z"],
      ["webhook-id", "dlv_1"],
      ["webhook-timestamp", "1767268800"],
      ["webhook-signature", signatureHeader({ secrets: [secret], id: "dlv_1", timestampSeconds: 1_767_268_800, body })],
    ]);
  });

  it("are the subscription's own where it has some, in the place of the provider's", () => {
    const custom: Headers = [
      ["x-team", "billing"],
      ["user-agent", "Billing/1"],
    ];
    const received: Headers = [
      ["X-Team", "somebody else's"],
      ["x-github-event", "push"],
    ];
    const headers = outboundHeaders(input(received, { custom }));
    expect(headers.filter(([name]) => name === "x-team")).toEqual([["x-team", "billing"]]);
    expect(headers.filter(([name]) => name === "user-agent")).toEqual([["user-agent", "Billing/1"]]);
    expect(Object.fromEntries(headers)["x-github-event"]).toBe("push");
  });

  it("name the relay as user agent only when the provider named none", () => {
    expect(sent([])["user-agent"]).toBe("Steadyhook");
    expect(sent([["User-Agent", "Stripe/1.0"]])["user-agent"]).toBe("Stripe/1.0");
  });

  it("keep the context that providers send: retry counters, topics, signatures, credentials of nobody's", () => {
    const received: Headers = [
      ["x-slack-retry-num", "1"],
      ["x-slack-retry-reason", "http_timeout"],
      ["x-shopify-webhook-id", "b1"],
      ["x-hub-signature-256", "sha256=00"],
      ["stripe-signature", "t=1,v1=00"],
      ["content-encoding", "gzip"],
      ["authorization", "Bearer of the destination's"],
    ];
    expect(outboundHeaders(input(received))).toEqual(expect.arrayContaining(received as [string, string][]));
  });

  it.each([
    ["transfer-encoding", "chunked"],
    ["connection", "upgrade"],
    ["keep-alive", "timeout=5"],
    ["upgrade", "h2c"],
    ["http2-settings", "AAMAAABk"],
    ["expect", "100-continue"],
    ["te", "trailers"],
    ["trailer", "x-checksum"],
    ["proxy-authorization", "x"],
    ["proxy-connection", "keep-alive"],
    ["host", "x.execute-api.eu-west-1.amazonaws.com"],
    ["content-length", "18"],
    ["cookie", "a=b"],
    ["x-amzn-trace-id", "Root=1-6"],
    ["x-amz-cf-id", "x"],
    ["x-forwarded-for", "192.0.2.1"],
    ["x-forwarded-port", "443"],
    ["x-forwarded-proto", "https"],
    ["forwarded", "for=192.0.2.1"],
    ["via", "1.1 cloudfront"],
    ["cloudfront-viewer-country", "DE"],
    ["steadyhook-event-type", "a.b"],
    ["steadyhook-original-id", "forged"],
  ])("leave out %s, in any case of its name", (name, value) => {
    expect(sent([[name, value]])).not.toHaveProperty(name);
    expect(sent([[name.toUpperCase(), value]])).not.toHaveProperty(name);
  });

  it("leave out everything that the connection header names", () => {
    const received: Headers = [
      ["connection", "close, X-Foo"],
      ["x-foo", "1"],
      ["x-bar", "2"],
    ];
    expect(sent(received)).not.toHaveProperty("x-foo");
    expect(sent(received)).toHaveProperty("x-bar", "2");
  });

  it("replace the encodings that the provider's client accepts by none at all", () => {
    const encodings = outboundHeaders(input([["accept-encoding", "br, zstd"]])).filter(
      ([name]) => name === "accept-encoding",
    );
    expect(encodings).toEqual([["accept-encoding", "identity"]]);
  });

  it("cannot be forged by a provider that sends the relay's own", () => {
    const forged: Headers = [
      ["steadyhook-attempt", "1"],
      ["steadyhook-event-id", "evt_x"],
      ["steadyhook-received-at", "2000-01-01T00:00:00.000Z"],
    ];
    expect(outboundHeaders(input(forged))).toEqual(outboundHeaders(input([])));
  });
});

describe("the provider's own webhook-* headers", () => {
  const received: Headers = [
    ["Webhook-Id", "msg_1"],
    ["webhook-timestamp", "1"],
    ["webhook-signature", "v1,theirs"],
  ];

  it("become steadyhook-original-* beside the relay's signature", () => {
    expect(sent(received)).toMatchObject({
      "steadyhook-original-id": "msg_1",
      "steadyhook-original-timestamp": "1",
      "steadyhook-original-signature": "v1,theirs",
      "webhook-id": "dlv_1",
    });
  });

  it("pass unchanged with signing off, beside the relay's steadyhook-* headers", () => {
    const headers = sent(received, { signing: "off", secrets: [] });
    expect(headers).toMatchObject({
      "webhook-id": "msg_1",
      "webhook-signature": "v1,theirs",
      "steadyhook-attempt": "3",
    });
    expect(Object.keys(headers).filter((name) => name.startsWith("steadyhook-original"))).toEqual([]);
  });

  it("are not invented with signing off", () => {
    const names = Object.keys(sent([], { signing: "off", secrets: [] }));
    expect(names.filter((name) => name.startsWith("webhook-"))).toEqual([]);
  });
});

describe("signatures over time", () => {
  it("are made anew for each attempt, under the same id", () => {
    const first = sent([], { attempt: 1, timestampSeconds: 100 });
    const second = sent([], { attempt: 2, timestampSeconds: 7300 });
    expect(second["webhook-id"]).toBe(first["webhook-id"]);
    expect(second["webhook-signature"]).not.toBe(first["webhook-signature"]);
    expect(second["steadyhook-received-at"]).toBe(first["steadyhook-received-at"]);
  });
});

describe("headers that are stored", () => {
  it("are the end-to-end ones, in lower case, with the provider's webhook-* as they came", () => {
    const received: Headers = [
      ["Host", "relay.example"],
      ["Webhook-Id", "msg_1"],
      ["X-GitHub-Event", "push"],
      ["Cookie", "a=b"],
      ["steadyhook-event-type", "a.b"],
    ];
    expect(storableHeaders(received, null)).toEqual([
      ["webhook-id", "msg_1"],
      ["x-github-event", "push"],
    ]);
  });

  it("never include the credentials that a scheme takes", () => {
    const received: Headers = [
      ["authorization", "AWS4-HMAC-SHA256 Credential=…"],
      ["x-amz-security-token", "t"],
      ["x-amz-date", "d"],
      ["content-type", "text/plain"],
    ];
    expect(storableHeaders(received, { scheme: "iam", onFailure: "reject" })).toEqual([["content-type", "text/plain"]]);
    expect(storableHeaders(received, { scheme: "github", onFailure: "reject" })).toHaveLength(4);
  });

  it("give the same attempt as the received ones", () => {
    const received: Headers = [
      ["connection", "X-Foo"],
      ["x-foo", "1"],
      ["webhook-id", "msg_1"],
    ];
    expect(outboundHeaders(input(storableHeaders(received, null)))).toEqual(outboundHeaders(input(received)));
  });
});

describe("header text that HTTP cannot carry", () => {
  it("goes out as UTF-8 bytes beyond Latin-1, and as it is within", () => {
    expect(sent([["x-name", "Müller"]])["x-name"]).toBe("Müller");
    expect(Buffer.from(sent([["x-name", "Gold 😊"]])["x-name"] ?? "", "latin1").toString("utf8")).toBe("Gold 😊");
  });

  it("cannot end the header: control characters become spaces", () => {
    expect(sent([["x-name", "a\r\nx-injected: 1\0\tb"]])["x-name"]).toBe("a  x-injected: 1 \tb");
  });

  it("is dropped when it is the name", () => {
    expect(
      Object.keys(
        sent([
          ["x name", "1"],
          ["", "2"],
          ["x:y", "3"],
          ["xé", "4"],
        ]),
      ).filter((name) => /^x|^$/.test(name)),
    ).toEqual([]);
  });

  it("never makes Node refuse a header", () => {
    const headers = fc.array(fc.tuple(fc.string({ unit: "binary" }), fc.string({ unit: "binary" })));
    fc.assert(
      fc.property(headers, (received) => {
        for (const [name, value] of outboundHeaders(input(received))) {
          validateHeaderName(name);
          validateHeaderValue(name, value);
        }
      }),
    );
  });
});

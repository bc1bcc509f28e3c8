import { createHmac } from "node:crypto";
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import type { Verification } from "../../functions/core/model.js";
import { type Reference, references } from "../core/verification/references.js";
import { type HttpApiRequest, httpApiEvent } from "../support/http-api-event.js";
import { anOpenSource, githubSecret, ingressRig } from "../support/ingress-rig.js";

/** Verification as a provider meets it: through the gateway's event, down to what is kept. */

const rigFor = (verification: Omit<Verification, "onFailure">, ...values: readonly string[]) =>
  ingressRig(
    anOpenSource({
      verification: { onFailure: "reject", ...verification },
      secrets: values.map((_, index) => ({ id: `sec_${index}`, createdAtMs: 0 })),
      secretValues: values.map((value, index) => ({ id: `sec_${index}`, value })),
    }),
  );

const hmac = (secret: string, ...parts: (string | Buffer)[]) =>
  parts.reduce((digest, part) => digest.update(part), createHmac("sha256", secret)).digest("hex");

function eventOf(reference: Reference, nowMs: number, more: HttpApiRequest = {}) {
  const { suffix, query, headers, body } = reference.request(Buffer.from([0x7b, 0xff, 0x7d]), nowMs);
  const sent = {
    "content-type": "application/octet-stream",
    host: "x.execute-api.example",
    ...Object.fromEntries(headers),
  };
  return httpApiEvent({ path: `/in/src${suffix}`, query, headers: sent, body, ...more });
}

describe.each(references.map((reference) => [reference.name, reference] as const))("%s", (_, reference) => {
  it("is accepted through the gateway, byte for byte, and refused when the body is not what was signed", async () => {
    const rig = rigFor(reference.verification, reference.secret);
    const event = eventOf(reference, rig.nowMs);
    expect((await rig.receive(event)).statusCode).toBe(202);
    const [accepted] = rig.accepted();
    expect(accepted?.content.body).toEqual(Buffer.from(event.body ?? "", "base64"));
    expect(accepted?.event.verifiedBy).toBe("sec_0");
    // What lets its owner in is not among what is kept.
    expect(JSON.stringify(accepted?.content.headers)).not.toContain(reference.secret);
    expect(JSON.stringify(accepted?.content.headers)).not.toContain(Buffer.from(reference.secret).toString("base64"));
    const unsigned = httpApiEvent({ path: event.rawPath, query: event.rawQueryString, body: "{}" });
    expect(await rig.receive(unsigned)).toMatchObject({ statusCode: 401, json: { code: "unverified" } });
    expect(rig.accepted()).toHaveLength(1);
  });
});

describe("a form of Slack", () => {
  const secret = "8f742231b10e8888abcd99yyyzzz85a5";
  const form = "token=t&text=a%20b+c%2A~%27&payload=%7B%22a%22%3A1%7D";
  const rig = rigFor({ scheme: "slack" }, secret);
  const timestamp = String(rig.nowMs / 1000);
  const headers = (body: string) => ({
    "Content-Type": "application/x-www-form-urlencoded",
    "X-Slack-Request-Timestamp": timestamp,
    "X-Slack-Signature": `v0=${hmac(secret, `v0:${timestamp}:${body}`)}`,
  });

  it("is the same event in base64, in text, and with the flag as text", async () => {
    for (const base64 of [true, false]) {
      const event = httpApiEvent({ headers: headers(form), body: form, base64 });
      expect((await rig.receive(event)).statusCode).toBe(202);
      const flag = { ...event, isBase64Encoded: String(base64) };
      expect((await rig.receive(flag)).statusCode).toBe(202);
    }
    const bodies = rig.accepted().map(({ content }) => content.body.toString());
    expect(bodies).toEqual([form, form, form, form]);
    expect(new Set(rig.accepted().map(({ event }) => event.bodySha256)).size).toBe(1);
  });

  it("is not decoded because it looks like base64", async () => {
    const lookalike = Buffer.from(form).toString("base64");
    const event = httpApiEvent({ headers: headers(form), body: lookalike, base64: false });
    expect((await rig.receive(event)).statusCode).toBe(401);
    expect(
      (await rig.receive(httpApiEvent({ headers: headers(lookalike), body: lookalike, base64: false }))).statusCode,
    ).toBe(202);
  });
});

describe("a body of GitHub's", () => {
  const signature = (body: Buffer) => `sha256=${hmac(githubSecret, body)}`;

  it.each<[string, string | undefined, Buffer]>([
    ["that is JSON, declared as a form", "application/x-www-form-urlencoded", Buffer.from('{"a":1}')],
    ["that is JSON, declared as text", "text/plain", Buffer.from('{"a":1}')],
    ["without a content type", undefined, Buffer.from('{"a":1}')],
    ["with odd parameters", "application/json;charset=UTF-8;foo", Buffer.from('{"a":"\\u0026 \\/"}\n')],
    ["that is not UTF-8", "application/octet-stream", Buffer.from("eyJhIjoi6SJ9", "base64")],
    ["with a byte order mark", "application/json", Buffer.from("77u/eyJhIjoxfQ==", "base64")],
    ["with numbers that JSON cannot hold", "application/json", Buffer.from('{"p":7615917337495251231,"b":1e2,"c":-0}')],
    ["with characters that queues refuse", "application/json", Buffer.from('"\uffff\ufffe\u0007\u000b\u001f"')],
    ["that is empty", "application/json", Buffer.alloc(0)],
  ])("%s is verified and kept as it came", async (_, type, body) => {
    const rig = rigFor({ scheme: "github" }, githubSecret);
    const headers = { ...(type === undefined ? {} : { "content-type": type }), "x-hub-signature-256": signature(body) };
    expect((await rig.receive(httpApiEvent({ headers, body }))).statusCode).toBe(202);
    expect(rig.accepted()[0]?.content.body).toEqual(body);
    expect(rig.accepted()[0]?.event.bodyBytes).toBe(body.length);
  });

  it("may be missing from the event altogether", async () => {
    const rig = rigFor({ scheme: "github" }, githubSecret);
    const headers = { "x-hub-signature-256": signature(Buffer.alloc(0)), "content-length": "0" };
    expect((await rig.receive(httpApiEvent({ headers }))).statusCode).toBe(202);
    expect(rig.accepted()[0]?.content.body.length).toBe(0);
  });
});

describe("a bad signature", () => {
  it.each([
    "sha256=abcd",
    "sha256=",
    "",
    `sha256=${"a".repeat(63)}`,
    `sha256=${"a".repeat(65)}`,
    "a".repeat(70_000),
    `é${"a".repeat(63)}`,
  ])("is answered alike, and never with 5xx (%#)", async (value) => {
    const rig = rigFor({ scheme: "github" }, githubSecret);
    const answer = await rig.receive(httpApiEvent({ headers: { "x-hub-signature-256": value }, body: "Hello" }));
    expect(answer).toMatchObject({ statusCode: 401, json: { code: "unverified" } });
    expect(answer.body).not.toMatch(/signature|digest|hex/);
    expect(rig.queue).toEqual([]);
  });
});

describe("secrets of one source", () => {
  it("all verify, the event names the one, and one that is gone verifies no more", async () => {
    const both = rigFor({ scheme: "shopify" }, "old", "new");
    const one = rigFor({ scheme: "shopify" }, "new");
    const signed = (secret: string) =>
      httpApiEvent({
        headers: { "x-shopify-hmac-sha256": Buffer.from(hmac(secret, "{}"), "hex").toString("base64") },
        body: "{}",
      });
    for (const secret of ["new", "old", "new"]) await both.receive(signed(secret));
    expect(both.accepted().map(({ event }) => event.verifiedBy)).toEqual(["sec_1", "sec_0", "sec_1"]);
    expect((await one.receive(signed("old"))).statusCode).toBe(401);
    expect((await one.receive(signed("new"))).statusCode).toBe(202);
  });
});

describe("a URL that is signed", () => {
  const publicUrl = "https://hooks.example/in/src";
  const square = (url: string) => Buffer.from(hmac("key", url, "{}"), "hex").toString("base64");

  it("is the public one, whatever host and stage the gateway has, with the suffix as it was escaped", async () => {
    const rig = rigFor({ scheme: "square", publicUrl }, "key");
    const event = (suffix: string, url: string, query = "") =>
      httpApiEvent({
        path: `/in/src${suffix}`,
        query,
        headers: { host: "x.execute-api.eu-central-1.amazonaws.com", "x-square-hmacsha256-signature": square(url) },
        body: "{}",
      });
    expect((await rig.receive(event("", publicUrl))).statusCode).toBe(202);
    expect((await rig.receive(event("/a b/é", `${publicUrl}/a%20b/%C3%A9`))).statusCode).toBe(202);
    expect((await rig.receive(event("", `${publicUrl}?x=%20+`, "x=%20+"))).statusCode).toBe(202);
    expect((await rig.receive(event("", "https://x.execute-api.eu-central-1.amazonaws.com/in/src"))).statusCode).toBe(
      401,
    );
    const staged = { ...event("", publicUrl), rawPath: "/prod/in/src" };
    const context = { ...staged.requestContext, stage: "prod" };
    expect((await rig.receive({ ...staged, requestContext: context })).statusCode).toBe(202);
  });
});

describe("a body that inflates without end", () => {
  it("is refused without being inflated whole", async () => {
    const options = {
      header: "x-signature",
      prefix: "",
      algorithm: "sha256",
      encoding: "hex",
      covers: "decoded",
    } as const;
    const rig = rigFor({ scheme: "hmac", hmac: options }, "key");
    const body = gzipSync(Buffer.alloc(128 * 1024 * 1024));
    const headers = { "content-encoding": "gzip", "x-signature": "00".repeat(32), "content-type": "application/json" };
    expect((await rig.receive(httpApiEvent({ headers, body, base64: true }))).statusCode).toBe(401);
    expect(rig.logged).toHaveLength(1);
    expect(rig.logged[0]?.fields["reason"]).toMatch(/more than 6 MiB/);
  });
});

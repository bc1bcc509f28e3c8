import { createHash, createHmac, randomBytes } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { maxBodyBytes } from "../../functions/ingress/http-request.js";
import { type HttpApiRequest, httpApiEvent } from "../support/http-api-event.js";
import { aGithubSource, anOpenSource, githubSecret, ingressRig } from "../support/ingress-rig.js";

const sha256 = (bytes: Buffer) => createHash("sha256").update(bytes).digest("hex");

const githubSignature = (body: Buffer) => `sha256=${createHmac("sha256", githubSecret).update(body).digest("hex")}`;

describe("ingress", () => {
  it("accepts an event with its method, suffix, query, headers and body", async () => {
    const rig = ingressRig(anOpenSource());
    const body = Buffer.from('{"id":1}\n');
    const answer = await rig.receive(
      httpApiEvent({
        method: "PUT",
        path: "/in/src/a/",
        query: "x=%20&x=2",
        headers: { "Content-Type": "application/json", "X-Slack-Retry-Num": "1" },
        body,
      }),
    );
    expect(answer.statusCode).toBe(202);
    expect(answer.json).toEqual({ eventId: expect.stringMatching(/^evt_[0-9a-hjkmnp-tv-z]{26}$/) });
    expect(rig.accepted()).toEqual([
      {
        event: {
          eventId: answer.json["eventId"],
          sourceId: "src",
          method: "PUT",
          suffix: "/a/",
          query: "x=%20&x=2",
          type: null,
          receivedAtMs: rig.nowMs,
          bodySha256: sha256(body),
          bodyBytes: body.length,
          verifiedBy: null,
          dedupeKey: null,
        },
        content: {
          headers: [
            ["content-type", "application/json"],
            ["x-slack-retry-num", "1"],
          ],
          body,
        },
      },
    ]);
    expect(rig.logged).toEqual([]);
  });

  it("answers 404 for an unknown source and keeps nothing", async () => {
    const rig = ingressRig(anOpenSource());
    const answer = await rig.receive(httpApiEvent({ path: "/in/other" }));
    expect(answer).toMatchObject({ statusCode: 404, json: { status: 404, code: "unknown_source" } });
    expect(answer.headers["content-type"]).toBe("application/problem+json");
    expect(rig.queue).toEqual([]);
  });

  it("takes a POST without a body as zero bytes", async () => {
    const rig = ingressRig(aGithubSource());
    const headers = { "x-hub-signature-256": githubSignature(Buffer.alloc(0)), "content-length": "0" };
    const withoutBody = await rig.receive(httpApiEvent({ headers }));
    const nullBody = await rig.receive({ httpMethod: "POST", path: "/in/src", headers, body: null });
    expect([withoutBody.statusCode, nullBody.statusCode]).toEqual([202, 202]);
    expect(rig.accepted().map(({ content }) => content.body.length)).toEqual([0, 0]);
  });
});

describe("the body", () => {
  it.each([
    [
      "bytes that are not UTF-8",
      "eyJhIjoi6SJ9",
      "application/json; charset=iso-8859-1",
      "cd6f7d0466adeeacd2fbdc07a0d2e1096241001e21275959d5de30bde289cf90",
    ],
    [
      "multipart with binary",
      "LS1iDQpDb250ZW50LURpc3Bvc2l0aW9uOiBmb3JtLWRhdGE7IG5hbWU9ImYiOyBmaWxlbmFtZT0ieC5iaW4iDQoNCgD//olQDQoNCi0tYi0tDQo=",
      "multipart/form-data; boundary=b",
      "75f9f6a6d6907081831ba387564fac8cf2d099202516247eb8073e45facc5fa5",
    ],
    [
      "a byte order mark",
      "77u/eyJhIjoxfQ==",
      "application/json",
      "14249169651ad40fee46e78650c111583952003c796fd010ddb2df7e17b66f81",
    ],
    [
      "a form",
      "cGF5bG9hZD0lN0IlMjJ6ZW4lMjIlM0ElMjJLZWVwK2l0JTIyJTdE",
      "application/x-www-form-urlencoded",
      "b2abc3d731db00821cdfa011e2f640d4afa339fe3735d7b56dc7c3b6f1fb0842",
    ],
    [
      "an emoji",
      "eyJ0aWVyIjoiR29sZCDwn5iKIn0=",
      "application/json",
      "554b1d27a71efe412dd2d73fef86db648dc15344e7f4ca3900715cc1fecfcf7f",
    ],
    [
      "text of GitHub's own example",
      "SGVsbG8sIFdvcmxkIQ==",
      "text/plain",
      "757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17",
    ],
  ])("is verified and kept byte for byte: %s", async (_, base64, contentType, digest) => {
    const rig = ingressRig(aGithubSource());
    const body = Buffer.from(base64, "base64");
    const headers = { "content-type": contentType, "x-hub-signature-256": `sha256=${digest}` };
    const answer = await rig.receive(httpApiEvent({ headers, body, base64: true }));
    expect(answer.statusCode).toBe(202);
    const [accepted] = rig.accepted();
    expect(accepted?.content.body.toString("base64")).toBe(base64);
    expect(accepted?.event).toMatchObject({ bodyBytes: body.length, bodySha256: sha256(body), verifiedBy: "sec_1" });
    expect(accepted?.content.headers).toContainEqual(["content-type", contentType]);
  });

  it.each([
    ["escapes", String.raw`{"url":"https:\/\/h.example\/a","t":"A \u0026 B"}`],
    ["numbers and duplicate keys", '{"p_id":7615917337495251231,"a":1.0,"b":1e2,"c":-0,"d":1,"d":2,"10":3,"9":4}'],
    ["characters that SQS refuses", '"\uffff\ufffe\u0007\u000b\u001f"'],
    ["no JSON at all", "{"],
  ])("is kept as written: %s", async (_, text) => {
    const rig = ingressRig(anOpenSource({ dedupe: { from: "json", pointer: "/id" } }));
    await rig.receive(httpApiEvent({ headers: { "content-type": "application/json" }, body: text }));
    expect(rig.accepted()[0]?.content.body.toString()).toBe(text);
    expect(rig.queue[0]).toMatch(/^[\u0020-\u007e]*$/);
  });

  it.each([["text/plain"], ["application/x-www-form-urlencoded"], ["application/json;charset=UTF-8;foo"], [undefined]])(
    "is taken the same whatever its content type says: %s",
    async (contentType) => {
      const rig = ingressRig(anOpenSource());
      const headers: Record<string, string> = contentType === undefined ? {} : { "content-type": contentType };
      await rig.receive(httpApiEvent({ headers, body: '{"a":1}' }));
      expect(rig.accepted()[0]?.content.body.toString()).toBe('{"a":1}');
      expect(rig.accepted()[0]?.content.headers).toEqual(Object.entries(headers));
    },
  );

  it("fails verification when one byte of it was changed", async () => {
    const rig = ingressRig(aGithubSource());
    const signed = Buffer.from('{"a":1}\n');
    const headers = { "x-hub-signature-256": githubSignature(signed) };
    for (const changed of ['{"a":1}', '{"a":1}\r\n', '{"a": 1}\n']) {
      expect((await rig.receive(httpApiEvent({ headers, body: changed }))).statusCode).toBe(401);
    }
    expect((await rig.receive(httpApiEvent({ headers, body: signed }))).statusCode).toBe(202);
  });

  it.each([0, 1, 255 * 1024, 700_000, 785_000, 1_048_577, 4 * 1024 * 1024])(
    "of %i random bytes arrives whole, in a message that SQS takes",
    async (size) => {
      const rig = ingressRig(anOpenSource());
      const body = randomBytes(size);
      expect((await rig.receive(httpApiEvent({ body }))).statusCode).toBe(202);
      expect(rig.queue[0]?.length).toBeLessThanOrEqual(1_048_576);
      expect(rig.accepted()[0]?.content.body.equals(body)).toBe(true);
    },
  );

  it("travels in the message while it fits, else through the bucket under event and digest", async () => {
    const rig = ingressRig(anOpenSource());
    await rig.receive(httpApiEvent({ body: randomBytes(700_000) }));
    expect(rig.bucket.size).toBe(0);
    const body = randomBytes(800_000);
    const { json } = await rig.receive(httpApiEvent({ body }));
    expect([...rig.bucket.keys()]).toEqual([`bodies/${json["eventId"]}/${sha256(body)}`]);
  });

  it("may have 6 MiB, and not a byte more", async () => {
    const rig = ingressRig(anOpenSource());
    const most = await rig.receive(httpApiEvent({ body: Buffer.alloc(maxBodyBytes) }));
    const more = await rig.receive(httpApiEvent({ body: Buffer.alloc(maxBodyBytes + 1) }));
    expect(most.statusCode).toBe(202);
    expect(more).toMatchObject({ statusCode: 413, json: { code: "body_too_large" } });
    expect(rig.queue).toHaveLength(1);
  });
});

describe("verification", () => {
  const body = Buffer.from("Hello, World!");
  const right = "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17";

  it.each(["x-hub-signature-256", "X-Hub-Signature-256", "X-HUB-SIGNATURE-256"])(
    "finds the header %s, also as a REST API hands it over",
    async (name) => {
      const rig = ingressRig(aGithubSource());
      const event = { httpMethod: "POST", path: "/in/src", headers: { [name]: right }, body: body.toString() };
      expect((await rig.receive(event)).statusCode).toBe(202);
    },
  );

  it.each([
    ["absent", undefined],
    ["empty", ""],
    ["without digits", "sha256="],
    ["short", "sha256=abcd"],
    ["63 digits", right.slice(0, -1)],
    ["65 digits", `${right}0`],
    ["without its prefix", right.slice(7)],
    ["doubled", `${right},${right}`],
    ["not ASCII", `sha256=é${"a".repeat(63)}`],
    ["70 KB long", `sha256=${"a".repeat(70_000)}`],
    ["another digest", `sha256=${"0".repeat(64)}`],
  ])("refuses a signature that is %s, always with the same answer", async (_, signature) => {
    const rig = ingressRig(aGithubSource());
    const headers: Record<string, string> = signature === undefined ? {} : { "x-hub-signature-256": signature };
    const answer = await rig.receive(httpApiEvent({ headers, body }));
    expect(answer).toMatchObject({
      statusCode: 401,
      json: {
        type: "about:blank",
        title: "Unauthorized",
        status: 401,
        detail: "The request could not be verified.",
        code: "unverified",
      },
    });
    expect(rig.queue).toEqual([]);
  });

  it("logs one line for a refusal: why, and nothing that the request carried", async () => {
    const rig = ingressRig(aGithubSource());
    const headers = { "x-hub-signature-256": "sha256=c0ffee", authorization: "Bearer hush" };
    await rig.receive(httpApiEvent({ headers, body: "classified", path: "/in/src/hidden", query: "token=hush" }));
    expect(rig.logged).toEqual([
      {
        level: "warn",
        message: "request refused",
        fields: {
          code: "unverified",
          reason: expect.any(String),
          sourceId: "src",
          bodyBytes: 10,
          requestId: "request-1",
        },
      },
    ]);
    expect(JSON.stringify(rig.logged)).not.toMatch(/c0ffee|hush|classified|hidden/);
  });

  it("keeps the provider's signature with the event, for receivers that verify it themselves", async () => {
    const rig = ingressRig(aGithubSource());
    await rig.receive(httpApiEvent({ headers: { "x-hub-signature-256": right }, body }));
    expect(rig.accepted()[0]?.content.headers).toContainEqual(["x-hub-signature-256", right]);
  });
});

describe("an event's identity", () => {
  const byHeader = anOpenSource({ dedupe: { from: "header", name: "X-GitHub-Delivery" } });

  it("is the same for ten equal requests at the same moment", async () => {
    const rig = ingressRig(byHeader);
    const request = httpApiEvent({ headers: { "x-github-delivery": "72d3162e" }, body: "{}" });
    const answers = await Promise.all(Array.from({ length: 10 }, () => rig.receive(request)));
    expect(new Set(answers.map(({ json }) => json["eventId"])).size).toBe(1);
    expect(answers.every(({ statusCode }) => statusCode === 202)).toBe(true);
    expect(rig.accepted()[0]?.event.dedupeKey).toBe("72d3162e");
  });

  it("differs between sources, and between keys with equal bodies", async () => {
    const rig = ingressRig(byHeader, { ...byHeader, sourceId: "other" });
    const ids = [];
    for (const [path, key] of [
      ["/in/src", "1"],
      ["/in/src", "2"],
      ["/in/other", "1"],
    ] as const) {
      const { json } = await rig.receive(httpApiEvent({ path, headers: { "x-github-delivery": key }, body: "{}" }));
      ids.push(json["eventId"]);
    }
    expect(new Set(ids).size).toBe(3);
  });

  it.each([
    ["absent", {}],
    ["blank", { "x-github-delivery": " " }],
    ["too long", { "x-github-delivery": "k".repeat(1_025) }],
  ])("is fresh when the key is %s", async (_, headers: Record<string, string>) => {
    const rig = ingressRig(byHeader);
    const first = await rig.receive(httpApiEvent({ headers }));
    const second = await rig.receive(httpApiEvent({ headers }));
    expect(first.json["eventId"]).not.toBe(second.json["eventId"]);
    expect(rig.accepted().map(({ event }) => event.dedupeKey)).toEqual([null, null]);
  });

  it("and its type are read from the body, behind a byte order mark too", async () => {
    const rig = ingressRig(
      anOpenSource({ dedupe: { from: "json", pointer: "/id" }, eventType: { from: "json", pointer: "/type" } }),
    );
    await rig.receive(httpApiEvent({ body: '\ufeff{"id":"evt_1","type":"invoice.paid"}', base64: true }));
    expect(rig.accepted()[0]?.event).toMatchObject({ dedupeKey: "evt_1", type: "invoice.paid" });
  });

  it("stays, and so does the object's key, when a large event is sent again", async () => {
    const rig = ingressRig(byHeader);
    const request = httpApiEvent({ headers: { "x-github-delivery": "1" }, body: randomBytes(900_000) });
    await rig.receive(request);
    await rig.receive(request);
    expect(rig.bucket.size).toBe(1);
  });
});

describe("half of a surrogate pair, which no table keeps", () => {
  it("is no dedupe key and no type: the event is accepted under an id of its own", async () => {
    const rig = ingressRig(
      anOpenSource({ dedupe: { from: "json", pointer: "/id" }, eventType: { from: "json", pointer: "/type" } }),
    );
    const body = Buffer.from('{"id":"\\ud83d","type":"a.\\ud83d"}');
    for (let sent = 0; sent < 2; sent++) await rig.receive(httpApiEvent({ path: "/in/src", body }));
    const [first, second] = rig.accepted();
    expect(first?.event).toMatchObject({ dedupeKey: null, type: null });
    expect(first?.event.eventId).not.toBe(second?.event.eventId);
    expect(first?.content.body).toEqual(body);
  });
});

describe("publishing", () => {
  const publish = (request: HttpApiRequest = {}) => httpApiEvent({ path: "/publish/src", body: "{}", ...request });

  it("keeps body and content type, and nothing else of the call", async () => {
    const rig = ingressRig(anOpenSource());
    const answer = await rig.receive(
      publish({
        query: "X-Amz-Signature=hush",
        headers: {
          "content-type": "application/cloudevents+json",
          authorization: "AWS4-HMAC-SHA256 hush",
          "x-amz-security-token": "hush",
          "x-custom": "1",
          "steadyhook-event-type": "invoice.paid",
          "idempotency-key": "k1",
        },
      }),
    );
    expect(answer.statusCode).toBe(202);
    expect(rig.accepted()).toMatchObject([
      {
        event: { method: "POST", suffix: "", query: "", type: "invoice.paid", dedupeKey: "k1", verifiedBy: null },
        content: { headers: [["content-type", "application/cloudevents+json"]], body: Buffer.from("{}") },
      },
    ]);
  });

  it("gives one event id to one idempotency key", async () => {
    const rig = ingressRig(anOpenSource());
    const headers = { "idempotency-key": "k1" };
    const [first, second] = [await rig.receive(publish({ headers })), await rig.receive(publish({ headers }))];
    expect(first.json["eventId"]).toBe(second.json["eventId"]);
  });

  it("falls back on the source's rules for what the call does not name", async () => {
    const rig = ingressRig(
      anOpenSource({ dedupe: { from: "json", pointer: "/id" }, eventType: { from: "json", pointer: "/type" } }),
    );
    await rig.receive(publish({ body: '{"id":"7","type":"order.made"}' }));
    await rig.receive(
      publish({
        body: '{"id":"7","type":"order.made"}',
        headers: { "idempotency-key": "k", "steadyhook-event-type": "order.sent" },
      }),
    );
    expect(rig.accepted().map(({ event }) => [event.dedupeKey, event.type])).toEqual([
      ["7", "order.made"],
      ["k", "order.sent"],
    ]);
  });

  it.each([
    [400, "invalid_idempotency_key", { "idempotency-key": " " }],
    [400, "invalid_idempotency_key", { "idempotency-key": "k".repeat(1_025) }],
    [400, "invalid_event_type", { "steadyhook-event-type": "" }],
    [400, "invalid_event_type", { "steadyhook-event-type": "t".repeat(257) }],
    [415, "content_encoding", { "content-encoding": "gzip" }],
  ])("answers %i %s to %j", async (statusCode, code, headers: Record<string, string>) => {
    const rig = ingressRig(anOpenSource());
    expect(await rig.receive(publish({ headers }))).toMatchObject({ statusCode, json: { code } });
    expect(rig.queue).toEqual([]);
  });

  it("is the only door of a source with the scheme iam", async () => {
    const rig = ingressRig(anOpenSource({ verification: { scheme: "iam", onFailure: "reject" } }));
    expect(await rig.receive(httpApiEvent())).toMatchObject({ statusCode: 403, json: { code: "publish_only" } });
    expect((await rig.receive(publish())).statusCode).toBe(202);
    expect(rig.queue).toHaveLength(1);
  });

  it("needs no signature of a provider", async () => {
    expect((await ingressRig(aGithubSource()).receive(publish())).statusCode).toBe(202);
  });

  it("answers 405 to anything but POST", async () => {
    const answer = await ingressRig(anOpenSource()).receive(publish({ method: "PUT" }));
    expect(answer).toMatchObject({ statusCode: 405, headers: { allow: "POST" } });
  });
});

describe("when AWS fails", () => {
  it.each(["sources", "queue", "bucket"] as const)("the answer is 503 while the %s is down", async (part) => {
    const rig = ingressRig(anOpenSource());
    rig.failing.add(part);
    const answer = await rig.receive(httpApiEvent({ body: randomBytes(900_000) }));
    expect(answer).toMatchObject({ statusCode: 503, json: { code: "not_durable" }, headers: { "retry-after": "10" } });
    expect(rig.queue).toEqual([]);
    expect(rig.logged).toMatchObject([{ level: "error", message: "event not kept" }]);
  });

  it("nothing is on the queue that points to a body which the bucket did not take", async () => {
    const rig = ingressRig(anOpenSource());
    rig.failing.add("bucket");
    await rig.receive(httpApiEvent({ body: randomBytes(900_000) }));
    expect(rig.queue).toEqual([]);
  });
});

describe("whatever is sent", () => {
  const texts = fc.oneof(fc.string({ unit: "binary" }), fc.constantFrom("/in/src", "/publish/src", "POST", "$default"));
  const anyValue = fc.oneof(texts, fc.anything());
  const orMissing = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: undefined });
  const anyHeaders = fc.oneof(fc.dictionary(fc.string(), anyValue), anyValue);
  const anyPath = fc.oneof(
    fc
      .tuple(fc.constantFrom("/in/src", "/in/strict", "/publish/src", "/x"), fc.string({ unit: "binary" }))
      .map(([a, b]) => a + b),
    anyValue,
  );
  const anyEvent = fc.oneof(
    fc.anything(),
    fc.record(
      {
        version: fc.constantFrom("1.0", "2.0"),
        rawPath: anyPath,
        path: anyPath,
        rawQueryString: anyValue,
        headers: anyHeaders,
        multiValueHeaders: anyHeaders,
        queryStringParameters: anyHeaders,
        multiValueQueryStringParameters: anyHeaders,
        pathParameters: orMissing(fc.record({ sourceId: anyValue }, { requiredKeys: [] })),
        routeKey: anyValue,
        httpMethod: anyValue,
        body: anyValue,
        isBase64Encoded: fc.oneof(fc.boolean(), fc.constantFrom("true", "false", null), fc.anything()),
        requestContext: fc.oneof(
          fc.record({ stage: anyValue, requestId: anyValue, http: fc.record({ method: anyValue }) }),
          anyValue,
        ),
      },
      { requiredKeys: [] },
    ),
  );

  it("ingress answers, and never with a 5xx while AWS works", async () => {
    const rig = ingressRig(
      anOpenSource({ dedupe: { from: "json", pointer: "/id" }, eventType: { from: "header", name: "x-type" } }),
      aGithubSource({ sourceId: "strict" }),
    );
    await fc.assert(
      fc.asyncProperty(anyEvent, async (event) => {
        const answer = await rig.receive(event);
        expect(answer.statusCode).toBeGreaterThanOrEqual(202);
        expect(answer.statusCode).toBeLessThan(500);
      }),
      { numRuns: 500 },
    );
    expect(rig.accepted().every(({ event }) => event.sourceId === "src")).toBe(true);
    expect((await rig.receive(httpApiEvent({ body: "{}" }))).statusCode).toBe(202);
  });
});

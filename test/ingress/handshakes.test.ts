import { createHmac } from "node:crypto";
import { describe, expect, it } from "vitest";
import type { OpenSource } from "../../functions/app/ports.js";
import { httpApiEvent } from "../support/http-api-event.js";
import { aGithubSource, anOpenSource, githubSecret, ingressRig } from "../support/ingress-rig.js";
import { snsBody, snsCertificateUrl, snsSubscribeUrl, snsTopicArn } from "../support/sns-message.js";

const inert = { "x-content-type-options": "nosniff", "content-security-policy": expect.stringContaining("sandbox") };

/** A request with GitHub's signature: any scheme stands before a handshake that the provider signs. */
function signedRequest(body: string, secret = githubSecret) {
  const signature = createHmac("sha256", secret).update(body).digest("hex");
  const headers = { "content-type": "application/json", "x-hub-signature-256": `sha256=${signature}` };
  return httpApiEvent({ headers, body });
}

const quarantining = (given: Partial<OpenSource>) =>
  aGithubSource({ verification: { scheme: "github", onFailure: "quarantine" }, ...given });

const slackChallenge = '{"type":"url_verification","token":"t","challenge":"abc"}';

describe("a handshake", () => {
  it("is answered as plain text at once, and is no event", async () => {
    const rig = ingressRig(anOpenSource({ handshake: { kind: "slack" } }));
    const answer = await rig.receive(
      httpApiEvent({ headers: { "content-type": "application/json" }, body: slackChallenge }),
    );
    expect(answer).toMatchObject({ statusCode: 200, body: "abc" });
    expect(answer.headers).toMatchObject({ "content-type": "text/plain; charset=utf-8", ...inert });
    expect(rig.queue).toEqual([]);
    expect(rig.logged).toMatchObject([{ level: "info", fields: { kind: "slack", sourceId: "src" } }]);
    expect(JSON.stringify(rig.logged)).not.toContain("abc");
  });

  it("that the provider signs is answered only when the signature is right, and a wrong one is not kept", async () => {
    const rig = ingressRig(quarantining({ handshake: { kind: "slack" } }));
    expect((await rig.receive(signedRequest(slackChallenge))).body).toBe("abc");
    const forged = await rig.receive(signedRequest(slackChallenge, "another secret"));
    expect(forged).toMatchObject({ statusCode: 401, json: { code: "unverified" } });
    expect([rig.queue, rig.bucket.size]).toEqual([[], 0]);
  });

  it("of Zoom is answered under the secret that verified it, of several", async () => {
    const secrets = [
      { id: "sec_1", value: "old" },
      { id: "sec_2", value: "new" },
    ];
    const rig = ingressRig(quarantining({ handshake: { kind: "zoom" }, secretValues: secrets }));
    const body = '{"event":"endpoint.url_validation","payload":{"plainToken":"abc"}}';
    const answer = await rig.receive(signedRequest(body, "new"));
    expect(answer.statusCode).toBe(200);
    expect(answer.json).toEqual({
      plainToken: "abc",
      encryptedToken: createHmac("sha256", "new").update("abc").digest("hex"),
    });
    expect(answer.headers).toMatchObject({ "content-type": "application/json", ...inert });
  });

  it("of Meta is a GET with the token that it was given; another one is 403 and is logged without it", async () => {
    const handshake = { kind: "meta", verifyToken: { id: "sec_9", createdAtMs: 0 } } as const;
    const rig = ingressRig(quarantining({ handshake, verifyToken: "meaty" }));
    const asked = (token: string) =>
      httpApiEvent({ method: "GET", query: `hub.mode=subscribe&hub.challenge=1537258&hub.verify_token=${token}` });
    expect(await rig.receive(asked("meaty"))).toMatchObject({ statusCode: 200, body: "1537258" });
    const wrong = await rig.receive(asked("guess"));
    expect(wrong).toMatchObject({ statusCode: 403, json: { code: "handshake_refused" } });
    expect(JSON.stringify(rig.logged)).not.toMatch(/meaty|guess|1537258/);
    expect(rig.queue).toEqual([]);
  });

  it("of Microsoft Graph and of Dropbox comes before the verification, which they do not sign for", async () => {
    const graph = ingressRig(quarantining({ handshake: { kind: "graph" } }));
    expect((await graph.receive(httpApiEvent({ query: "validationToken=a%3Ab" }))).body).toBe("a:b");
    const dropbox = ingressRig(quarantining({ handshake: { kind: "dropbox" } }));
    expect((await dropbox.receive(httpApiEvent({ method: "GET", query: "challenge=xyz" }))).body).toBe("xyz");
  });

  describe("of SNS", () => {
    const source = anOpenSource({
      verification: { scheme: "sns", onFailure: "reject", topicArn: snsTopicArn },
      handshake: { kind: "sns" },
    });
    const posted = (body: string) => httpApiEvent({ headers: { "content-type": "text/plain; charset=UTF-8" }, body });

    it("confirms a genuine subscription at SNS, and is no event", async () => {
      const rig = ingressRig(source);
      const answer = await rig.receive(posted(snsBody({ Type: "SubscriptionConfirmation" })));
      expect(answer).toMatchObject({ statusCode: 200, body: "" });
      expect(rig.sns).toEqual([snsCertificateUrl, snsSubscribeUrl]);
      expect(rig.queue).toEqual([]);
    });

    it("confirms nothing that is forged, of another topic, or asks somebody else", async () => {
      const rig = ingressRig(source);
      const type = { Type: "SubscriptionConfirmation" };
      const asked: [string, number][] = [
        [snsBody(type, { Token: "another" }), 401],
        [snsBody({ ...type, TopicArn: `${snsTopicArn}2` }), 401],
        [snsBody({ ...type, SigningCertURL: "https://evil.example/SimpleNotificationService-a1.pem" }), 401],
        [snsBody({ ...type, SubscribeURL: "https://evil.example/?Action=ConfirmSubscription" }), 403],
      ];
      for (const [body, status] of asked) expect((await rig.receive(posted(body))).statusCode).toBe(status);
      // The certificate of what may be genuine, and nothing for another topic or at another place.
      expect(rig.sns).toEqual([snsCertificateUrl, snsCertificateUrl]);
      expect(rig.queue).toEqual([]);
    });

    it("does not confirm the end of a subscription, which would begin it again", async () => {
      const rig = ingressRig(source);
      const answer = await rig.receive(posted(snsBody({ Type: "UnsubscribeConfirmation" })));
      expect(answer).toMatchObject({ statusCode: 200, body: "" });
      expect([rig.sns, rig.queue]).toEqual([[snsCertificateUrl], []]);
    });

    it("leaves a genuine notification an event, and a forged one 401", async () => {
      const rig = ingressRig(source);
      expect((await rig.receive(posted(snsBody({ SignatureVersion: "2" })))).statusCode).toBe(202);
      expect((await rig.receive(posted(snsBody({}, { Message: "forged" })))).statusCode).toBe(401);
      expect(rig.accepted().map(({ event }) => event.verifiedBy)).toEqual([
        "SimpleNotificationService-0123456789abcdef0123456789abcdef",
      ]);
    });

    it("is asked for again when SNS could not be asked", async () => {
      const rig = ingressRig(source);
      rig.failing.add("sns");
      for (const Type of ["Notification", "SubscriptionConfirmation"]) {
        expect((await rig.receive(posted(snsBody({ Type })))).statusCode).toBe(503);
      }
      expect(rig.queue).toEqual([]);
    });
  });

  it("that would reflect markup is refused", async () => {
    const rig = ingressRig(anOpenSource({ handshake: { kind: "graph" } }));
    const answer = await rig.receive(httpApiEvent({ query: "validationToken=%3Cscript%3E" }));
    expect(answer.statusCode).toBe(403);
    expect(answer.body).not.toContain("script");
  });

  it("is an event at a source that has none, or one of another kind", async () => {
    for (const source of [anOpenSource(), anOpenSource({ handshake: { kind: "dropbox" } })]) {
      const rig = ingressRig(source);
      expect((await rig.receive(httpApiEvent({ body: slackChallenge }))).statusCode).toBe(202);
      expect(rig.queue).toHaveLength(1);
    }
  });

  it("is not looked for at the publish door", async () => {
    const rig = ingressRig(anOpenSource({ handshake: { kind: "slack" }, answer: "empty" }));
    const answer = await rig.receive(
      httpApiEvent({ path: "/publish/src", routeKey: "POST /publish/{sourceId}", body: slackChallenge }),
    );
    expect(answer).toMatchObject({ statusCode: 202, json: { eventId: expect.any(String) } });
  });
});

describe("the answer to an accepted event", () => {
  it.each([
    ["event-id", 202, "application/json", /^\{"eventId":"evt_\w+"\}$/],
    ["empty", 200, undefined, /^$/],
    ["no-content", 204, undefined, /^$/],
    ["twiml", 200, "text/xml", /^<Response\/>$/],
  ] as const)("is %s as the source says", async (answer, statusCode, contentType, body) => {
    const rig = ingressRig(anOpenSource({ answer }));
    const answered = await rig.receive(httpApiEvent({ body: "{}" }));
    expect(answered.statusCode).toBe(statusCode);
    expect(answered.headers["content-type"]).toBe(contentType);
    expect(answered.body).toMatch(body);
    expect(rig.queue).toHaveLength(1);
  });

  it("does not hide a refusal", async () => {
    const rig = ingressRig(aGithubSource({ answer: "empty" }));
    expect((await rig.receive(httpApiEvent({ body: "{}" }))).statusCode).toBe(401);
    rig.failing.add("queue");
    const open = ingressRig(anOpenSource({ answer: "twiml" }));
    open.failing.add("queue");
    expect((await open.receive(httpApiEvent({ body: "{}" }))).statusCode).toBe(503);
  });
});

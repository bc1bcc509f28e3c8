import fc from "fast-check";
import { expect, it } from "vitest";
import type { OpenSource } from "../../functions/app/ports.js";
import type { Handshake } from "../../functions/core/model.js";
import { references } from "../core/verification/references.js";
import { httpApiEvent } from "../support/http-api-event.js";
import { anOpenSource, ingressRig } from "../support/ingress-rig.js";
import { snsBody } from "../support/sns-message.js";

/** Every scheme with every handshake, under secrets that no sender of this file has. */

const kinds: readonly Handshake[] = [
  ...(["slack", "zoom", "graph", "sns", "twitch", "dropbox"] as const).map((kind) => ({ kind })),
  { kind: "meta", verifyToken: { id: "sec_9", createdAtMs: 0 } },
];

const schemes = [
  ...references.map(({ verification, secret }) => ({ verification, secrets: [secret] })),
  { verification: { scheme: "sns" } as const, secrets: [] },
  { verification: { scheme: "iam" } as const, secrets: [] },
];

const sources: readonly OpenSource[] = schemes.flatMap(({ verification, secrets }, scheme) =>
  kinds.map((handshake, kind) =>
    anOpenSource({
      sourceId: `s${scheme}_${kind}`,
      verification: { ...verification, onFailure: "quarantine" },
      handshake,
      verifyToken: handshake.kind === "meta" ? "nobody knows this" : null,
      dedupe: { from: "json", pointer: "/id" },
      secrets: secrets.map(() => ({ id: "sec_1", createdAtMs: 0 })),
      secretValues: secrets.map((value) => ({ id: "sec_1", value })),
    }),
  ),
);

const signatureHeaders = [
  ...new Set(references.flatMap(({ request }) => request(Buffer.from("{}"), 0).headers.map(([name]) => name))),
];

const json = (value: object): string => JSON.stringify(value);
const bodies = fc.oneof(
  fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)),
  fc.json().map((text) => Buffer.from(text)),
  fc
    .constantFrom(
      json({ type: "url_verification", challenge: "x" }),
      json({ event: "endpoint.url_validation", payload: { plainToken: "x" } }),
      json({ challenge: "x" }),
      snsBody({}, { Message: "forged" }),
      snsBody({ Type: "SubscriptionConfirmation" }, { Token: "forged" }),
      snsBody({ SigningCertURL: "https://evil.example/x.pem" }),
    )
    .map((text) => Buffer.from(text)),
);
const queries = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.constantFrom(
    "validationToken=%3Cb%3E",
    "challenge=x",
    "hub.mode=subscribe&hub.verify_token=x&hub.challenge=1",
    "%",
    "&&==%ff",
  ),
);
const headers = fc.dictionary(
  fc.oneof(
    fc.constantFrom(...signatureHeaders, "twitch-eventsub-message-type", "content-encoding", "authorization"),
    fc.string(),
  ),
  fc.oneof(
    fc.string({ unit: "binary" }),
    fc.constantFrom("sha256=00", "t=1,v1=00", "Basic eDp5", "gzip", "webhook_callback_verification", "v1,AAAA"),
  ),
  { maxKeys: 6 },
);

it("no request that nobody signed becomes an event, a 5xx or an answer with markup", async () => {
  const rig = ingressRig(...sources);
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...sources),
      fc.constantFrom("GET", "POST", "PUT", "HEAD"),
      queries,
      headers,
      bodies,
      fc.boolean(),
      async ({ sourceId }, method, query, sent, body, base64) => {
        const answer = await rig.receive(
          httpApiEvent({ path: `/in/${sourceId}`, method, query, headers: sent, body, base64 }),
        );
        expect(answer.statusCode).toBeLessThan(500);
        expect([200, 401, 403, 414]).toContain(answer.statusCode);
        expect(answer.body).not.toContain("<");
      },
    ),
    { numRuns: 1_000 },
  );
  expect([rig.queue, rig.sns.filter((url) => url.includes("Action="))]).toEqual([[], []]);
  // Not for want of a way in: what is asked unsigned was answered, what had to be signed was kept aside.
  expect(rig.quarantined.length).toBeGreaterThan(0);
});

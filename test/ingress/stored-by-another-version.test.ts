import { describe, expect, it } from "vitest";
import type { Verification } from "../../functions/core/model.js";
import { httpApiEvent } from "../support/http-api-event.js";
import { aGithubSource, ingressRig } from "../support/ingress-rig.js";

/** Verifications as no admin API of this version writes them. */

const hmac = { header: "x-signature", prefix: "", algorithm: "sha256", encoding: "hex" };

describe("a stored verification that this version cannot read", () => {
  it.each<[string, object]>([
    ["a scheme of a later version", { scheme: "tomorrow" }],
    ["a scheme with the name of what every object has", { scheme: "constructor" }],
    ["the same, of another kind", { scheme: "__proto__" }],
    ["no scheme", {}],
    ["a scheme that is a number", { scheme: 5 }],
    ["hmac without its options", { scheme: "hmac" }],
    ["hmac with empty options", { scheme: "hmac", hmac: {} }],
    ["hmac with an algorithm of a later version", { scheme: "hmac", hmac: { ...hmac, algorithm: "blake3" } }],
    ["hmac with a template that is a number", { scheme: "hmac", hmac: { ...hmac, content: 4 } }],
    ["hmac with a header that is a number", { scheme: "hmac", hmac: { ...hmac, header: 5 } }],
    ["a token without its header", { scheme: "header-token", headerToken: {} }],
    ["a token whose options are text", { scheme: "header-token", headerToken: "x" }],
    ["a tolerance that is text", { scheme: "stripe", toleranceSeconds: "long" }],
    ["a public URL that is a number", { scheme: "square", publicUrl: 1 }],
  ])("refuses with 401 and keeps aside what comes: %s", async (_, verification) => {
    const stored = { onFailure: "quarantine", ...verification } as Verification;
    const rig = ingressRig(aGithubSource({ verification: stored }));
    const headers = { "x-signature": "00", "stripe-signature": "t=1,v1=00", authorization: "Basic eDp5" };
    expect(await rig.receive(httpApiEvent({ headers, body: "{}" }))).toMatchObject({
      statusCode: 401,
      json: { code: "unverified" },
    });
    expect(rig.queue).toEqual([]);
    expect(rig.quarantined).toHaveLength(1);
  });
});

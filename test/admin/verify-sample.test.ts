import { createHmac } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type AdminRelay, startAdminRelay } from "../support/admin-relay.js";
import { snsBody } from "../support/sns-message.js";

let relay: AdminRelay;
beforeAll(async () => {
  relay = await startAdminRelay();
  await relay.call("POST", "/admin/sources", {
    sourceId: "shop",
    verification: { scheme: "stripe", secrets: ["whsec_text"] },
  });
});
afterAll(() => relay.close());

const body = '{"id":"evt_1"}';
const stripe = (atMs: number, signed = body) => {
  const seconds = Math.floor(atMs / 1000);
  return `t=${seconds},v1=${createHmac("sha256", "whsec_text").update(`${seconds}.${signed}`).digest("hex")}`;
};
const sample = (signature: string, more: object = {}) => ({
  headers: { "Stripe-Signature": signature },
  bodyBase64: Buffer.from(body).toString("base64"),
  ...more,
});
const verify = (input: unknown, sourceId = "shop") => relay.call("POST", `/admin/sources/${sourceId}/verify`, input);

describe("a saved request", () => {
  test("is verified with the source's own secret, at this time", async () => {
    const answer = await verify(sample(stripe(relay.clock.nowMs)));
    expect(answer).toMatchObject({ status: 200, body: { verified: true, reason: null, scheme: "stripe", hints: [] } });
    expect(answer.body.verifiedBy).toMatch(/^sec_/);
    expect(answer.body.at).toBe(new Date(relay.clock.nowMs).toISOString());
    expect(answer.body.steps.at(-1)).toMatchObject({ step: "signature", ok: true });
  });

  test("of another day is judged at the time given", async () => {
    const thenMs = relay.clock.nowMs - 86_400_000;
    const late = await verify(sample(stripe(thenMs)));
    expect(late.body).toMatchObject({ verified: false, reason: "timestamp is too old" });
    expect(late.body.hints[0]).toContain("only its time is off");
    expect((await verify(sample(stripe(thenMs), { nowMs: thenMs }))).body.verified).toBe(true);
  });

  test("that was changed is told what the provider signed, and no secret", async () => {
    const answer = await verify(sample(stripe(relay.clock.nowMs, `${body}\n`)));
    expect(answer.body).toMatchObject({ verified: false, reason: "signature mismatch" });
    expect(answer.body.hints[0]).toContain("with a line break at its end");
    expect(JSON.stringify(answer.body)).not.toContain("whsec_");
  });

  test("of SNS is looked at with the certificate that it names", async () => {
    await relay.call("PUT", "/admin/sources/topic", { verification: { scheme: "sns" } });
    const message = (text: string) => verify({ bodyBase64: Buffer.from(text).toString("base64") }, "topic");
    expect((await message(snsBody())).body).toMatchObject({
      verified: true,
      verifiedBy: expect.stringMatching(/^Simple/),
    });
    const changed = await message(snsBody({}, { Message: "another" }));
    expect(changed.body).toMatchObject({ verified: false, reason: "signature mismatch" });
  });

  test("leaves nothing behind: no event, no message, no line of a write", async () => {
    const linesBefore = relay.lines.length;
    await verify(sample("t=1,v1=00"));
    const events = await relay.call("GET", "/admin/events", undefined, { query: "sourceId=shop&state=quarantined" });
    expect(events.body.items).toEqual([]);
    expect(relay.sentEvents).toEqual([]);
    expect(relay.lines).toHaveLength(linesBefore);
  });

  test.each([
    ["bodyBase64", { bodyBase64: "{}" }],
    ["method", { method: "PO ST" }],
    ["nowMs", { nowMs: -1 }],
    ["nowMs", { nowMs: 1e15 }],
    ["headers.a", { headers: { a: 1 } }],
    ["body", { body: "{}" }],
  ])("with a wrong %s is refused: %j", async (field, input) => {
    const { status, body: problem } = await verify(input);
    expect(status).toBe(400);
    expect(problem.errors[0].field).toBe(field);
  });

  test("of a source that there is not is refused", async () => {
    expect(await verify({}, "nobody")).toMatchObject({ status: 404, body: { code: "unknown_source" } });
  });
});

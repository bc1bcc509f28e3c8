import { describe, expect, it } from "vitest";
import type { Verification } from "../../../functions/core/model.js";
import { explainVerification } from "../../../functions/core/verification/explain.js";
import { verificationProblems } from "../../../functions/core/verification/problems.js";
import type { VerifiableRequest } from "../../../functions/core/verification/scheme.js";
import { verify } from "../../../functions/core/verification/verify.js";
import { snsBody, snsCertificate, snsTopicArn } from "../../support/sns-message.js";

const sns: Verification = { scheme: "sns", onFailure: "quarantine" };

const request = (text: string, certificatePem: string | null = snsCertificate): VerifiableRequest => ({
  method: "POST",
  suffix: "",
  query: "",
  headers: [],
  body: Buffer.from(text),
  nowMs: Date.UTC(2026, 0, 1),
  certificatePem,
});

describe("the scheme sns", () => {
  it("verifies a message under its certificate, and names the certificate", () => {
    expect(verify(sns, [], request(snsBody()))).toEqual({
      ok: true,
      secretId: "SimpleNotificationService-0123456789abcdef0123456789abcdef",
    });
    expect(explainVerification(sns, [], request(snsBody())).every(({ ok }) => ok)).toBe(true);
  });

  it("takes messages of the configured topic only", () => {
    const topicArn = `${snsTopicArn}-other`;
    expect(verify({ ...sns, topicArn: snsTopicArn }, [], request(snsBody())).ok).toBe(true);
    expect(verify({ ...sns, topicArn }, [], request(snsBody()))).toEqual({
      ok: false,
      reason: "the message is of another topic",
    });
  });

  it.each([
    ["what is no message", request("{}"), "no message of SNS"],
    ["a changed message", request(snsBody({}, { Message: "x" })), "signature mismatch"],
    [
      "a certificate elsewhere",
      request(snsBody({ SigningCertURL: "https://evil.example/x.pem" })),
      "its certificate is not at SNS itself",
    ],
    ["a certificate that does not exist", request(snsBody(), null), "its certificate does not exist"],
  ])("refuses %s", (_, asked, reason) => {
    expect(verify(sns, [], asked)).toEqual({ ok: false, reason });
    expect(explainVerification(sns, [], asked).at(-1)?.ok).toBe(false);
  });

  it("takes no secret, and only an ARN for a topic", () => {
    expect(verificationProblems(sns, [])).toEqual([]);
    expect(verificationProblems({ ...sns, topicArn: snsTopicArn }, [])).toEqual([]);
    expect(verificationProblems({ ...sns, topicArn: "orders" }, ["x"]).map(({ field }) => field)).toEqual([
      "verification.topicArn",
      "verification.secrets",
    ]);
  });
});

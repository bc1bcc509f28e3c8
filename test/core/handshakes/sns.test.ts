import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { recogniseHandshake } from "../../../functions/core/handshakes/handshake.js";
import {
  readSnsMessage,
  snsCertificateUrl,
  snsSignatureProblem,
  snsSignedText,
} from "../../../functions/core/handshakes/sns-message.js";
import { certificateName } from "../../../functions/core/handshakes/sns-urls.js";
import {
  snsCertificateUrl as certificateUrl,
  snsBody,
  snsCertificate,
  snsTopicArn,
} from "../../support/sns-message.js";

const nowMs = Date.UTC(2026, 0, 1);
const read = (text: string) => {
  const message = readSnsMessage(Buffer.from(text));
  if (message === null) throw new Error("no message");
  return message;
};

describe("the text that SNS signs", () => {
  it("is made of names and values by name, the subject only where there is one", () => {
    const notification = {
      Type: "Notification",
      MessageId: "22b80b92-fdea-4c2c-8f9d-bdfb0c7bf324",
      TopicArn: "arn:aws:sns:us-west-2:123456789012:MyTopic",
      Subject: "My First Message",
      Message: "Hello world!",
      Timestamp: "2012-05-02T00:54:06.655Z",
    };
    const message = read(snsBody(notification));
    expect(snsSignedText(message)).toBe(
      "Message\nHello world!\nMessageId\n22b80b92-fdea-4c2c-8f9d-bdfb0c7bf324\nSubject\nMy First Message\n" +
        "Timestamp\n2012-05-02T00:54:06.655Z\nTopicArn\narn:aws:sns:us-west-2:123456789012:MyTopic\nType\nNotification\n",
    );
    expect(snsSignedText(read(snsBody({ ...notification, Subject: null })))).not.toContain("Subject");
  });

  it("of a confirmation holds its token and its URL", () => {
    const text = snsSignedText(read(snsBody({ Type: "SubscriptionConfirmation" })));
    expect(text).toMatch(/^Message\n.*\nSubscribeURL\nhttps:.*\nTimestamp\n.*\nToken\n2336412f37\nTopicArn\n/s);
  });
});

describe("a message of SNS", () => {
  it.each(["1", "2"])("is genuine with a signature of version %s", (SignatureVersion) => {
    expect(snsSignatureProblem(read(snsBody({ SignatureVersion })), snsCertificate, nowMs)).toBeNull();
  });

  it.each(["Message", "MessageId", "Subject", "Timestamp", "TopicArn", "Type"])(
    "is not once its %s was changed",
    (name) => {
      const other = name === "Type" ? "UnsubscribeConfirmation" : "changed";
      const text = snsBody({ Subject: "s", Token: "t", SubscribeURL: "u" }, { [name]: other });
      expect(snsSignatureProblem(read(text), snsCertificate, nowMs)).toBe("signature mismatch");
    },
  );

  it.each([
    ["another version", { SignatureVersion: "3" }, "its signature version is neither 1 nor 2"],
    ["the other version", { SignatureVersion: "2" }, "signature mismatch"],
    ["no base64", { Signature: "a b" }, "its signature is not base64"],
    ["an empty signature", { Signature: "" }, "signature mismatch"],
  ])("is not with %s", (_, changed, problem) => {
    expect(snsSignatureProblem(read(snsBody({}, changed)), snsCertificate, nowMs)).toBe(problem);
  });

  it("is not under a certificate that is none, has another kind of key, or has expired", () => {
    const message = read(snsBody());
    const file = (name: string) => readFileSync(new URL(`../../support/tls/${name}`, import.meta.url), "utf8");
    expect(snsSignatureProblem(message, "<html>", nowMs)).toBe("its certificate cannot be read");
    expect(snsSignatureProblem(message, file("good.crt"), nowMs)).toBe("its certificate has no RSA key");
    expect(snsSignatureProblem(message, file("expired.crt"), nowMs)).toBe("its certificate is not valid at this time");
  });

  it("is not what lacks a member, is too large, or is no object", () => {
    for (const text of [
      "",
      "[]",
      "{}",
      '{"Type":"Notification"}',
      snsBody({ Message: 1 }),
      snsBody({ Type: "Other" }),
    ]) {
      expect(readSnsMessage(Buffer.from(text))).toBeNull();
    }
    expect(readSnsMessage(Buffer.from(snsBody({ Message: "x".repeat(400_000) })))).toBeNull();
  });
});

describe("a signing certificate", () => {
  it("is named by the hosts of SNS only", () => {
    expect(certificateName(certificateUrl)).toMatch(/^SimpleNotificationService-/);
    expect(certificateName("https://sns.cn-north-1.amazonaws.com.cn/SimpleNotificationService-a1.pem")).not.toBeNull();
    expect(certificateName("https://sns.us-gov-west-1.amazonaws.com/SimpleNotificationService-a1.pem")).not.toBeNull();
  });

  it.each([
    "http://sns.eu-central-1.amazonaws.com/SimpleNotificationService-a1.pem",
    "https://sns.eu-central-1.amazonaws.com.evil.example/SimpleNotificationService-a1.pem",
    "https://sns.eu-central-1.amazonaws.com@evil.example/SimpleNotificationService-a1.pem",
    "https://evil.example/sns.eu-central-1.amazonaws.com/SimpleNotificationService-a1.pem",
    "https://evil.example#sns.eu-central-1.amazonaws.com/SimpleNotificationService-a1.pem",
    "https://sns.eu-central-1.amazonaws.com:8443/SimpleNotificationService-a1.pem",
    "https://user@sns.eu-central-1.amazonaws.com/SimpleNotificationService-a1.pem",
    "https://sns-eu-central-1.s3.amazonaws.com/SimpleNotificationService-a1.pem",
    "https://sns.bucket.amazonaws.com/SimpleNotificationService-a1.pem",
    "https://sns.s3-eu-west-1.amazonaws.com/SimpleNotificationService-a1.pem",
    "https://sns.eu-central-1.amazonaws.com/?Action=Publish&Message=x",
    "https://sns.eu-central-1.amazonaws.com/SimpleNotificationService-a1.pem?Action=Publish",
    "https://sns.eu-central-1.amazonaws.com/a/../SimpleNotificationService-a1.pem",
    "https://sns.eu-central-1.amazonaws.com/SimpleNotificationService-a1.pem#x",
    "https://SNS.EU-CENTRAL-1.AMAZONAWS.COM/SimpleNotificationService-a1.pem",
    "https://sns.eu-central-1.amazonaws.com\\@evil.example/SimpleNotificationService-a1.pem",
    "https://sns.eu-central-1.amazonaws.com/other.pem",
    "file:///etc/passwd",
    "",
  ])("is not at %s", (url) => {
    expect(certificateName(url)).toBeNull();
    expect(snsCertificateUrl(Buffer.from(snsBody({}, { SigningCertURL: url })))).toBeNull();
  });

  it("is at no other host, whatever the URL", () => {
    fc.assert(
      fc.property(fc.webUrl({ withQueryParameters: true, withFragments: true }), (url) => {
        expect(certificateName(url)).toBeNull();
      }),
    );
  });
});

describe("a confirmation of SNS", () => {
  const sns = { kind: "sns" } as const;
  const reply = (body: string) =>
    recogniseHandshake(sns, { method: "POST", query: "", headers: [], body: Buffer.from(body) })?.reply({
      verifiedBy: null,
      verifyToken: null,
    }) ?? null;

  it("of a subscription is confirmed at its URL, once its signature is verified", () => {
    const body = Buffer.from(snsBody({ Type: "SubscriptionConfirmation" }));
    expect(recogniseHandshake(sns, { method: "POST", query: "", headers: [], body })?.signed).toBe(true);
    expect(reply(body.toString())).toEqual({
      confirm: `https://sns.eu-central-1.amazonaws.com/?Action=ConfirmSubscription&TopicArn=${snsTopicArn}&Token=2336412f37`,
    });
  });

  it.each([
    ["another host", "https://evil.example/?Action=ConfirmSubscription"],
    [
      "another action",
      `https://sns.eu-central-1.amazonaws.com/?Action=Publish&TopicArn=${snsTopicArn}&Token=2336412f37`,
    ],
    ["another topic", "https://sns.eu-central-1.amazonaws.com/?Action=ConfirmSubscription&TopicArn=x&Token=2336412f37"],
    [
      "another token",
      `https://sns.eu-central-1.amazonaws.com/?Action=ConfirmSubscription&TopicArn=${snsTopicArn}&Token=x`,
    ],
    ["no URL", "x"],
  ])("with %s is refused", (_, SubscribeURL) => {
    expect(reply(snsBody({ Type: "SubscriptionConfirmation", SubscribeURL }))).toHaveProperty("refused");
  });

  it("of an end is noted, never confirmed: that would subscribe again", () => {
    expect(reply(snsBody({ Type: "UnsubscribeConfirmation" }))).toEqual({ noted: expect.any(String) });
  });

  it("is no notification", () => {
    expect(reply(snsBody())).toBeNull();
  });
});

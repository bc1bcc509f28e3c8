import { createSign } from "node:crypto";
import { readFileSync } from "node:fs";
import { snsSignedText } from "../../functions/core/handshakes/sns-message.js";

const tlsFile = (name: string) => readFileSync(new URL(`./tls/${name}`, import.meta.url), "utf8");

/** The certificate under which {@link snsBody} signs. */
export const snsCertificate = tlsFile("sns.crt");
const snsKey = tlsFile("sns.key");

export const snsTopicArn = "arn:aws:sns:eu-central-1:111122223333:orders";
export const snsCertificateUrl =
  "https://sns.eu-central-1.amazonaws.com/SimpleNotificationService-0123456789abcdef0123456789abcdef.pem";
export const snsSubscribeUrl = `https://sns.eu-central-1.amazonaws.com/?Action=ConfirmSubscription&TopicArn=${snsTopicArn}&Token=2336412f37`;

type Fields = Readonly<Record<string, unknown>>;

/** A message as SNS posts it, signed; what is given takes the place of the usual, before it is signed. */
export function snsBody(given: Fields = {}, changedAfterwards: Fields = {}): string {
  const { Type = "Notification", SignatureVersion = "1" } = given;
  const confirmation = { Token: "2336412f37", SubscribeURL: snsSubscribeUrl };
  const message = {
    Type,
    MessageId: "22b80b92-fdea-4c2c-8f9d-bdfb0c7bf324",
    TopicArn: snsTopicArn,
    Message: 'Hello "world"\n😀',
    Timestamp: "2026-01-01T00:00:00.000Z",
    SignatureVersion,
    SigningCertURL: snsCertificateUrl,
    ...(Type === "Notification" ? {} : confirmation),
    ...given,
  };
  const text = snsSignedText(message as unknown as Parameters<typeof snsSignedText>[0]);
  const signature = createSign(SignatureVersion === "2" ? "RSA-SHA256" : "RSA-SHA1")
    .update(text)
    .sign(snsKey, "base64");
  return JSON.stringify({ ...message, Signature: signature, ...changedAfterwards });
}

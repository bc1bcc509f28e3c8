import { createVerify, X509Certificate } from "node:crypto";
import { decodeBase64 } from "../strict-decoding.js";
import { jsonMembers } from "./json-body.js";
import { certificateName } from "./sns-urls.js";

/**
 * The messages that Amazon SNS posts to an HTTP(S) endpoint, and their signature: RSA over a text made of some of the
 * members, SHA-1 in version 1 and SHA-256 in version 2, under a certificate that SNS publishes.
 *
 * Source: Amazon SNS's "Verifying the signatures of Amazon SNS messages".
 */

/** A message in its own words; what a type has no use for is absent. */
export interface SnsMessage {
  readonly Type: "Notification" | "SubscriptionConfirmation" | "UnsubscribeConfirmation";
  readonly MessageId: string;
  readonly TopicArn: string;
  readonly Message: string;
  readonly Timestamp: string;
  readonly SignatureVersion: string;
  readonly Signature: string;
  readonly SigningCertURL: string;
  readonly Subject?: string;
  readonly Token?: string;
  readonly SubscribeURL?: string;
}

const alwaysThere = [
  "Type",
  "MessageId",
  "TopicArn",
  "Message",
  "Timestamp",
  "SignatureVersion",
  "Signature",
  "SigningCertURL",
] as const;

const types: readonly unknown[] = ["Notification", "SubscriptionConfirmation", "UnsubscribeConfirmation"];

/** The message that a body holds; null when it is none, or lacks a member. */
export function readSnsMessage(body: Buffer): SnsMessage | null {
  const members = jsonMembers(body);
  if (members === null || !types.includes(members["Type"])) return null;
  const needed = members["Type"] === "Notification" ? alwaysThere : [...alwaysThere, "Token", "SubscribeURL"];
  if (!needed.every((name) => typeof members[name] === "string")) return null;
  // SNS leaves the subject out, or says null.
  const { Subject, ...others } = members;
  return { ...others, ...(typeof Subject === "string" ? { Subject } : {}) } as unknown as SnsMessage;
}

/**
 * Where the certificate of the message in this body is; null for what is no message, is of another topic than the one
 * that is meant, or names another place than SNS: nothing is asked for these.
 */
export function snsCertificateUrl(body: Buffer, topicArn?: string): string | null {
  const message = readSnsMessage(body);
  if (message === null || (topicArn !== undefined && message.TopicArn !== topicArn)) return null;
  return certificateName(message.SigningCertURL) === null ? null : message.SigningCertURL;
}

/** The text that is signed: names and values by name, each on a line of its own, a missing subject left out. */
export function snsSignedText(message: SnsMessage): string {
  const names =
    message.Type === "Notification"
      ? (["Message", "MessageId", "Subject", "Timestamp", "TopicArn", "Type"] as const)
      : (["Message", "MessageId", "SubscribeURL", "Timestamp", "Token", "TopicArn", "Type"] as const);
  return names
    .filter((name) => message[name] !== undefined)
    .map((name) => `${name}\n${message[name]}\n`)
    .join("");
}

const digests: Readonly<Record<string, string | undefined>> = { "1": "RSA-SHA1", "2": "RSA-SHA256" };

/**
 * What is wrong with a message's signature under the certificate (PEM) that its `SigningCertURL` gave; null: nothing.
 * `nowMs`: when it was received, at which the certificate must have been valid. Never throws, whatever the certificate is.
 */
export function snsSignatureProblem(message: SnsMessage, certificatePem: string, nowMs: number): string | null {
  const digest = Object.hasOwn(digests, message.SignatureVersion) ? digests[message.SignatureVersion] : undefined;
  if (digest === undefined) return "its signature version is neither 1 nor 2";
  const signature = decodeBase64(message.Signature);
  if (signature === null) return "its signature is not base64";
  try {
    const certificate = new X509Certificate(certificatePem);
    if (nowMs < Date.parse(certificate.validFrom) || nowMs > Date.parse(certificate.validTo)) {
      return "its certificate is not valid at this time";
    }
    if (certificate.publicKey.asymmetricKeyType !== "rsa") return "its certificate has no RSA key";
    const isGenuine = createVerify(digest).update(snsSignedText(message)).verify(certificate.publicKey, signature);
    return isGenuine ? null : "signature mismatch";
  } catch {
    return "its certificate cannot be read";
  }
}

import type { KeyObject } from "node:crypto";
import { decodeBase64, decodeHex } from "../../strict-decoding.js";
import { ed25519Key, p256Key } from "../keys.js";
import { conclude, findPublicKey, signed } from "../match.js";
import { decodeSignature, readHeader } from "../read-signature.js";
import type { Scheme, Walk } from "../scheme.js";
import { textSecretProblem } from "../secret-form.js";
import { readTime } from "../signed-time.js";

const common = { defaultToleranceSeconds: 300, requires: [], allows: ["toleranceSeconds"] } as const;

/** The timestamp header's text and the body, as both schemes sign them. */
function readContent(walk: Walk, header: string) {
  const text = readHeader(walk, header, "timestamp");
  const time = text === null ? null : readTime(walk, text, "seconds");
  return time === null ? null : signed("{timestamp}{body}", time, walk.request.body);
}

const discordKey = (value: string): KeyObject | null => ed25519Key(decodeHex(value));

/** Source: Discord's "Interactions overview" and "Webhook events", sections on validating security request headers. */
export const discord: Scheme = {
  ...common,
  summary: "Ed25519 over {timestamp}{body}, hex, in X-Signature-Ed25519",
  secret: "the application's public key, 64 hex digits",
  secretProblem: (value) =>
    textSecretProblem(value) ??
    (discordKey(value) === null ? "must be the application's public key: 64 hex digits" : null),
  check(walk) {
    const value = readHeader(walk, "x-signature-ed25519");
    const signature = value === null ? null : decodeSignature(walk, value, "hex", 64, "ed25519 signature");
    const content = readContent(walk, "x-signature-timestamp");
    if (signature === null || content === null) return null;
    const match = findPublicKey(walk.secrets, "ed25519", [signature], content, discordKey);
    return conclude(walk, match, "an Ed25519 signature", content);
  },
};

const notAsShown = "must be the verification key that SendGrid shows: base64, without PEM lines";

/** A signature on P-256 in DER: two integers of at most 33 bytes with their headers. */
const longestDerBytes = 72;
const shortestDerBytes = 8;

/** Source: SendGrid's "Getting started with the Event Webhook security features". */
export const sendgrid: Scheme = {
  ...common,
  summary: "ECDSA P-256 over {timestamp}{body}, base64 of DER, in X-Twilio-Email-Event-Webhook-Signature",
  secret: "the event webhook's verification key, as SendGrid shows it (base64)",
  secretProblem: (value) =>
    (value.includes("-----") ? notAsShown : textSecretProblem(value)) ?? (p256Key(value) === null ? notAsShown : null),
  check(walk) {
    const value = readHeader(walk, "x-twilio-email-event-webhook-signature");
    const signature = value === null ? null : readDer(walk, value);
    const content = readContent(walk, "x-twilio-email-event-webhook-timestamp");
    if (signature === null || content === null) return null;
    const match = findPublicKey(walk.secrets, "ecdsa-p256", [signature], content, p256Key);
    return conclude(walk, match, "an ECDSA signature", content);
  },
};

function readDer({ trace }: Walk, text: string): Buffer | null {
  const signature = decodeBase64(text);
  if (signature !== null && signature.length >= shortestDerBytes && signature.length <= longestDerBytes) {
    trace.pass("encoding", `base64 of ${signature.length} bytes`);
    return signature;
  }
  const detail = `is not base64 of ${shortestDerBytes} to ${longestDerBytes} bytes: ${text.length} characters`;
  return trace.fail("encoding", detail, "signature is not one ecdsa signature in base64");
}

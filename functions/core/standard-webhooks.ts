import { createHmac } from "node:crypto";
import { decodeBase64 } from "./strict-decoding.js";

/**
 * Signatures by the Standard Webhooks specification: HMAC-SHA256 over `id.timestamp.body` under a key that is shared
 * as `whsec_` + base64.
 */

const secretPrefix = "whsec_";
/** Key lengths that the specification allows, in bytes. */
const shortestKey = 24;
const longestKey = 64;

/** What one attempt's signature covers, and under which secrets. */
export interface SignatureInput {
  /** All live secrets: during a rotation the old and the new one, each giving one entry. */
  readonly secrets: readonly string[];
  /** The `webhook-id`. */
  readonly id: string;
  /** The `webhook-timestamp`: epoch seconds at which this attempt is sent. */
  readonly timestampSeconds: number;
  readonly body: Buffer;
}

/**
 * The `webhook-signature` value: one `v1,<base64>` entry per secret, separated by spaces. Throws when a secret is not
 * sound or none is given: a signature under an empty key could be made by anyone.
 */
export function signatureHeader(input: SignatureInput): string {
  if (input.secrets.length === 0) throw new Error("cannot sign without a secret");
  const { id, timestampSeconds, body } = input;
  return input.secrets
    .map((secret) => createHmac("sha256", signingKey(secret)).update(`${id}.${timestampSeconds}.`).update(body))
    .map((signature) => `v1,${signature.digest("base64")}`)
    .join(" ");
}

/** A new secret from 32 random bytes (`entropy`; more is ignored, less throws). */
export function newSigningSecret(entropy: Buffer): string {
  if (entropy.length < 32) throw new RangeError("a signing secret takes 32 bytes of entropy");
  return secretPrefix + entropy.subarray(0, 32).toString("base64");
}

/** What is wrong with a signing secret, without naming any part of it; null when it is sound. */
export function signingSecretProblem(value: string): string | null {
  const key = keyOrProblem(value);
  return typeof key === "string" ? key : null;
}

function signingKey(secret: string): Buffer {
  const key = keyOrProblem(secret);
  if (typeof key === "string") throw new Error(`signing secret ${key}`);
  return key;
}

function keyOrProblem(secret: string): Buffer | string {
  if (secret !== secret.trim()) return "has white space around it: remove it";
  if (/^v\d+a?,/.test(secret)) return 'starts with a version such as "v1,": leave that out';
  if (!secret.startsWith(secretPrefix)) return `must start with "${secretPrefix}"`;
  const key = decodeBase64(secret.slice(secretPrefix.length));
  if (key === null) return `must be standard base64, with padding, after "${secretPrefix}"`;
  if (key.length >= shortestKey && key.length <= longestKey) return key;
  return `must hold a key of ${shortestKey} to ${longestKey} bytes; it holds ${key.length}`;
}

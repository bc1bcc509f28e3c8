import { createHash, createHmac, type KeyObject, timingSafeEqual, verify } from "node:crypto";
import type { OpenSecret, Walk } from "./scheme.js";

type HmacAlgorithm = "sha1" | "sha256" | "sha512";
type PublicKeyKind = "ed25519" | "ecdsa-p256";

/** What a signature covers. */
export interface Signed {
  /** For people, e.g. `{timestamp}.{body}`. */
  readonly template: string;
  /** The bytes in their order; text as UTF-8. Several where a provider spells one URL in several ways. */
  readonly spellings: readonly (readonly (string | Buffer)[])[];
}

/** A content that is spelled in one way only. */
export const signed = (template: string, ...parts: readonly (string | Buffer)[]): Signed => ({
  template,
  spellings: [parts],
});

/** The key as the secret's text stands. */
const asText = (value: string): Buffer => Buffer.from(value, "utf8");

/**
 * The secret under which one of the signatures is the HMAC of the content; null when there is none. Each comparison
 * takes constant time; a signature of another length than the digest matches nothing.
 */
export function matchHmac(
  walk: Walk,
  algorithm: HmacAlgorithm,
  signatures: readonly Buffer[],
  content: Signed,
  keyOf?: (value: string) => Buffer | null,
): string | null {
  const match = findHmac(walk.secrets, algorithm, signatures, content, keyOf);
  return conclude(walk, match, `the HMAC-${algorithm.toUpperCase()}`, content);
}

/** As {@link matchHmac}, without a note in the trace. */
export function findHmac(
  secrets: readonly OpenSecret[],
  algorithm: HmacAlgorithm,
  signatures: readonly Buffer[],
  content: Signed,
  keyOf: (value: string) => Buffer | null = asText,
): OpenSecret | undefined {
  return secrets.find(({ value }) => {
    const key = keyOf(value);
    if (key === null) return false;
    return content.spellings.some((parts) => {
      const hmac = createHmac(algorithm, key);
      for (const part of parts) hmac.update(part);
      const expected = hmac.digest();
      return signatures.some((each) => each.length === expected.length && timingSafeEqual(each, expected));
    });
  });
}

/** The public key under which one of the signatures signs the content. */
export function findPublicKey(
  secrets: readonly OpenSecret[],
  kind: PublicKeyKind,
  signatures: readonly Buffer[],
  { spellings: [parts = []] }: Signed,
  keyOf: (value: string) => KeyObject | null,
): OpenSecret | undefined {
  const bytes = Buffer.concat(parts.map((part) => (typeof part === "string" ? Buffer.from(part) : part)));
  return secrets.find(({ value }) => {
    const key = keyOf(value);
    return key !== null && signatures.some((each) => isSignedBy(key, kind, bytes, each));
  });
}

function isSignedBy(key: KeyObject, kind: PublicKeyKind, bytes: Buffer, signature: Buffer): boolean {
  try {
    return verify(kind === "ed25519" ? null : "sha256", bytes, key, signature);
  } catch {
    // OpenSSL may object to a signature's form: then it is none.
    return false;
  }
}

/** Notes whether a secret has signed the content, and gives its id. `what` is e.g. `the HMAC-SHA256`. */
export function conclude(walk: Walk, match: OpenSecret | undefined, what: string, content: Signed): string | null {
  const { secrets, trace } = walk;
  const text = `is ${what} of ${covered(walk, content)} under`;
  if (match === undefined) return trace.fail("signature", `${text} ${theSecrets(secrets)}: no`, "signature mismatch");
  trace.pass("signature", `${text} secret ${match.id}`);
  return match.id;
}

/**
 * The secret that equals what was sent; null when there is none. Digests are compared, so that neither the time nor an
 * error tells how long a secret is.
 */
export function matchToken(walk: Walk, sent: string | Buffer, step: string, what: string): string | null {
  const digest = sha256(sent);
  const match = walk.secrets.find(({ value }) => timingSafeEqual(sha256(value), digest));
  if (match === undefined) return walk.trace.fail(step, `equals ${theSecrets(walk.secrets)}: no`, `${what} mismatch`);
  walk.trace.pass(step, `equals secret ${match.id}`);
  return match.id;
}

const sha256 = (data: string | Buffer): Buffer => createHash("sha256").update(data).digest();

const theSecrets = (secrets: readonly OpenSecret[]): string =>
  secrets.length === 1 ? `secret ${secrets[0]?.id}` : `any of the secrets ${secrets.map(({ id }) => id).join(", ")}`;

function covered({ request }: Walk, { template, spellings }: Signed): string {
  const body = template.includes("body") ? ` (body: ${request.body.length.toLocaleString("en")} bytes)` : "";
  return `${template}${body}${spellings.length > 1 ? `, in ${spellings.length} spellings` : ""}`;
}

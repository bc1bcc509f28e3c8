import { headerValue } from "../../header-list.js";
import type { SecretEncoding, Verification } from "../../model.js";
import { decodeBase64 } from "../../strict-decoding.js";
import { decodeKey, ed25519Key } from "../keys.js";
import { conclude, findHmac, findPublicKey, type Signed, signed } from "../match.js";
import { digestBytes, readHeader, usableSignatures } from "../read-signature.js";
import type { Scheme, Walk } from "../scheme.js";
import { textSecretProblem } from "../secret-form.js";
import { readTime } from "../signed-time.js";

/** Key lengths that the specification allows, in bytes. */
const shortestKey = 24;
const longestKey = 64;

const ed25519Bytes = 64;

/**
 * The Standard Webhooks specification: `webhook-signature` lists `v1,<base64>` (HMAC-SHA256 under `whsec_…`) and
 * `v1a,<base64>` (Ed25519 under `whpk_…`) over `{id}.{timestamp}.{body}`; entries of other versions are ignored. How
 * a key is written is said by the source and never tried out: a wrong guess could be a key that others know.
 *
 * Source: the specification, sections "Signature scheme" and "Verifying webhook authenticity".
 */
export const standardWebhooks: Scheme = {
  summary: "HMAC-SHA256 (whsec_) or Ed25519 (whpk_) of {id}.{timestamp}.{body} in webhook-signature",
  secret: "the endpoint's secret whsec_…, or the sender's public key whpk_…",
  defaultToleranceSeconds: 300,
  requires: [],
  allows: ["toleranceSeconds", "secretEncoding"],
  secretProblem: (value, verification) =>
    textSecretProblem(value) ??
    (isPublicKey(value) ? publicKeyProblem(value) : symmetricKeyProblem(value, encodingOf(verification))),
  check: checkStandardWebhooks,
};

/** For schemes of providers that sign by this specification. */
export function checkStandardWebhooks(walk: Walk): string | null {
  const brand = brandOf(walk);
  const id = readHeader(walk, `${brand}-id`, "id");
  const stamp = readHeader(walk, `${brand}-timestamp`, "timestamp");
  const time = stamp === null ? null : readTime(walk, stamp, "seconds");
  const list = readHeader(walk, `${brand}-signature`);
  if (id === null || time === null || list === null) return null;
  return matchEntries(walk, list, signed("{id}.{timestamp}.{body}", `${id}.${time}.`, walk.request.body));
}

/** What the three headers begin with: Svix, whose way the specification is, has them under its own name too. */
function brandOf({ request: { headers } }: Walk): "webhook" | "svix" {
  const svixOnly =
    headerValue(headers, "webhook-signature") === null && headerValue(headers, "svix-signature") !== null;
  return svixOnly ? "svix" : "webhook";
}

function matchEntries(walk: Walk, list: string, content: Signed): string | null {
  const publicKeys = walk.secrets.filter(({ value }) => isPublicKey(value));
  const keys = walk.secrets.filter(({ value }) => !isPublicKey(value));
  // Entries that no secret of the source could have made do not count.
  const digests = keys.length === 0 ? [] : usableEntries(list, "v1", digestBytes.sha256);
  const signatures = publicKeys.length === 0 ? [] : usableEntries(list, "v1a", ed25519Bytes);
  if (!noteEntries(walk, digests.length, signatures.length)) return null;
  const keyOf = (value: string) => symmetricKey(value, encodingOf(walk.verification));
  const match =
    findHmac(keys, "sha256", digests, content, keyOf) ??
    findPublicKey(publicKeys, "ed25519", signatures, content, publicKeyOf);
  return conclude(walk, match, "a signature", content);
}

/** Entries are separated by spaces; by commas where a proxy joined two headers. */
function usableEntries(list: string, version: string, bytes: number): Buffer[] {
  const texts = list.split(/, +| +|,(?=v\d+a?,)/).filter((entry) => entry.startsWith(`${version},`));
  return usableSignatures(
    texts.map((entry) => entry.slice(version.length + 1)),
    "base64",
    bytes,
  );
}

function noteEntries({ trace }: Walk, digests: number, signatures: number): boolean {
  const detail = `${digests} v1 and ${signatures} v1a entries can have been made by the source's secrets`;
  if (digests + signatures > 0) trace.pass("entries", detail);
  else trace.fail("entries", detail, "no usable entry in the signature header");
  return digests + signatures > 0;
}

const encodingOf = ({ secretEncoding = "base64" }: Verification): SecretEncoding => secretEncoding;

/** As UTF-8 the secret's whole text is the key, its prefix included; else what follows the prefix is decoded. */
function symmetricKey(value: string, encoding: SecretEncoding): Buffer | null {
  return decodeKey(encoding === "utf8" ? value : value.replace(/^whsec_/, ""), encoding);
}

const isPublicKey = (value: string): boolean => value.startsWith("whpk_");

const publicKeyOf = (value: string) => ed25519Key(decodeBase64(value.slice("whpk_".length)));

function symmetricKeyProblem(value: string, encoding: SecretEncoding): string | null {
  if (value.startsWith("whsk_")) return "is a private key: give the public one, whpk_…";
  const key = symmetricKey(value, encoding);
  if (encoding === "utf8") return null;
  if (key === null)
    return `must be ${encoding}, with nothing else in it, after "whsec_"; or say another secretEncoding`;
  if (key.length >= shortestKey && key.length <= longestKey) return null;
  return `must hold a key of ${shortestKey} to ${longestKey} bytes; it holds ${key.length}`;
}

const publicKeyProblem = (value: string): string | null =>
  publicKeyOf(value) === null ? 'must be the base64 of a 32-byte Ed25519 public key after "whpk_"' : null;

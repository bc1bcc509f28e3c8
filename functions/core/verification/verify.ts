import { headerName } from "../header-list.js";
import type { Headers, HmacOptions, Verification } from "../model.js";
import { verifyGithub } from "./github.js";
import { verifyHmac } from "./hmac.js";
import { digestBytes } from "./hmac-digest.js";
import { type OpenSecret, refuse, type VerificationResult } from "./verdict.js";

/** The request as it came: no byte trimmed, decoded or inflated. */
export interface VerifiableRequest {
  /** Upper-case HTTP method. */
  readonly method: string;
  /** Path after `/in/{sourceId}`, decoded as the gateway hands it over; empty or starting with `/`. */
  readonly suffix: string;
  /** Raw query string without `?`. */
  readonly query: string;
  readonly headers: Headers;
  readonly body: Buffer;
  /** For schemes that sign a timestamp. */
  readonly nowMs: number;
}

/**
 * Verifies a request to `/in/{sourceId}`. Never throws, whatever is sent. Fails closed: without a usable secret, with
 * a scheme that this version does not know, and always for `iam` (whose events come by `/publish` alone). Null: the
 * source does not verify, everything passes.
 */
export function verify(
  verification: Verification | null,
  secrets: readonly OpenSecret[],
  request: VerifiableRequest,
): VerificationResult {
  if (verification === null) return { ok: true, secretId: null };
  if (verification.scheme === "iam") return refuse("this source takes events by /publish only");
  const usable = secrets.filter(({ value }) => !isBlank(value));
  if (usable.length === 0) return refuse("the source has no usable secret");
  if (verification.scheme === "github") return verifyGithub(usable, request.headers, request.body);
  if (verification.scheme === "hmac" && verification.hmac !== undefined) {
    return verifyHmac(verification.hmac, usable, request.headers, request.body);
  }
  return refuse("the source's verification is not complete");
}

/** What is wrong with a source's verification, field by field; empty when it is sound. No reason shows a secret. */
export function verificationProblems(
  verification: Verification,
  secretValues: readonly string[],
): { field: string; reason: string }[] {
  const { scheme, hmac } = verification;
  if (scheme === "iam") return [];
  return [...secretProblems(secretValues), ...(scheme === "hmac" ? hmacProblems(hmac) : [])];
}

function secretProblems(values: readonly string[]): { field: string; reason: string }[] {
  if (values.length === 0) {
    return [{ field: "verification.secrets", reason: "must name at least one secret: without one nothing can verify" }];
  }
  return values.flatMap((value, index) => {
    const field = `verification.secrets[${index}]`;
    if (isBlank(value)) return [{ field, reason: "is blank: anyone could sign with an empty key" }];
    if (value !== value.trim()) return [{ field, reason: "has white space around it: remove it" }];
    return [];
  });
}

function hmacProblems(hmac: HmacOptions | undefined): { field: string; reason: string }[] {
  const at = (name: string, reason: string) => ({ field: `verification.hmac.${name}`, reason });
  if (hmac === undefined) return [{ field: "verification.hmac", reason: "is required for the scheme hmac" }];
  return [
    ...(headerName.test(hmac.header) ? [] : [at("header", "is not a legal header name")]),
    ...(/^[ -~]*$/.test(hmac.prefix) ? [] : [at("prefix", "may hold printable ASCII characters only")]),
    ...(Object.hasOwn(digestBytes, hmac.algorithm) ? [] : [at("algorithm", "must be sha256, sha1 or sha512")]),
    ...(["hex", "base64"].includes(hmac.encoding) ? [] : [at("encoding", "must be hex or base64")]),
  ];
}

const isBlank = (secret: string): boolean => secret.trim() === "";

import type { Verification } from "../model.js";
import type { OpenSecret, VerifiableRequest } from "./scheme.js";
import { schemeOf } from "./schemes.js";
import type { VerificationResult } from "./verdict.js";
import { walk } from "./walk.js";

/**
 * Verifies a request to `/in/{sourceId}`. Never throws, whatever is sent, and fails closed; always refused under `iam`,
 * whose events come by `/publish` alone. Null: the source does not verify, everything passes.
 */
export function verify(
  verification: Verification | null,
  secrets: readonly OpenSecret[],
  request: VerifiableRequest,
): VerificationResult {
  if (verification === null) return { ok: true, secretId: null };
  return walk(schemeOf(verification.scheme), verification, secrets, request).verdict;
}

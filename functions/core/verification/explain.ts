import type { Verification } from "../model.js";
import type { OpenSecret, VerifiableRequest } from "./scheme.js";
import { walk } from "./walk.js";

/** One thing that was looked at, in the order of the walk. A request is verified when every step of it is `ok`. */
export interface ExplanationStep {
  /** What was looked at, e.g. `header x-hub-signature-256`, `timestamp`, `signature`. */
  readonly step: string;
  readonly ok: boolean;
  /** What was found, as a sentence for the operator; never a secret, a credential or the right signature. */
  readonly detail: string;
}

/**
 * Why a request is verified or not: the very steps that the verdict came from. It ends where nothing further can be
 * said, e.g. at a missing header; a stale timestamp does not end it.
 */
export function explainVerification(
  verification: Verification | null,
  secrets: readonly OpenSecret[],
  request: VerifiableRequest,
): readonly ExplanationStep[] {
  if (verification === null) return [{ step: "verification", ok: true, detail: "the source has none: all passes" }];
  return walk(verification, secrets, request).trace.steps;
}

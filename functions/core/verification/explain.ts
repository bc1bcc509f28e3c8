import type { Verification } from "../model.js";
import type { OpenSecret, VerifiableRequest } from "./scheme.js";
import { schemeOf } from "./schemes.js";
import type { ExplanationStep } from "./trace.js";
import { walk } from "./walk.js";

export type { ExplanationStep } from "./trace.js";

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
  return walk(schemeOf(verification.scheme), verification, secrets, request).trace.steps;
}

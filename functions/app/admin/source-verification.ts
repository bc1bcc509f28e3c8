import type { Verification } from "../../core/model.js";
import { verificationProblems } from "../../core/verification/problems.js";
import { schemeOf } from "../../core/verification/schemes.js";
import type { AdminContext } from "./context.js";
import type { FieldProblem } from "./problem.js";
import { noSecrets, type SecretSet, secretSet } from "./secrets.js";
import type { VerificationInput } from "./verification-schema.js";

/** A verification as it is stored: its secrets lie apart. What was left out is not there, in JSON as in the schema. */
export const withoutSecrets = ({ secrets: _apart, ...written }: VerificationInput): Verification =>
  written as Verification;

/**
 * A stored verification as the document that a patch is applied to. What belongs to one scheme only is left out when
 * the patch changes the scheme.
 */
export function keptVerification(stored: Verification | null, patchedScheme: unknown): Verification | null {
  if (stored === null || patchedScheme === undefined || patchedScheme === stored.scheme) return stored;
  return { scheme: stored.scheme, onFailure: stored.onFailure };
}

/** The secrets given, or those that are stored. */
export function secretsOf(context: AdminContext, { scheme, secrets }: VerificationInput, known: SecretSet): SecretSet {
  // Where nothing is shared with the caller, what an earlier scheme needed is dropped.
  if (schemeOf(scheme)?.secret === null) return noSecrets;
  return secrets === undefined ? known : secretSet(context, secrets, known);
}

/** What is wrong with a verification and its secrets, those that are stored included. */
export function schemeProblems(verification: VerificationInput, secrets: SecretSet): readonly FieldProblem[] {
  const given = verification.secrets ?? secrets.refs.map(({ id }) => secrets.values[id] ?? "");
  return verificationProblems(withoutSecrets(verification), given);
}

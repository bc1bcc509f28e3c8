import type { Verification } from "../model.js";
import { optionsProblems } from "./configuration.js";
import type { FieldProblem, Scheme } from "./scheme.js";
import { schemeNames, schemeOf } from "./schemes.js";

/** What is wrong with a source's verification, field by field; empty when it is sound. No reason shows a secret. */
export function verificationProblems(verification: Verification, secretValues: readonly string[]): FieldProblem[] {
  const scheme = schemeOf(verification.scheme);
  return [
    ...configurationProblems(verification),
    ...(scheme === null ? [] : secretProblems(scheme, verification, secretValues)),
  ];
}

/** The same without the secrets: what makes every request fail, whoever signs it. */
export function configurationProblems(verification: Verification): FieldProblem[] {
  const scheme = schemeOf(verification.scheme);
  if (scheme === null) return [{ field: "verification.scheme", reason: `must be one of ${schemeNames.join(", ")}` }];
  return optionsProblems(scheme, verification);
}

function secretProblems(scheme: Scheme, verification: Verification, values: readonly string[]): FieldProblem[] {
  const field = "verification.secrets";
  if (scheme.secret === null) {
    return values.length === 0 ? [] : [{ field, reason: `must be left out: ${scheme.summary}` }];
  }
  if (values.length === 0) {
    return [{ field, reason: `must name at least one secret (${scheme.secret}): without one nothing can verify` }];
  }
  return values.flatMap((value, index) => {
    const reason = scheme.secretProblem(value, verification);
    return reason === null ? [] : [{ field: `${field}[${index}]`, reason }];
  });
}

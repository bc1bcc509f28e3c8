import type { Verification } from "../model.js";
import type { FieldProblem, Scheme, SchemeOption } from "./scheme.js";
import { schemeNames, schemeOf } from "./schemes.js";

/** A week: room for a provider that retries with its first timestamp. */
const longestToleranceSeconds = 604_800;

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
  return [
    ...optionProblems(scheme, verification),
    ...toleranceProblems(verification.toleranceSeconds),
    ...(scheme.problems?.(verification) ?? []),
  ];
}

const options: readonly SchemeOption[] = [
  "toleranceSeconds",
  "publicUrl",
  "secretEncoding",
  "hmac",
  "headerToken",
  "topicArn",
];

const whyRequired: Readonly<Partial<Record<SchemeOption, string>>> = {
  publicUrl: "the provider signs the URL. Give the source's URL as the provider has it, without query",
  hmac: "it says where the signature stands and what it covers",
  headerToken: "it says which header holds the secret",
};

function optionProblems(scheme: Scheme, verification: Verification): FieldProblem[] {
  return options.flatMap((option): FieldProblem[] => {
    const field = `verification.${option}`;
    const given = verification[option] !== undefined;
    if (!given && scheme.requires.includes(option)) {
      return [{ field, reason: `is required for the scheme ${verification.scheme}: ${whyRequired[option]}` }];
    }
    const known = scheme.requires.includes(option) || scheme.allows.includes(option);
    return given && !known
      ? [{ field, reason: `does not go with the scheme ${verification.scheme}: leave it out` }]
      : [];
  });
}

function toleranceProblems(seconds: number | undefined): FieldProblem[] {
  if (seconds === undefined || (Number.isInteger(seconds) && seconds >= 1 && seconds <= longestToleranceSeconds))
    return [];
  const reason = `must be a whole number from 1 to ${longestToleranceSeconds} (7 days)`;
  return [{ field: "verification.toleranceSeconds", reason }];
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

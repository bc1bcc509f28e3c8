import type { Verification } from "../model.js";
import type { FieldProblem, Scheme, SchemeOption } from "./scheme.js";

/** A week: room for a provider that retries with its first timestamp. */
const longestToleranceSeconds = 604_800;

/** What is wrong with a verification beside its secrets, under the scheme that it names; empty when it is sound. */
export function optionsProblems(scheme: Scheme, verification: Verification): FieldProblem[] {
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

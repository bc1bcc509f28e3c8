import type { Verification } from "../model.js";
import { configurationProblems } from "./problems.js";
import type { OpenSecret, Scheme, VerifiableRequest } from "./scheme.js";
import { schemeOf } from "./schemes.js";
import { Trace } from "./trace.js";
import type { VerificationResult } from "./verdict.js";

/**
 * Puts a request to its source's verification: the one walk behind the verdict and its explanation. Fails closed:
 * with a scheme that this version does not know, with options that do not fit it, and without a usable secret.
 */
export function walk(
  verification: Verification,
  secrets: readonly OpenSecret[],
  request: VerifiableRequest,
): { readonly verdict: VerificationResult; readonly trace: Trace } {
  const trace = new Trace();
  const scheme = readConfiguration(trace, verification);
  const usable = scheme === null ? null : usableSecrets(trace, scheme, verification, secrets);
  if (scheme === null || usable === null) return { verdict: refused(trace), trace };
  const toleranceSeconds = verification.toleranceSeconds ?? scheme.defaultToleranceSeconds ?? 0;
  const secretId = scheme.check({ verification, secrets: usable, request, toleranceSeconds, trace });
  const ok = secretId !== null && trace.refusal === null;
  return { verdict: ok ? { ok, secretId } : refused(trace), trace };
}

const refused = ({ refusal }: Trace): VerificationResult => ({ ok: false, reason: refusal ?? "not verified" });

function readConfiguration(trace: Trace, verification: Verification): Scheme | null {
  const problems = configurationProblems(verification);
  const detail = problems.map(({ field, reason }) => `${field} ${reason}`).join("; ");
  if (problems.length > 0) return trace.fail("configuration", detail, `the source's ${detail}`);
  trace.pass("configuration", `is sound: scheme ${verification.scheme}`);
  return schemeOf(verification.scheme);
}

/** A scheme without secrets has none to lack. */
function usableSecrets(
  trace: Trace,
  scheme: Scheme,
  verification: Verification,
  secrets: readonly OpenSecret[],
): readonly OpenSecret[] | null {
  if (scheme.secret === null) return [];
  const problems = secrets.map(({ id, value }) => ({ id, reason: scheme.secretProblem(value, verification) }));
  const unusable = problems.filter(({ reason }) => reason !== null).map(({ id, reason }) => `${id} ${reason}`);
  const usable = secrets.filter((_, index) => problems[index]?.reason === null);
  const detail = [`${usable.length} of ${secrets.length} can be used`, ...unusable].join("; ");
  if (usable.length === 0) return trace.fail("secrets", detail, "the source has no usable secret");
  trace.pass("secrets", detail);
  return usable;
}

import type { Verification } from "../model.js";
import { optionsProblems } from "./configuration.js";
import type { OpenSecret, Scheme, VerifiableRequest } from "./scheme.js";
import { Trace } from "./trace.js";
import type { VerificationResult } from "./verdict.js";

/**
 * Puts a request to its source's verification: the one walk behind the verdict and its explanation. `scheme`: the one
 * that the verification names; null: this version does not know it. Never throws, whatever is sent or stored, and fails
 * closed: without the scheme, with options that do not fit it or cannot be read, and without a usable secret.
 */
export function walk(
  scheme: Scheme | null,
  verification: Verification,
  secrets: readonly OpenSecret[],
  request: VerifiableRequest,
): { readonly verdict: VerificationResult; readonly trace: Trace } {
  const trace = new Trace();
  try {
    return { verdict: judge(trace, scheme, verification, secrets, request), trace };
  } catch {
    // An item that another version wrote, or a person: a field of another type must not be the sender's 5xx for ever.
    trace.fail("configuration", "cannot be read by this version", "the source's verification cannot be read");
    return { verdict: refused(trace), trace };
  }
}

function judge(
  trace: Trace,
  scheme: Scheme | null,
  verification: Verification,
  secrets: readonly OpenSecret[],
  request: VerifiableRequest,
): VerificationResult {
  const known = readConfiguration(trace, scheme, verification);
  const usable = known === null ? null : usableSecrets(trace, known, verification, secrets);
  if (known === null || usable === null) return refused(trace);
  const toleranceSeconds = verification.toleranceSeconds ?? known.defaultToleranceSeconds ?? 0;
  const secretId = known.check({ verification, secrets: usable, request, toleranceSeconds, trace });
  const ok = secretId !== null && trace.refusal === null;
  return ok ? { ok, secretId } : refused(trace);
}

const refused = ({ refusal }: Trace): VerificationResult => ({ ok: false, reason: refusal ?? "not verified" });

function readConfiguration(trace: Trace, scheme: Scheme | null, verification: Verification): Scheme | null {
  if (scheme === null) {
    const detail = "verification.scheme is not known to this version";
    return trace.fail("configuration", detail, `the source's ${detail}`);
  }
  const problems = optionsProblems(scheme, verification);
  const detail = problems.map(({ field, reason }) => `${field} ${reason}`).join("; ");
  if (problems.length > 0) return trace.fail("configuration", detail, `the source's ${detail}`);
  trace.pass("configuration", `is sound: scheme ${verification.scheme}`);
  return scheme;
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

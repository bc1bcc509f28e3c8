import type { Verification } from "../model.js";
import { bodyVariants } from "./body-variants.js";
import { explainVerification } from "./explain.js";
import type { OpenSecret, VerifiableRequest } from "./scheme.js";
import { settingVariants } from "./setting-variants.js";
import type { ExplanationStep } from "./trace.js";
import { verify } from "./verify.js";

/** Why a request verifies or not, and what would make it verify. */
export interface Diagnosis {
  readonly verified: boolean;
  /** Id of the secret that matched; null: none, or the source does not verify. */
  readonly secretId: string | null;
  /** Short, as in the log; null when it is verified. */
  readonly reason: string | null;
  readonly steps: readonly ExplanationStep[];
  /** What to put right, as sentences; none shows a secret. */
  readonly hints: readonly string[];
}

/**
 * Puts a request to a verification, and where its signature does not match tries what usually goes wrong. That is for
 * an operator's eyes: a request that verifies only in another form is as little verified as any other.
 */
export function diagnose(
  verification: Verification | null,
  secrets: readonly OpenSecret[],
  request: VerifiableRequest,
): Diagnosis {
  const verdict = verify(verification, secrets, request);
  const steps = explainVerification(verification, secrets, request);
  if (verdict.ok || verification === null) {
    return { verified: true, secretId: verdict.ok ? verdict.secretId : null, reason: null, steps, hints: [] };
  }
  const hints = hintsFor(verification, secrets, request, steps);
  return { verified: false, secretId: null, reason: verdict.reason, steps, hints };
}

function hintsFor(
  verification: Verification,
  secrets: readonly OpenSecret[],
  request: VerifiableRequest,
  steps: readonly ExplanationStep[],
): readonly string[] {
  const failed = steps.filter(({ ok }) => !ok).map(({ step }) => step);
  if (signatureFits(steps)) return failed.every((step) => step === "timestamp") ? [onlyTheTime] : [];
  if (!failed.some((step) => step === "signature" || step === "secrets" || step === "bodySHA256")) return [];
  const matches = (v: Verification, s: readonly OpenSecret[], r: VerifiableRequest) =>
    signatureFits(explainVerification(v, s, r));
  const bodies = bodyVariants(request).filter(({ body }) => matches(verification, secrets, { ...request, body }));
  const [body] = bodies;
  if (body !== undefined) return [`It verifies ${body.what}: something on the way, or in saving it, changes the body.`];
  const settings = settingVariants({ verification, secrets, request });
  const setting = settings.find((each) => matches(each.verification, each.secrets, each.request));
  return [setting === undefined ? anotherSecret : `It verifies ${setting.what}.`];
}

/** Also where the time is off: that is another step. */
const signatureFits = (steps: readonly ExplanationStep[]): boolean =>
  steps.some(({ step, ok }) => step === "signature" && ok);

const onlyTheTime =
  "The signature is right, only its time is off. A saved request is judged at its own time; for a provider that sends again with its first time, raise toleranceSeconds.";

const anotherSecret =
  "No usual change to body, secret or URL makes it verify: most likely the secret is another one. Providers give each endpoint, and test and live mode, a secret of its own.";

import type { Verification, VerificationScheme } from "../model.js";

/** Headers with a credential by scheme; a signature is none: a receiver may want to verify the provider itself. */
const byScheme: Readonly<Partial<Record<VerificationScheme, readonly string[]>>> = {
  // It may come along with a signature.
  gitlab: ["x-gitlab-token"],
  basic: ["authorization"],
  // AWS Signature Version 4.
  iam: ["authorization", "x-amz-date", "x-amz-security-token", "x-amz-content-sha256"],
};

/** Lower-case names of the headers whose value lets its owner in: kept nowhere and sent to no destination. */
export function credentialHeaders(verification: Verification | null): readonly string[] {
  if (verification === null) return [];
  const { scheme, headerToken } = verification;
  if (scheme === "header-token") return headerToken?.header === undefined ? [] : [headerToken.header.toLowerCase()];
  // Another version may know a scheme of any name.
  return (Object.hasOwn(byScheme, scheme) ? byScheme[scheme] : undefined) ?? [];
}

import type { VerifiableRequest } from "../../core/verification/scheme.js";
import type { VerificationResult } from "../../core/verification/verdict.js";
import { walk } from "../../core/verification/walk.js";
import type { OpenSource, SnsService } from "../ports.js";
import { loadScheme } from "./load-scheme.js";

/** Gives the service when it is asked for: most sources have nothing to do with SNS. */
export type SnsAccess = () => Promise<SnsService>;

/**
 * Verifies a request as its source says. Rejects when SNS could not be asked for a certificate: then nobody knows, and
 * the sender has to send again.
 */
export async function verifyRequest(
  sns: SnsAccess,
  source: OpenSource,
  request: VerifiableRequest,
): Promise<VerificationResult> {
  const { verification, secretValues } = source;
  if (verification === null) return { ok: true, secretId: null };
  const scheme = await loadScheme(verification.scheme);
  return walk(scheme, verification, secretValues, await withEvidence(sns, source, request)).verdict;
}

/** The request with what its scheme has to fetch before it can look: for SNS the certificate that the message names. */
export async function withEvidence(
  sns: SnsAccess,
  { verification }: OpenSource,
  request: VerifiableRequest,
): Promise<VerifiableRequest> {
  if (verification?.scheme !== "sns") return request;
  const { snsCertificateUrl } = await import("../../core/handshakes/sns-message.js");
  const url = snsCertificateUrl(request.body, verification.topicArn);
  return url === null ? request : { ...request, certificatePem: await (await sns()).certificate(url) };
}

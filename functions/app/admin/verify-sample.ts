import { diagnose } from "../../core/verification/diagnose.js";
import type { VerifiableRequest } from "../../core/verification/scheme.js";
import { withEvidence } from "../ingress/verify-request.js";
import type { AdminContext } from "./context.js";
import type { JsonObject } from "./merge-patch.js";
import { parse } from "./parse.js";
import { unknown } from "./problem.js";
import { type SampleReport, sampleSchema } from "./sample-schemas.js";
import { isoTime } from "./views.js";

/**
 * Puts a saved request to a source's verification with the source's own secrets, step by step. It is no event: nothing
 * of it is stored, delivered or quarantined, whatever comes of it.
 */
export async function verifySample(context: AdminContext, sourceId: string, body: JsonObject): Promise<SampleReport> {
  const { method, suffix, query, headers, bodyBase64, nowMs = context.now() } = parse(sampleSchema, body);
  const source = await context.sources.openSource(sourceId);
  if (source === null) throw unknown("unknown_source", sourceId);
  const sample: VerifiableRequest = {
    method,
    suffix,
    query,
    headers: Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]),
    body: Buffer.from(bodyBase64, "base64"),
    nowMs,
  };
  const request = await withEvidence(context.sns, source, sample);
  const { verified, secretId, reason, steps, hints } = diagnose(source.verification, source.secretValues, request);
  return {
    sourceId,
    verified,
    verifiedBy: secretId,
    reason,
    scheme: source.verification?.scheme ?? null,
    at: isoTime(nowMs),
    steps: [...steps],
    hints: [...hints],
  };
}

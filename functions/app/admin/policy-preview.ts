import { type PolicyPreview, previewPolicy } from "../../core/policy-preview.js";
import { resolvePolicy } from "../../core/presets.js";
import type { SystemDefaults } from "../../shared/env.js";
import { presetOf } from "./definitions.js";
import { parse } from "./parse.js";
import { invalidRequest } from "./problem.js";
import { policyPreviewSchema } from "./schemas.js";
import { problemsOfPolicy } from "./subscription-problems.js";
import type { SubscriptionView } from "./view-schemas.js";

/** What a policy comes to, and the policy itself as it is in force. */
export interface PolicyPreviewView extends PolicyPreview {
  readonly policy: SubscriptionView["policy"];
}

/**
 * The ladder of a policy that no subscription needs to have. Throws the 400 that a subscription with this policy would
 * get, with the same fields.
 */
export function findPolicyPreview(defaults: SystemDefaults, body: unknown): PolicyPreviewView {
  const { policy: given } = parse(policyPreviewSchema, body);
  const policy = resolvePolicy(given, defaults);
  const problems = problemsOfPolicy(policy);
  if (problems.length > 0) throw invalidRequest(problems);
  return { policy: { preset: presetOf(given, defaults), ...policy }, ...previewPolicy(policy) };
}

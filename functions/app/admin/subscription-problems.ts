import { destinationProblem } from "../../core/address-guard.js";
import { policyProblems } from "../../core/policy-problems.js";
import { presetCircuit, resolvePolicy } from "../../core/presets.js";
import { signingSecretProblem } from "../../core/standard-webhooks.js";
import { typePatternProblem } from "../../core/type-patterns.js";
import type { AdminContext } from "./context.js";
import { presetOf } from "./definitions.js";
import type { FieldProblem } from "./problem.js";
import type { SubscriptionInput } from "./schemas.js";

/** What a schema cannot see: contradictions, and everything that the core knows about URLs, types and secrets. */
export function subscriptionProblems(
  input: SubscriptionInput,
  { defaults, allowLoopback, privateCidrs }: Pick<AdminContext, "defaults" | "allowLoopback" | "privateCidrs">,
): readonly FieldProblem[] {
  const destination = destinationProblem(input.url, { allowLoopback, privateCidrs });
  const policy = policyProblems(resolvePolicy(input.policy, defaults));
  return [
    ...(destination === null ? [] : [destination]),
    ...policy.map(({ field, reason }) => ({ field: `policy.${field}`, reason })),
    ...circuitProblems(input, presetOf(input.policy, defaults)),
    ...(input.types ?? []).flatMap((pattern, index) => named(`types[${index}]`, typePatternProblem(pattern))),
    ...named("signingSecret", input.signingSecret === undefined ? null : signingSecretProblem(input.signingSecret)),
  ];
}

function circuitProblems({ circuit }: SubscriptionInput, preset: Parameters<typeof presetCircuit>[0]): FieldProblem[] {
  const standard = presetCircuit(preset);
  const first = circuit?.cooldownSeconds ?? standard.cooldownSeconds;
  const last = circuit?.maxCooldownSeconds ?? standard.maxCooldownSeconds;
  if (first <= last) return [];
  return named("circuit.maxCooldownSeconds", `${last} is below cooldownSeconds (${first}): raise it`);
}

const named = (field: string, reason: string | null): FieldProblem[] => (reason === null ? [] : [{ field, reason }]);

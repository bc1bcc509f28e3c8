import { destinationProblem } from "../../core/address-guard.js";
import { customHeaderProblems } from "../../core/custom-headers.js";
import type { RetryPolicy, SubscriptionStatus } from "../../core/model.js";
import { policyProblems } from "../../core/policy-problems.js";
import { presetCircuit, resolvePolicy } from "../../core/presets.js";
import { signingSecretProblem } from "../../core/standard-webhooks.js";
import { typePatternProblem } from "../../core/type-patterns.js";
import { invocationTime } from "../delivery/invocation-time.js";
import type { AdminContext } from "./context.js";
import { presetOf, resolveTimeouts } from "./definitions.js";
import type { FieldProblem } from "./problem.js";
import type { SubscriptionInput } from "./schemas.js";

/** What a schema cannot see: contradictions, and everything that the core knows about URLs, types and secrets. */
export function subscriptionProblems(
  input: SubscriptionInput,
  context: Pick<AdminContext, "defaults" | "deliveryTimeoutSeconds" | "allowLoopback" | "privateCidrs">,
): readonly FieldProblem[] {
  const { defaults, allowLoopback, privateCidrs } = context;
  const destination = destinationProblem(input.url, { allowLoopback, privateCidrs });
  return [
    ...(destination === null ? [] : [destination]),
    ...problemsOfPolicy(resolvePolicy(input.policy, defaults)),
    ...timeoutProblems(input, context),
    ...circuitProblems(input, presetOf(input.policy, defaults)),
    ...(input.types ?? []).flatMap((pattern, index) => named(`types[${index}]`, typePatternProblem(pattern))),
    ...customHeaderProblems(input.headers ?? {}),
    ...named("signingSecret", input.signingSecret === undefined ? null : signingSecretProblem(input.signingSecret)),
  ];
}

/** Named as the fields of a request that has the policy under `policy`. */
export const problemsOfPolicy = (policy: RetryPolicy): readonly FieldProblem[] =>
  policyProblems(policy).map(({ field, reason }) => ({ field: `policy.${field}`, reason }));

/** What an invocation keeps back at its end, at most. */
const recordSeconds = 10;

/** A limit that no attempt can reach would be a promise that is not kept: the function ends before. */
function timeoutProblems(
  { timeouts }: SubscriptionInput,
  { defaults, deliveryTimeoutSeconds }: Pick<AdminContext, "defaults" | "deliveryTimeoutSeconds">,
): FieldProblem[] {
  if (timeouts === null) return [];
  const { connectSeconds, readSeconds } = resolveTimeouts(timeouts, defaults);
  const wanted = connectSeconds + readSeconds;
  const longest = invocationTime(0, deliveryTimeoutSeconds * 1000).sendDeadlineMs / 1000;
  if (wanted <= longest) return [];
  return [
    {
      field: timeouts.readSeconds === undefined ? "timeouts.connectSeconds" : "timeouts.readSeconds",
      reason: `does not fit: connectSeconds (${connectSeconds}) and readSeconds (${readSeconds}) take ${wanted} s, and an attempt has ${longest} s`,
      fix: `Lower one of them, or deploy the stack with deliveryTimeout (context steadyhook:deliverySeconds) of ${Math.ceil(wanted) + recordSeconds} s.`,
    },
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

/** What of a subscription no write of its definition changes; without an id it does not exist yet. */
export interface Itself {
  readonly subscriptionId: string | null;
  readonly sourceId: string;
  readonly status: SubscriptionStatus;
}

/** A document may say what it is already, and nothing else. */
export function identityProblems(
  input: SubscriptionInput,
  { subscriptionId, sourceId, status }: Itself,
): FieldProblem[] {
  const isNew = subscriptionId === null;
  const problems: FieldProblem[] = [];
  if (input.subscriptionId !== undefined && input.subscriptionId !== subscriptionId) {
    const reason = isNew ? "is made by the relay: leave it out" : "names another subscription: an id never changes";
    problems.push({ field: "subscriptionId", reason });
  }
  if (input.sourceId !== undefined && input.sourceId !== sourceId) {
    problems.push({ field: "sourceId", reason: `is ${sourceId} and is not changed by a write` });
  }
  if (input.status !== undefined && input.status !== status) {
    const begins = "must be active: every subscription begins so";
    const reason = isNew ? begins : `is ${status} and is not changed by a write`;
    const fix = "Leave it out, and use POST /admin/subscriptions/{subscriptionId}/pause or /resume.";
    problems.push({ field: "status", reason, fix });
  }
  return problems;
}

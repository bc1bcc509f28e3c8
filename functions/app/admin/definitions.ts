import type { CircuitSettings, Gate, Subscription, Timeouts } from "../../core/model.js";
import { type PolicyInput, type PresetName, presetCircuit, resolvePolicy } from "../../core/presets.js";
import type { SystemDefaults } from "../../shared/env.js";

/** Fields of a subscription that fall back to a preset or to the system's defaults. */
type ResolvedField = "policy" | "timeouts" | "circuit";

/**
 * A subscription as its owner wrote it. What is absent here is resolved at each read, not at the write, so that a
 * system default that is raised takes effect for every subscription that relies on it.
 */
export interface SubscriptionRecord extends Omit<Subscription, ResolvedField> {
  readonly policy: PolicyInput | null;
  readonly timeouts: { readonly [Field in keyof Timeouts]?: number | undefined } | null;
  readonly circuit: { readonly [Field in keyof CircuitSettings]?: CircuitSettings[Field] | undefined } | null;
}

/** The preset that a policy stands on. */
export function presetOf(policy: PolicyInput | null, defaults: SystemDefaults): PresetName {
  return policy?.preset ?? (defaults.policyPreset as PresetName);
}

/** Completes a subscription from its preset and the system's defaults: nothing optional is left. */
export function resolveSubscription(record: SubscriptionRecord, defaults: SystemDefaults): Subscription {
  const { policy, timeouts, circuit, ...rest } = record;
  return {
    ...rest,
    policy: resolvePolicy(policy, defaults),
    timeouts: resolveTimeouts(timeouts, defaults),
    circuit: { ...presetCircuit(presetOf(policy, defaults)), ...defined(circuit ?? {}) },
  };
}

export function resolveTimeouts(given: SubscriptionRecord["timeouts"], defaults: SystemDefaults): Timeouts {
  return {
    connectSeconds: given?.connectSeconds ?? defaults.connectSeconds,
    readSeconds: given?.readSeconds ?? defaults.readSeconds,
  };
}

/** The fields that have a value: an `undefined` must not cover a default. */
function defined<Fields extends object>(
  fields: Fields,
): { [Field in keyof Fields]: Exclude<Fields[Field], undefined> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [Field in keyof Fields]: Exclude<Fields[Field], undefined>;
  };
}

/** The gate that a subscription begins with. */
export const newGate = ({
  subscriptionId,
  sourceId,
  createdAtMs,
}: Pick<Subscription, "subscriptionId" | "sourceId" | "createdAtMs">): Gate => ({
  subscriptionId,
  sourceId,
  status: "active",
  statusReason: null,
  generation: 1,
  holdsParked: false,
  changedAtMs: createdAtMs,
});

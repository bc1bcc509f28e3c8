import type { CircuitSettings, RetryPolicy, RuleSet, Schedule } from "./model.js";

export type PresetName = "default" | "hookwatch" | "notification-rules" | "standard-webhooks";

/** What a caller may say about a policy: any field, on top of a preset. */
export type PolicyInput = { readonly [Field in keyof RetryPolicy]?: RetryPolicy[Field] | undefined } & {
  readonly preset?: PresetName | undefined;
};

/** The operator's system-wide defaults, as far as policies are concerned (`SystemDefaults` of the stack fits). */
export interface SystemPolicyDefaults {
  /** Preset of policies that name none. */
  readonly policyPreset: string;
  /** System.webhookAttempts of "Webhook Notification Retry Rules": replaces the presets' maximum. */
  readonly maxAttempts?: number | undefined;
}

/** Default of `capSeconds` and of `retryAfterCapSeconds`, 1 h: nothing "can park a delivery for a day". */
const defaultCapSeconds = 3600;

const minutes = (count: number): number => count * 60;
const hours = (count: number): number => count * 3600;

const table = (...delaysSeconds: readonly number[]): Schedule => ({ kind: "table", delaysSeconds });

/** What every preset shares unless it says otherwise. */
const base: RetryPolicy = {
  schedule: { kind: "exponential", baseSeconds: 30 },
  capSeconds: defaultCapSeconds,
  jitter: 0.2,
  maxAttempts: 5,
  maxAgeSeconds: null,
  rules: "strict",
  retryOn: [],
  neverRetry: [],
  retryAfterCapSeconds: defaultCapSeconds,
  disableOnGone: true,
};

/**
 * The named policies.
 *
 * - `default`: exponential from 30 s to 1 h, 5 attempts ("Webhook Retry Best Practices").
 * - `hookwatch`: that document's worked schedule; the third delay is reached only when the maximum is raised.
 * - `notification-rules`: the schedule of "Webhook Notification Retry Rules", whose last delay goes on for ever. Its
 *   maximum is the system's; 10 where the system says nothing, so that every row of the schedule is reached.
 * - `standard-webhooks`: the schedule that the Standard Webhooks specification recommends, over about 3 days.
 */
export const presets: Readonly<Record<PresetName, RetryPolicy>> = {
  default: base,
  hookwatch: { ...base, schedule: table(30, 120, 600), capSeconds: null, maxAttempts: 3 },
  "notification-rules": {
    ...base,
    schedule: table(...[1, 2, 5, 10, 15, 30].map(minutes), ...[1, 6, 24].map(hours)),
    capSeconds: null,
    maxAttempts: 10,
    rules: "lenient",
    disableOnGone: false,
  },
  "standard-webhooks": {
    ...base,
    schedule: table(5, minutes(5), minutes(30), ...[2, 5, 10, 14, 20, 24].map(hours)),
    capSeconds: null,
    maxAttempts: 10,
  },
};

/** All preset names, in the order in which the docs list them. */
export const presetNames = Object.keys(presets) as readonly PresetName[];

const isPresetName = (name: string): name is PresetName => Object.hasOwn(presets, name);

/** Circuit settings of subscriptions that give none. */
const defaultCircuit: CircuitSettings = {
  failureThreshold: 5,
  failureRate: null,
  minimumAttempts: 20,
  cooldownSeconds: 15,
  maxCooldownSeconds: 900,
};

/**
 * Circuit settings that go with a preset. "If a notification fails for a subscription during a retry cycle, all
 * remaining pending notifications […] are skipped": under `notification-rules` one failure opens the circuit.
 */
export function presetCircuit(preset: PresetName): CircuitSettings {
  return preset === "notification-rules" ? { ...defaultCircuit, failureThreshold: 1 } : defaultCircuit;
}

/**
 * Completes a policy: the caller's fields, then the system's maximum, then the preset's. Checks nothing but the
 * preset's name (throws RangeError); {@link policyProblems} checks the result.
 *
 * A schedule given without a cap brings its own default: none for a table, else 1 h or the base when that is longer.
 */
export function resolvePolicy(input: PolicyInput | null, defaults: SystemPolicyDefaults): RetryPolicy {
  const preset = input?.preset ?? defaults.policyPreset;
  if (!isPresetName(preset)) throw new RangeError(`unknown policy preset "${preset}": use ${presetNames.join(", ")}`);
  const chosen = presets[preset];
  const given = input ?? {};
  const rules: RuleSet = given.rules ?? chosen.rules;
  return {
    schedule: given.schedule ?? chosen.schedule,
    capSeconds: given.capSeconds === undefined ? impliedCap(given.schedule, chosen) : given.capSeconds,
    jitter: given.jitter ?? chosen.jitter,
    maxAttempts: given.maxAttempts ?? defaults.maxAttempts ?? chosen.maxAttempts,
    maxAgeSeconds: given.maxAgeSeconds === undefined ? chosen.maxAgeSeconds : given.maxAgeSeconds,
    rules,
    retryOn: given.retryOn ?? chosen.retryOn,
    neverRetry: given.neverRetry ?? chosen.neverRetry,
    retryAfterCapSeconds: given.retryAfterCapSeconds ?? chosen.retryAfterCapSeconds,
    disableOnGone: given.disableOnGone ?? (given.rules === undefined ? chosen.disableOnGone : rules === "strict"),
  };
}

function impliedCap(schedule: Schedule | undefined, chosen: RetryPolicy): number | null {
  if (schedule === undefined) return chosen.capSeconds;
  if (schedule.kind === "table") return null;
  return Math.max(schedule.baseSeconds, defaultCapSeconds);
}

// The check of what this file resolves; its own file for length only.
export { policyProblems } from "./policy-problems.js";

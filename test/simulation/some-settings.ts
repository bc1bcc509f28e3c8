import type { SubscriptionRecord } from "../../functions/app/admin/definitions.js";
import type { PolicyInput } from "../../functions/core/presets.js";
import { aSubscriptionRecord } from "../support/config-records.js";
import type { Chaos } from "./function-host.js";
import type { World } from "./world.js";

/** What a run draws before it begins: how much goes wrong, and what subscriptions are like. */

export const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=";

export const someChaos = (world: World): Chaos => ({
  refuse: world.pick([0, 0.01, 0.05]),
  loseAnswer: world.pick([0, 0.01, 0.05]),
  crash: world.pick([0, 0.005, 0.02]),
  duplicate: world.pick([0, 0.02, 0.1]),
  loseAck: world.pick([0, 0.02, 0.1]),
  loseSchedule: world.pick([0, 0.1, 0.5]),
  indexLagMs: world.pick([0, 500, 5_000]),
  clockStep: world.pick([0, 0.02]),
});

const policies: readonly PolicyInput[] = [
  { preset: "default" },
  { preset: "hookwatch", maxAttempts: 5 },
  { preset: "notification-rules" },
  { preset: "standard-webhooks", jitter: 0 },
  { schedule: { kind: "fixed", baseSeconds: 5 }, maxAttempts: 8 },
  { schedule: { kind: "linear", baseSeconds: 400 }, maxAttempts: 4, rules: "lenient" },
  { schedule: { kind: "table", delaysSeconds: [1, 1000] }, maxAttempts: 6, maxAgeSeconds: 3600 },
];

/** From one that opens at once to one that never does. */
const thresholds = [1, 5, 5, 20, 100_000];
const cooldowns = [
  { cooldownSeconds: 2, maxCooldownSeconds: 120 },
  { cooldownSeconds: 15, maxCooldownSeconds: 900 },
  { cooldownSeconds: 120, maxCooldownSeconds: 3_600 },
];
const failureRates = [{}, {}, { failureRate: 0.5, minimumAttempts: 5 }];
const rates = [null, null, null, 0.05, 1, 10];

/** A subscription whose destination, policy, circuit and rate are drawn. Its secret is {@link secret}. */
export const someSubscription = (world: World, name: string, sourceId: string): SubscriptionRecord =>
  aSubscriptionRecord({
    subscriptionId: `sub_${name}`,
    sourceId,
    url: `https://${name}.example/hooks`,
    policy: world.pick(policies),
    circuit: { failureThreshold: world.pick(thresholds), ...world.pick(cooldowns), ...world.pick(failureRates) },
    maxPerSecond: world.pick(rates),
    secrets: [{ id: "sec_1", createdAtMs: 0 }],
    createdAtMs: world.now(),
  });

import fc from "fast-check";
import { drawArrivals } from "../../cli/simulate/arrivals.js";
import { type Played, type Player, play } from "../../cli/simulate/play.js";
import { publishedPolicies } from "../../cli/simulate/published-policies.js";
import type { Scenario } from "../../cli/simulate/scenario.js";
import { presetCircuit, presets } from "../../functions/core/presets.js";

/** Ten minutes of refused connections at 50 events per second; it comes back with 100 requests per second. */
export const anOutage = (own: Partial<Scenario> = {}): Scenario => ({
  outageSeconds: 600,
  perSecond: 50,
  capacityPerSecond: 100,
  failure: "refused",
  arrivals: "poisson",
  events: null,
  maxPerSecond: null,
  environments: 2,
  seed: 1,
  ...own,
});

export const theDefault: Player = { kind: "relay", policy: presets.default, circuit: presetCircuit("default") };

export function published(name: string): Player {
  const policy = publishedPolicies[name];
  if (policy === undefined) throw new Error(`no policy ${name}`);
  return { kind: "retries", ...policy };
}

export const playedIn = (scenario: Scenario, player: Player): Played => play(scenario, drawArrivals(scenario), player);

/** Small enough to be played in a moment. */
export const anyScenario: fc.Arbitrary<Scenario> = fc
  .record({
    outageSeconds: fc.integer({ min: 1, max: 400 }),
    perSecond: fc.constantFrom(0.2, 1, 5, 12),
    spare: fc.integer({ min: 1, max: 20 }),
    failure: fc.constantFrom("refused", "503", "429", "hang"),
    arrivals: fc.constantFrom("poisson", "even"),
    events: fc.option(fc.integer({ min: 1, max: 5_000 })),
    limit: fc.option(fc.integer({ min: 1, max: 20 })),
    environments: fc.integer({ min: 1, max: 5 }),
    seed: fc.nat(),
  })
  .map(({ spare, limit, perSecond, ...rest }) => ({
    ...rest,
    perSecond,
    capacityPerSecond: Math.ceil(perSecond) + spare,
    maxPerSecond: limit === null ? null : Math.ceil(perSecond) + limit,
  }));

export const anyPlayer: fc.Arbitrary<Player> = fc.oneof(
  fc.constantFrom(...Object.keys(publishedPolicies)).map(published),
  fc
    .record({
      preset: fc.constantFrom("default", "hookwatch", "notification-rules"),
      maxAttempts: fc.integer({ min: 1, max: 6 }),
      maxAgeSeconds: fc.option(fc.integer({ min: 30, max: 900 })),
    })
    .map(
      ({ preset, ...own }): Player => ({
        kind: "relay",
        policy: { ...presets[preset], ...own },
        circuit: presetCircuit(preset),
      }),
    ),
);

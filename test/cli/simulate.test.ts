import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Agenda } from "../../cli/simulate/agenda.js";
import { drawArrivals } from "../../cli/simulate/arrivals.js";
import { playRelay } from "../../cli/simulate/relay.js";
import { recoverySecond } from "../../cli/simulate/scenario.js";
import { presetCircuit, presets } from "../../functions/core/presets.js";
import { anOutage, anyPlayer, anyScenario, playedIn, published, theDefault } from "./simulate-outages.js";

describe("an outage of any length, with any policy", () => {
  it("leaves no event unaccounted for", () => {
    fc.assert(
      fc.property(anyScenario, anyPlayer, (scenario, player) => {
        const { result } = playedIn(scenario, player);
        const { events, delivered, deadLetters, open, attempts } = result;
        expect(delivered + deadLetters + open).toBe(events);
        // Cohorts are no whole numbers.
        expect(open).toBeLessThanOrEqual(player.kind === "relay" ? 0 : 1);
        expect(Math.abs(attempts.made - attempts.wasted - delivered)).toBeLessThanOrEqual(1);
      }),
      { numRuns: 40 },
    );
  });

  it("is the same with the same seed", () => {
    fc.assert(
      fc.property(anyScenario, anyPlayer, (scenario, player) => {
        expect(playedIn(scenario, player)).toEqual(playedIn(scenario, player));
      }),
      { numRuns: 15 },
    );
  });

  it("wastes no less when it lasts for longer, without a circuit", () => {
    for (const name of ["svix", "outpost", "convoy", "hook0", "eventbridge", "naive"]) {
      const wasted = [30, 60, 300, 900, 2_700].map((outageSeconds) => {
        const scenario = anOutage({ outageSeconds, perSecond: 5, capacityPerSecond: 10, arrivals: "even" });
        return playedIn(scenario, published(name)).result.attempts.wasted;
      });
      expect(wasted, name).toEqual(wasted.toSorted((a, b) => a - b));
    }
  });

  it("wastes no less while it lasts for longer, with a circuit", () => {
    const wasted = [30, 60, 300, 900, 2_700].map((outageSeconds) => {
      const scenario = anOutage({ outageSeconds, perSecond: 10, capacityPerSecond: 50 });
      const { policy, circuit } = theDefault as Extract<typeof theDefault, { kind: "relay" }>;
      const { timeline } = playRelay(scenario, drawArrivals(scenario), policy, circuit);
      return timeline.wasted.slice(0, recoverySecond(scenario)).reduce((sum, each) => sum + each, 0);
    });
    expect(wasted).toEqual(wasted.toSorted((a, b) => a - b));
  });
});

describe("the default policy with its circuit", () => {
  it.each([
    { name: "10 minutes", outageSeconds: 600 },
    { name: "1 hour", outageSeconds: 3_600 },
  ])("after $name loses nothing, and hardly asks a dead destination", ({ outageSeconds }) => {
    const scenario = anOutage({ outageSeconds });
    const { result } = playedIn(scenario, theDefault);
    expect(result).toMatchObject({ deadLetters: 0, open: 0, delivered: result.events });
    expect(result.attempts.p99).toBeLessThanOrEqual(3);
    const { wasted } = playedIn(scenario, published("naive")).result.attempts;
    if (outageSeconds >= 3_600) expect(result.attempts.wasted).toBeLessThan(0.001 * wasted);
    expect(result.recovery.drainFactor).toBeLessThan(1.3);
    expect(result.recovery.refusedOfReleased).toBeLessThan(0.05);
  });

  it.each([1, 2, 6])("keeps to maxPerSecond with %i environments, and drains as fast as it allows", (environments) => {
    const { result } = playedIn(anOutage({ maxPerSecond: 100, environments }), theDefault);
    expect(result.recovery.peakPerSecond).toBeLessThanOrEqual(100);
    expect(result.recovery).toMatchObject({ refused: 0 });
    // Slots are 5% below the limit: of 50 a second that are left beside new events, 45.
    expect(result.recovery.drainFactor).toBeLessThan(1.2);
    expect(result.deadLetters).toBe(0);
  });

  it.each(["503", "429", "hang"] as const)("takes %s as it takes a refused connection", (failure) => {
    const { result } = playedIn(anOutage({ failure, perSecond: 5, capacityPerSecond: 20 }), theDefault);
    expect(result).toMatchObject({ deadLetters: 0, open: 0 });
    // A hanging request is known to have failed after a minute: what came meanwhile has been sent.
    expect(result.attempts.wasted).toBeLessThan(failure === "hang" ? 600 : 200);
  });

  it("opens at once where one failure is enough", () => {
    const scenario = anOutage({ perSecond: 5, capacityPerSecond: 20 });
    const circuit = presetCircuit("notification-rules");
    const sooner = playRelay(scenario, drawArrivals(scenario), presets.default, circuit);
    const later = playRelay(scenario, drawArrivals(scenario), presets.default, { ...circuit, failureThreshold: 50 });
    const early = (wasted: readonly number[]) => wasted.slice(0, 70).reduce((sum, each) => sum + each, 0);
    expect(early(sooner.timeline.wasted)).toBeLessThan(early(later.timeline.wasted));
  });

  it("ends what has waited for longer than its time budget", () => {
    const policy = { ...presets.default, maxAgeSeconds: 120 };
    const { result } = playedIn(anOutage({ perSecond: 2 }), {
      ...theDefault,
      kind: "relay",
      policy,
    } as typeof theDefault);
    expect(result.deadLetterReasons).toEqual({ max_age: expect.any(Number) });
    expect(result.oldestSeconds).toBeLessThanOrEqual(121);
    expect(result.deadLetters).toBeGreaterThan(600);
  });

  it("finds the destination back although what is parked is mostly too old to be probed with", () => {
    const policy = { ...presets.default, maxAgeSeconds: 20 };
    const circuit = { ...presetCircuit("default"), failureThreshold: 2 };
    for (const outageSeconds of [45, 290]) {
      const scenario = anOutage({ outageSeconds, perSecond: 10, capacityPerSecond: 50 });
      const { result } = playedIn(scenario, { kind: "relay", policy, circuit });
      // The events of ten seconds after it die of the last cooldown, and no more.
      expect(result.deadLetters).toBeLessThan(10 * (outageSeconds + 10) * 1.05);
    }
  });
});

describe("policies without a circuit", () => {
  it("make one attempt after each delay of their ladder", () => {
    // The last events come when the outage begins: an attempt at 60 s, and one every 30 s until it works at 660 s.
    const scenario = anOutage({ perSecond: 50, events: 3_025, arrivals: "even" });
    const { result, requests } = playedIn(scenario, published("naive"));
    const second = (at: number) => requests[at] ?? 0;
    expect(second(60)).toBeGreaterThan(0);
    expect([90, 120, 630].map(second)).toEqual([90, 120, 630].map(() => second(60)));
    expect(second(61)).toBe(0);
    expect(result.recovery.drainSeconds).toBe(1);
    expect(result.attempts).toMatchObject({ mean: 21, p99: 21, max: 21, wasted: 20 * second(60) });
  });

  it("lose what their ladder is too short for", () => {
    const { result } = playedIn(anOutage({ outageSeconds: 3_600 }), published("convoy"));
    expect(result.deadLetterReasons).toEqual({ exhausted: expect.any(Number) });
    // Ten attempts are over within 9 × 100 to 105 s: whoever came in the first 44 minutes is lost.
    expect(result.deadLetters).toBeGreaterThan(44 * 60 * 50 * 0.99);
  });
});

describe("the agenda", () => {
  it("hands out what is put in, by time and then by turn", () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 20 })), (times) => {
        const agenda = new Agenda<number>();
        for (const [index, atMs] of times.entries()) agenda.put(atMs, index);
        const taken = times.map(() => agenda.take());
        const sorted = times.map((_, index) => index).toSorted((a, b) => (times[a] ?? 0) - (times[b] ?? 0) || a - b);
        expect(taken).toEqual(sorted);
        expect(agenda.nextAtMs).toBe(Number.POSITIVE_INFINITY);
      }),
    );
  });
});

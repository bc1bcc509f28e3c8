import { Command } from "commander";
import { describe, expect, it } from "vitest";
import { circuitText, gateFields } from "../../cli/gate-text.js";
import { withNulls } from "../../cli/option-values.js";
import {
  addSubscriptionOptions,
  type SubscriptionOptions,
  subscriptionDocument,
} from "../../cli/subscription-options.js";
import { gateViewOf } from "../../functions/app/admin/gate-view.js";
import { presetCircuit } from "../../functions/core/presets.js";
import { aGate, aRelease } from "../support/builders.js";

const nowMs = Date.UTC(2026, 0, 15, 8);

/** What the terminal shows of a gate: what has nothing to say is left out. */
function shown(gate: Parameters<typeof aGate>[0]): Record<string, unknown> {
  const fields = gateFields({ gate: gateViewOf(aGate(gate), nowMs) }, nowMs);
  return Object.fromEntries(fields.filter(([, value]) => value !== null));
}

describe("a gate on the terminal", () => {
  it("at rest says so", () => {
    expect(shown({})).toEqual({ circuit: "closed", parked: "none" });
  });

  it("with an open circuit says since when, how often it was probed, and when it will be", () => {
    const circuit = { openedAtMs: nowMs - 60_000, probeAtMs: nowMs + 15_000, probes: 3, refusedProbes: 0 };
    expect(shown({ circuit, holdsParked: true })).toEqual({
      circuit: "open since 2026-01-15T07:59:00Z (1m ago), 3 probes",
      "next probe": "2026-01-15T08:00:15Z (in 15s)",
      parked: "deliveries may be parked",
    });
    const probe = { deliveryId: "dlv_1", untilMs: nowMs + 1 };
    expect(shown({ circuit: { ...circuit, probes: 1, probe } })["circuit"]).toMatch(/^half open since .*, 1 probe$/);
  });

  it("shows failures, what the destination asked for, and how a release goes on", () => {
    const counts = { inARow: 3, failures: 9, attempts: 20, minute: 0, minuteAttempts: 20, minuteFailures: 9 };
    const release = aRelease(nowMs - 2_000, { released: 30 });
    expect(shown({ counts, heldUntilMs: nowMs + 60_000, release, holdsParked: true })).toMatchObject({
      failures: "3 in a row",
      "held until": "2026-01-15T08:01:00Z (in 1m), as the destination asked",
      release: "30 let go since 2026-01-15T07:59:58Z (2s ago), now 10 per second",
    });
    expect(shown({ release: { ...release, endedAtMs: nowMs } })["release"]).toBeUndefined();
  });
});

describe("circuit settings", () => {
  it("are told in a line", () => {
    const settings = presetCircuit("default");
    expect(circuitText(settings)).toBe("opens after 5 failures in a row; a probe every 15s to 15m");
    expect(circuitText({ ...settings, failureThreshold: 1, failureRate: 0.5 })).toBe(
      "opens after 1 failure, or 50% of 20 a minute; a probe every 15s to 15m",
    );
  });

  it("are options, each of which may be given its default back", async () => {
    const documentOf = (...args: string[]) => {
      const command = addSubscriptionOptions(new Command()).parse(args, { from: "user" });
      return subscriptionDocument(withNulls(command.opts<SubscriptionOptions>()), {} as never);
    };
    const given = [
      "--failure-threshold",
      "20",
      "--failure-rate",
      "0.5",
      "--minimum-attempts",
      "50",
      "--cooldown",
      "5s",
    ];
    expect(await documentOf(...given, "--max-cooldown", "10m")).toEqual({
      circuit: {
        failureThreshold: 20,
        failureRate: 0.5,
        minimumAttempts: 50,
        cooldownSeconds: 5,
        maxCooldownSeconds: 600,
      },
    });
    expect(await documentOf("--failure-rate", "none")).toEqual({ circuit: { failureRate: null } });
  });
});

import fc from "fast-check";
import { expect, it } from "vitest";
import { CliError } from "../../../cli/cli-error.js";
import { Tail } from "../../../cli/tail/tail.js";
import type { TailLine } from "../../../cli/tail/tail-line.js";

import { type Happening, type Life, ModelledRelay, viewAt } from "./modelled-relay.js";

/** By the relay's clock, when `tail` is called. */
const beganMs = Date.UTC(2026, 0, 31, 12);

const someMs = (most: number) => fc.integer({ min: 1, max: most });

/** Attempts that fail, perhaps parked before the next; then an end. */
const aLife: fc.Arbitrary<Omit<Life, "deliveryId">> = fc
  .record({
    createdMs: fc.integer({ min: beganMs - 60_000, max: beganMs + 60_000 }),
    lagMs: fc.integer({ min: 0, max: 1_000 }),
    rounds: fc.array(fc.record({ takes: someMs(4_000), waits: someMs(40_000), parks: fc.boolean() }), { maxLength: 3 }),
    last: fc.record({ takes: someMs(4_000), kind: fc.constantFrom("deliver", "die", "cancel") }),
  })
  .map(({ createdMs, lagMs, rounds, last }) => {
    const happenings: Happening[] = [];
    let afterMs = 0;
    const add = (kind: Happening["kind"], delayMs: number) => {
      afterMs += delayMs;
      happenings.push({ kind, afterMs });
    };
    for (const { takes, waits, parks } of rounds) {
      add("claim", 1);
      add("fail", takes);
      if (parks) add("park", 1);
      add("claim", waits);
      add("fail", takes);
      afterMs += waits;
    }
    add("claim", 1);
    add(last.kind as Happening["kind"], last.takes);
    return { createdMs, lagMs, happenings };
  });

/** A poll of which so many calls fail first, and the pause after it. */
const aPoll = fc.record({ pauseMs: fc.integer({ min: 1_000, max: 5_000 }), failures: fc.constantFrom(0, 0, 0, 1, 5) });

/** What cannot be missed: ends of attempts and of deliveries. That something was parked for a moment can. */
const told = ({ deliveryId, attempt, status }: TailLine): string => `${deliveryId} ${attempt ?? status}`;

/** How often each line was told, whatever the order. */
const counts = (lines: readonly string[]): Map<string, number> =>
  lines.reduce((seen, line) => seen.set(line, (seen.get(line) ?? 0) + 1), new Map<string, number>());

/**
 * Whether it is told what happened around the very beginning: a retry that is under way then is in no list, and what was
 * created a moment before is not yet.
 */
function isUncertain(life: Life): boolean {
  const { status, attemptsStarted } = viewAt(life, beganMs);
  const isUnlisted = life.createdMs < beganMs && life.createdMs + life.lagMs > beganMs;
  return isUnlisted || (status === "attempting" && attemptsStarted > 1);
}

function expected(lives: readonly Life[]): string[] {
  return lives.flatMap((life) => {
    const before = viewAt(life, beganMs);
    const after = viewAt(life, beganMs + 600_000);
    const attempts = after.attempts.filter(({ number }) => number > (before.attempts.at(-1)?.number ?? 0));
    const ended = after.deadLetterReason === "cancelled" && before.status !== "dead_lettered";
    return [...attempts.map(({ number }) => number), ...(ended ? ["dead_lettered"] : [])].map(
      (each) => `${life.deliveryId} ${each}`,
    );
  });
}

it("tells every attempt and every end once, whatever fails, lags or is shown twice", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(aLife, { minLength: 1, maxLength: 30 }),
      fc.integer({ min: -300_000, max: 300_000 }),
      fc.integer({ min: 1, max: 5 }),
      fc.array(aPoll, { minLength: 1, maxLength: 20 }),
      async (parts, clocksDifferMs, mostOnPage, polls) => {
        const lives = parts.map((part, index) => ({ ...part, deliveryId: `dlv_${index}` }));
        let nowMs = beganMs;
        const relay = new ModelledRelay(lives, () => nowMs, mostOnPage);
        const lines: string[] = [];
        const tail = await Tail.begin({ sourceId: undefined, subscriptionId: undefined }, null, {
          relay,
          now: () => nowMs + clocksDifferMs,
          signal: new AbortController().signal,
          tell: (each) =>
            lines.push(...each.filter(({ status, attempt }) => status !== "parked" || attempt !== null).map(told)),
          warn: () => {},
        });
        for (let poll = 0; nowMs < beganMs + 600_000; poll++) {
          const { pauseMs, failures } = polls[poll % polls.length] ?? { pauseMs: 1_000, failures: 0 };
          // The last ones get through.
          relay.failures = nowMs < beganMs + 400_000 ? failures : 0;
          await tail.poll().catch((error: unknown) => expect(error).toBeInstanceOf(CliError));
          nowMs += pauseMs;
        }
        const certain = lives.filter((life) => !isUncertain(life));
        const ids = new Set(certain.map(({ deliveryId }) => deliveryId));
        const ofCertain = lines.filter((line) => ids.has(line.split(" ")[0] ?? ""));
        expect(counts(ofCertain)).toEqual(counts(expected(certain)));
      },
    ),
    { numRuns: 30 },
  );
});

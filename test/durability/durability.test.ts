import { expect, it } from "vitest";
import { killAgainAndAgain } from "./run.js";

/** `npm run test:durability` does the same for as long as one likes. */
it("loses nothing, and sends nothing twice unrecorded, when the relay is killed three times under load", async () => {
  const report = await killAgainAndAgain({ rounds: 3, seed: 7, longestPauseMs: 500 });

  expect(report.violations).toEqual([]);
  expect(report.accepted).toBeGreaterThan(0);
  // The kills hit: without attempts under way nothing would have been shown.
  expect(report.unknown + report.unanswered).toBeGreaterThan(0);
  // Two cores that do other things as well.
}, 180_000);

import { describe, expect, it } from "vitest";
import { violationsOf } from "./invariants.js";
import { play } from "./scenario.js";

const seeds = Number(process.env["SIMULATION_SEEDS"] ?? 100);
const from = Number(process.env["SIMULATION_FROM"] ?? 1);

describe("the relay under simulated chaos", () => {
  it(`keeps its promises for ${seeds} seeds from ${from}`, { timeout: 3_600_000 }, async () => {
    for (let seed = from; seed < from + seeds; seed++) {
      const violations = violationsOf(await play(seed));
      expect(violations, `seed ${seed}: npm run test:simulation -- --seeds 1 --from ${seed} replays it`).toEqual([]);
    }
  });
});

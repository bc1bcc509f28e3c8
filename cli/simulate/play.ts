import type { CircuitSettings, RetryPolicy } from "../../functions/core/model.js";
import type { Arrivals } from "./arrivals.js";
import { playCohorts } from "./cohorts.js";
import { ladderOf } from "./ladder.js";
import type { PublishedPolicy } from "./published-policies.js";
import { playRelay } from "./relay.js";
import { type Result, resultOf } from "./result.js";
import type { Scenario } from "./scenario.js";

/** Who plays: a policy of this relay with its circuit, or a schedule of retries alone. */
export type Player =
  | { readonly kind: "relay"; readonly policy: RetryPolicy; readonly circuit: CircuitSettings }
  | ({ readonly kind: "retries" } & Pick<PublishedPolicy, "policy" | "addedSeconds" | "timeoutSeconds">);

export interface Played {
  readonly result: Result;
  /** Requests second by second, from the beginning of the play. */
  readonly requests: readonly number[];
}

/** Plays a scenario with one policy. Pure: the same arguments, the same result. */
export function play(scenario: Scenario, arrivals: Arrivals, player: Player): Played {
  const run =
    player.kind === "relay"
      ? playRelay(scenario, arrivals, player.policy, player.circuit)
      : playCohorts(scenario, arrivals, ladderOf(player));
  return { result: resultOf(scenario, arrivals, run), requests: run.timeline.requests };
}

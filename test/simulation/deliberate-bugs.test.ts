import { describe, expect, it } from "vitest";
import { deliveryBugs } from "./delivery-bugs.js";
import { gateBugs } from "./gate-bugs.js";
import { violationsOf } from "./invariants.js";
import { play } from "./scenario.js";

/**
 * A proof that never fails proves nothing: each of these bugs, put into an otherwise right relay, must be caught within
 * 200 seeds.
 */
const seedsAtMost = 200;
const bugs = { ...deliveryBugs, ...gateBugs };

/** Where each was caught when this was written: the search begins there. Any other change of the relay moves it. */
const caughtBefore: Readonly<Record<string, number>> = {
  "the claim's condition is skipped": 1,
  "a late record overwrites newer state": 8,
  "a message is acknowledged before its work is done": 1,
  "a failed message is acknowledged all the same": 1,
  "the next attempt is not announced, and nobody sweeps": 3,
  "lost schedules are nobody's business": 3,
  "the guard is forgotten: no message may repair": 4,
  "every message is a guard: copies repair, too": 30,
  "our own lost answer is taken for a lost claim": 1,
  "the lease ends with the claim": 30,
  "an open delivery expires": 2,
  "a record is said to be made, and is not": 2,
  "the event is not stored": 1,
  "the dead letter is not sent": 2,
  "a dead letter is sent for every failure": 1,
  "one attempt too many is made": 9,
  "retries come at once": 1,
  "what is handed over to the slow lane loses its name": 10,
  "what is handed over to the slow lane comes by the fast one again": 1,
  "what a newer version wrote is taken for absent": 2,
  "an attempt is not recorded": 1,
  "a success is not believed": 3,
  "a parked delivery is attempted after its wait": 4,
  "faults are dropped": 43,
  "a parked delivery is not noted at its gate, and its release is lost": 3,
  "the sweeper sends without moving its entries on": 1,
  "a gate is written without its condition": 7,
  "every copy of a tick makes a step": 1,
  "a chain of ticks is lost, and nobody sweeps gates": 1,
  "a probe has no lease: the next one starts beside it": 1,
  "any success closes an open circuit": 19,
  "failures are not counted": 2,
  "each failure is counted ten times": 1,
  "a parked delivery is dropped at its release": 1,
  "what was released is attempted although the circuit has opened again": 1,
  "the gate is not read again after the parking, and a hold ends without a tick": 3,
  "Retry-After holds one delivery only": 7,
  "a probe does not wait for the time asked for": 4,
  "slots are not reserved": 8,
  "a resume forgets the release": 8,
  "probes burn last attempts first": 2,
};

function seedsFor(name: string): readonly number[] {
  const known = caughtBefore[name];
  const others = Array.from({ length: seedsAtMost }, (_, index) => index + 1).filter((seed) => seed !== known);
  return known === undefined ? others : [known, ...others];
}

describe("the simulation", () => {
  it.each(Object.entries(bugs))("catches it when %s", { timeout: 600_000 }, async (name, sabotage) => {
    let caughtAt: number | undefined;
    for (const seed of seedsFor(name)) {
      if (violationsOf(await play(seed, sabotage)).length > 0) caughtAt = seed;
      if (caughtAt !== undefined) break;
    }
    expect(caughtAt).toBeDefined();
  });
});

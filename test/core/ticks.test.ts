import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isGoing, judgeTick, withTick } from "../../functions/core/ticks.js";
import { aGate } from "../support/builders.js";

const nowMs = 1_000_000;
const gate = aGate({ generation: 3, tick: { seq: 7, generation: 3, dueAtMs: nowMs, by: "msg-6" } });

describe("a tick", () => {
  it.each([
    ["the next one goes", { seq: 7, messageId: "msg-7" }, "go"],
    ["the one before it is repeated by the message that made it", { seq: 6, messageId: "msg-6" }, "repeat"],
    ["a copy of the one before it is dropped", { seq: 6, messageId: "copy" }, "drop"],
    ["an older one is dropped, whoever made it", { seq: 5, messageId: "msg-6" }, "drop"],
    ["one that the gate does not know of is dropped", { seq: 8, messageId: "msg-8" }, "drop"],
  ] as const)("is known by its number: %s", (_what, message, verdict) => {
    expect(judgeTick(gate, { ...message, generation: 3 }, nowMs)).toBe(verdict);
  });

  it("is dropped at a gate that never had one", () => {
    expect(judgeTick(aGate(), { seq: 1, generation: 0, messageId: "a" }, nowMs)).toBe("drop");
  });

  it.each([
    ["goes where no chain is going on", { ...gate, tick: undefined }, 3, "go"],
    ["goes where the chain has done its work", { ...gate, tick: { ...gate.tick, dueAtMs: null } }, 3, "go"],
    ["goes where the chain is of an earlier generation", { ...gate, tick: { ...gate.tick, generation: 2 } }, 3, "go"],
    ["is dropped where one goes on", gate, 3, "drop"],
    ["is dropped when it is of another generation", { ...gate, tick: undefined }, 2, "drop"],
    [
      "is repeated by the message that made the last step",
      { ...gate, tick: { ...gate.tick, by: "asks" } },
      3,
      "repeat",
    ],
  ])("that only asks for ticks %s", (_what, found, generation, verdict) => {
    expect(judgeTick(found as typeof gate, { seq: null, generation, messageId: "asks" }, nowMs)).toBe(verdict);
  });
});

describe("a chain of ticks", () => {
  it("goes on until it is a minute late, done, or of another generation", () => {
    expect(isGoing(gate, nowMs + 59_999)).toBe(true);
    expect(isGoing(gate, nowMs + 60_000)).toBe(false);
    expect(isGoing({ ...gate, generation: 4 }, nowMs)).toBe(false);
    expect(isGoing(withTick(gate, null), nowMs)).toBe(false);
    expect(isGoing(aGate(), nowMs)).toBe(false);
  });

  it("numbers its ticks through all generations, so that no two are the same", () => {
    expect(withTick(aGate(), 5).tick).toEqual({ seq: 1, generation: 0, dueAtMs: 5, by: null });
    expect(withTick({ ...gate, generation: 9 }, 5, "m").tick).toEqual({ seq: 8, generation: 9, dueAtMs: 5, by: "m" });
  });

  it("never makes a step twice, in whatever order and however often its messages come", () => {
    const message = fc.record({ seq: fc.nat(12), messageId: fc.constantFrom("a", "b", "c") });
    fc.assert(
      fc.property(fc.array(message, { maxLength: 60 }), (messages) => {
        let current = withTick(aGate(), nowMs);
        const made: number[] = [];
        for (const each of messages) {
          if (judgeTick(current, { ...each, generation: 0 }, nowMs) !== "go") continue;
          made.push(each.seq);
          current = withTick(current, nowMs, each.messageId);
        }
        expect(made).toEqual(made.map((_seq, index) => index + 1));
      }),
    );
  });
});

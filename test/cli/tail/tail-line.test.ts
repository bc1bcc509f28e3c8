import { describe, expect, it } from "vitest";
import { Journal } from "../../../cli/tail/journal.js";
import { linesSince, type TailLine } from "../../../cli/tail/tail-line.js";
import type { DeliveryView } from "../../../functions/app/admin/view-schemas.js";
import { type Happening, viewAt } from "./modelled-relay.js";

/** A delivery to which this has happened, a second after each other; `then` is yet to come. */
function having(kinds: string, then = "claim deliver", overrides: Partial<DeliveryView> = {}): DeliveryView {
  const happened = kinds.split(" ");
  const happenings = [...happened, ...then.split(" ")].map(
    (kind, index): Happening => ({ kind: kind as Happening["kind"], afterMs: (index + 1) * 1_000 }),
  );
  const life = { deliveryId: "dlv_1", createdMs: 0, lagMs: 0, happenings };
  return { ...viewAt(life, happened.length * 1_000), ...overrides };
}

const brief = (lines: readonly TailLine[]) => lines.map(({ attempt, status }) => [attempt, status]);

describe("what is told of a delivery", () => {
  it("nothing while its first attempt is under way", () => {
    expect(linesSince(having("claim", "deliver"))).toEqual([]);
  });

  it("each attempt with what followed; the last one with when the next is due", () => {
    const lines = linesSince(having("claim fail claim fail"));
    expect(brief(lines)).toEqual([
      [1, "retry_scheduled"],
      [2, "retry_scheduled"],
    ]);
    expect(lines.map(({ nextAttemptAt }) => nextAttemptAt)).toEqual([null, "1970-01-01T00:00:05.000Z"]);
    expect(lines.map(({ at }) => at)).toEqual(["1970-01-01T00:00:02.000Z", "1970-01-01T00:00:04.000Z"]);
  });

  it("its end with the attempt that brought it", () => {
    expect(brief(linesSince(having("claim fail claim deliver")))).toEqual([
      [1, "retry_scheduled"],
      [2, "delivered"],
    ]);
    const [end] = linesSince(having("claim die"));
    expect(end).toMatchObject({ attempt: 1, status: "dead_lettered", deadLetterReason: "permanent" });
  });

  it("that it was parked, or ended by an operator, without an attempt", () => {
    expect(brief(linesSince(having("claim fail park")))).toEqual([
      [1, "retry_scheduled"],
      [null, "parked"],
    ]);
    expect(brief(linesSince(having("claim fail cancel")))).toEqual([
      [1, "retry_scheduled"],
      [null, "dead_lettered"],
    ]);
  });

  it("once, that it was parked by the attempt which found its destination gone", () => {
    const gone = having("claim die", "claim deliver", { status: "parked", deadLetterReason: null });
    expect(brief(linesSince(gone))).toEqual([[1, "parked"]]);
  });
});

describe("the journal", () => {
  const stages = ["claim", "claim fail", "claim fail park", "claim fail park claim", "claim fail park claim deliver"];

  it("tells each stage once, in whatever order lists and looks show them", () => {
    const journal = new Journal();
    const told = stages.flatMap((stage) => [
      ...journal.take(having(stage), 0),
      // A list that is behind.
      ...stages.flatMap((earlier) => (earlier.length < stage.length ? journal.take(having(earlier), 0) : [])),
      ...journal.take(having(stage), 0),
    ]);
    expect(brief(told)).toEqual([
      [1, "retry_scheduled"],
      [null, "parked"],
      [2, "delivered"],
    ]);
  });

  it("looks at what waits when it is due, and at the rest in steps that double", () => {
    const journal = new Journal();
    journal.take(having("claim fail"), 2_000);
    expect(journal.nextLookMs(1)).toBe(3_500);
    expect([journal.due(3_499, 1, 5), journal.due(3_500, 1, 5)]).toEqual([[], ["dlv_1"]]);
    // Overdue: it may be at work.
    for (const [nowMs, nextMs] of [
      [4_000, 6_000],
      [6_000, 10_000],
      [100_000, 108_000],
      [200_000, 215_000],
    ] as const) {
      journal.take(having("claim fail"), nowMs);
      expect(journal.nextLookMs(1)).toBe(nextMs);
    }
  });

  it("follows no more than so many, those that are due soonest", () => {
    const journal = new Journal(1);
    journal.take(having("claim fail", "claim deliver", { nextAttemptAt: "1970-01-01T01:00:00.000Z" }), 0);
    journal.take(having("claim fail", "claim deliver", { deliveryId: "dlv_2" }), 0);
    expect(journal.forgetBefore(1)).toBe(1);
    expect(journal.due(400_000, 1, 5)).toEqual(["dlv_2"]);
  });
});

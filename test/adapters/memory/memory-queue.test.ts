import { describe, expect, it } from "vitest";
import { MemoryQueue } from "../../../functions/adapters/memory/memory-queue.js";
import { virtualClock } from "../../support/virtual-clock.js";

function aQueue(maxReceiveCount = 2) {
  const { now, advance } = virtualClock();
  const faults = new MemoryQueue({ now });
  const queue = new MemoryQueue({ now, visibilitySeconds: 30, redrive: { maxReceiveCount, to: faults } });
  return { queue, faults, advance };
}

describe("a queue in memory", () => {
  it("gives a message back when its visibility ends, and up when it was received too often", () => {
    const { queue, faults, advance } = aQueue();
    faults.send("another");
    queue.send("poison", { groupId: "sub_1" });
    const [first] = queue.receive();
    expect(queue.receive()).toEqual([]);
    expect(queue.nextVisibleAtMs()).toBe((first?.sentAtMs ?? 0) + 30_000);
    advance(30);
    expect(queue.receive()).toMatchObject([{ messageId: first?.messageId, receiveCount: 2 }]);
    advance(30);
    expect(queue.receive()).toEqual([]);
    expect(queue.messages.size).toBe(0);
    const moved = { messageId: first?.messageId, body: "poison", groupId: "sub_1", sentAtMs: first?.sentAtMs };
    expect(faults.receive()).toMatchObject([{ body: "another" }, moved]);
  });

  it("takes no notice of the handle of an earlier receive", () => {
    const { queue, advance } = aQueue(10);
    queue.send("x");
    const [first] = queue.receive();
    advance(30);
    const [second] = queue.receive();
    queue.delete(first?.receiptHandle ?? "");
    queue.changeVisibility(first?.receiptHandle ?? "", 0);
    expect(queue.receive()).toEqual([]);
    queue.delete(second?.receiptHandle ?? "");
    expect(queue.messages.size).toBe(0);
    expect(queue.nextVisibleAtMs()).toBeUndefined();
  });

  it("hands out what it is asked for at most, in the order of sending", () => {
    const { queue } = aQueue();
    for (const body of ["a", "b", "c"]) queue.send(body);
    expect(queue.receive(2).map(({ body }) => body)).toEqual(["a", "b"]);
    expect(queue.receive(2).map(({ body }) => body)).toEqual(["c"]);
  });
});

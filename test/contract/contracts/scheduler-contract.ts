import { beforeEach, describe, expect, it, vi } from "vitest";
import { scheduleName } from "../../../functions/app/delivery/announce.js";
import { decodeMessage } from "../../../functions/app/messages.js";
import type { RetryScheduler } from "../../../functions/app/ports.js";
import { aDeliveryMessage, type ReceivedMessage } from "./queues-contract.js";

/** A scheduler with an empty target queue of its own. */
export interface SchedulerSubject {
  readonly scheduler: RetryScheduler;
  /** When a schedule is due, epoch milliseconds; null: there is none of this name. */
  dueAt(name: string): Promise<number | null>;
  /** What is visible in the target queue at this moment. */
  receive(): Promise<readonly ReceivedMessage[]>;
  now(): number;
  /** Lets time pass, or nothing where time passes by itself. */
  pass(seconds: number): void;
  readonly patienceMs: number;
}

/** What a retry in the far future relies on. */
export function schedulerContract(makeSubject: () => Promise<SchedulerSubject>): void {
  let subject: SchedulerSubject;
  beforeEach(async () => {
    subject = await makeSubject();
  });
  const wholeSecond = () => Math.ceil(subject.now() / 1000) * 1000;
  const eventually = <Value>(ask: () => Promise<Value>) =>
    vi.waitFor(ask, { timeout: subject.patienceMs, interval: 50 });

  describe("a schedule", () => {
    it("sends its message when the time has come, not before, and is gone then", async () => {
      const message = aDeliveryMessage(wholeSecond() + 2_000);
      const name = scheduleName(message);
      await subject.scheduler.scheduleDelivery(name, message, message.dueAtMs);
      expect(await subject.dueAt(name)).toBe(message.dueAtMs);
      subject.pass((message.dueAtMs - subject.now() - 1) / 1000);
      expect(await subject.receive()).toEqual([]);
      subject.pass(0.001);
      const received = await eventually(async () => {
        const messages = await subject.receive();
        expect(messages).toHaveLength(1);
        return messages[0];
      });
      expect(decodeMessage(received?.body ?? "")).toEqual(message);
      await eventually(async () => expect(await subject.dueAt(name)).toBeNull());
    });

    it.each([1, 500, 999])("that is due %i ms after a second is due at the next one", async (milliseconds) => {
      const message = aDeliveryMessage(wholeSecond() + 3_600_000 + milliseconds);
      await subject.scheduler.scheduleDelivery(scheduleName(message), message, message.dueAtMs);
      expect(await subject.dueAt(scheduleName(message))).toBe(message.dueAtMs - milliseconds + 1_000);
    });

    it("may be due in a year", async () => {
      const message = aDeliveryMessage(wholeSecond() + 365 * 86_400_000);
      await subject.scheduler.scheduleDelivery(scheduleName(message), message, message.dueAtMs);
      expect(await subject.dueAt(scheduleName(message))).toBe(message.dueAtMs);
    });

    it("of a name that exists is scheduled already, and stays as it is", async () => {
      const dueAtMs = wholeSecond() + 3_600_000;
      const [message, other] = [aDeliveryMessage(dueAtMs), aDeliveryMessage(dueAtMs + 60_000)];
      const name = scheduleName(message);
      await Promise.all([1, 2, 3].map(() => subject.scheduler.scheduleDelivery(name, message, dueAtMs)));
      await subject.scheduler.scheduleDelivery(name, other, other.dueAtMs);
      expect(await subject.dueAt(name)).toBe(dueAtMs);
    });

    it("needs a name that can be one", async () => {
      const message = aDeliveryMessage(wholeSecond() + 3_600_000);
      for (const name of ["", "a b", "a/b", "x".repeat(65)]) {
        await expect(subject.scheduler.scheduleDelivery(name, message, message.dueAtMs)).rejects.toThrow();
      }
    });
  });
}

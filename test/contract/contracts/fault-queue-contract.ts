import { describe, expect, it, vi } from "vitest";
import type { ControlRecord } from "../../../functions/app/control/process-control.js";
import type { FaultedMessage, FaultQueue } from "../../../functions/app/ports.js";

/** A fault queue of one's own, and what its consumer makes of what lies on it. */
export interface FaultQueueSubject {
  readonly queue: FaultQueue;
  /** What is visible at this moment, as the consumer reads it. */
  receive(): Promise<readonly ControlRecord[]>;
  readonly patienceMs: number;
}

/** What the consumer of faults relies on: a faulted message arrives as what it was. */
export function faultQueueContract(makeSubject: () => Promise<FaultQueueSubject>): void {
  const aFault = (given: Partial<FaultedMessage> = {}): FaultedMessage => ({
    queue: "delivery",
    messageId: "0b8f3c1e-5a77-4c2e-9d61-7f4e2b9a1c30",
    cause: "Error: table on fire",
    body: '{"v":9}',
    ...given,
  });

  async function sentAndReceived(fault: FaultedMessage): Promise<unknown> {
    const subject = await makeSubject();
    await subject.queue.sendFault(fault);
    const [record] = await vi.waitFor(
      async () => {
        const records = await subject.receive();
        expect(records).toHaveLength(1);
        return records;
      },
      { timeout: subject.patienceMs, interval: 20 },
    );
    return record?.from === "fault" ? record.fault : record;
  }

  describe("a faulted message", () => {
    it.each([
      ["of the delivery queue", aFault()],
      ["of the control queue", aFault({ queue: "control" })],
      ["that is no JSON", aFault({ body: "good morning" })],
      ["with a cause of many lines", aFault({ cause: "Error: a\n\tat b\r\n" })],
      ["as large as ingress makes them", aFault({ body: "x".repeat(1_044_480), cause: "€".repeat(1_000) })],
    ])("%s arrives as it was, with its cause", async (_what, fault) => {
      expect(await sentAndReceived(fault)).toEqual(fault);
    });

    it.each([
      ["without a cause", "", "unknown"],
      ["with a cause that no queue takes", "Error: \u0000\u001b[2J\uffff\ud800!", "Error:   [2J  !"],
      ["with an endless cause", "x".repeat(100_000), "x".repeat(1_000)],
    ])("%s arrives with as much as can be said", async (_what, cause, arrives) => {
      expect(await sentAndReceived(aFault({ cause }))).toEqual(aFault({ cause: arrives }));
    });
  });
}

import { randomBytes } from "node:crypto";
import { describe, expect, it } from "vitest";
import type { FaultTable } from "../../../functions/app/ports.js";
import type { Fault } from "../../../functions/core/model.js";

/** What the consumer of faults, and their redrive, rely on. */
export function faultTableContract(makeSubject: () => FaultTable): void {
  const aFault = (given: Partial<Fault> = {}): Fault => ({
    faultId: `flt_${randomBytes(12).toString("hex")}`,
    queue: "delivery",
    cause: "It has no kind.",
    messageId: "an-id",
    faultedAtMs: Date.UTC(2026, 0, 1),
    times: 1,
    redrivenAtMs: null,
    eventId: null,
    deliveryId: "dlv_a",
    subscriptionId: null,
    ...given,
  });

  describe("a fault", () => {
    it.each([1, 300_000, 1_000_000])("is read back, with its body of %i characters", async (length) => {
      const table = makeSubject();
      const [fault, body] = [aFault(), "x".repeat(length)];
      await table.storeFault(fault, body);
      expect(await table.findFault(fault.faultId)).toEqual(fault);
      expect(await table.faultBody(fault.faultId)).toBe(body);
    });

    it("is absent before it is stored", async () => {
      const table = makeSubject();
      expect(await table.findFault(aFault().faultId)).toBeNull();
      await expect(table.faultBody(aFault().faultId)).rejects.toThrow();
    });

    it("stays as it was first stored, until it was sent back and failed again", async () => {
      const table = makeSubject();
      const fault = aFault();
      await table.storeFault(fault, "first");
      await table.storeFault({ ...fault, cause: "Another." }, "second");
      const twice = { ...fault, times: 2 };
      expect(await table.findFault(fault.faultId)).toEqual(twice);
      expect(await table.faultBody(fault.faultId)).toBe("first");
      await table.markRedriven(twice, 5);
      expect(await table.findFault(fault.faultId)).toEqual({ ...twice, redrivenAtMs: 5 });
      const again = { ...fault, cause: "Another." };
      await table.storeFault(again, "second");
      expect(await table.findFault(fault.faultId)).toEqual({ ...again, times: 3 });
      expect(await table.faultBody(fault.faultId)).toBe("second");
    });

    it("that failed again before its redrive was noted still waits", async () => {
      const table = makeSubject();
      const fault = aFault();
      await table.storeFault(fault, "first");
      await table.storeFault(fault, "sent back");
      await table.markRedriven(fault, 5);
      expect(await table.findFault(fault.faultId)).toEqual({ ...fault, times: 2 });
    });

    it("that comes several times at once is counted each time", async () => {
      const table = makeSubject();
      const fault = aFault();
      await Promise.all([1, 2, 3].map(() => table.storeFault(fault, "body")));
      expect(await table.findFault(fault.faultId)).toEqual({ ...fault, times: 3 });
    });

    it("that was never stored cannot be sent back", async () => {
      const table = makeSubject();
      const fault = aFault();
      await table.markRedriven(fault, 5);
      expect(await table.findFault(fault.faultId)).toBeNull();
    });
  });
}

import type { FaultTable } from "../../app/ports.js";
import type { Fault } from "../../core/model.js";

/** Faults in memory; nothing expires. */
export class MemoryFaultTable implements FaultTable {
  readonly faults = new Map<string, { readonly fault: Fault; readonly body: string }>();

  async storeFault(fault: Fault, body: string): Promise<void> {
    const stored = this.faults.get(fault.faultId);
    const times = (stored?.fault.times ?? 0) + 1;
    const waiting = stored !== undefined && stored.fault.redrivenAtMs === null ? stored : { fault, body };
    this.faults.set(fault.faultId, { ...waiting, fault: { ...waiting.fault, times } });
  }

  async findFault(faultId: string): Promise<Fault | null> {
    return this.faults.get(faultId)?.fault ?? null;
  }

  async faultBody(faultId: string): Promise<string> {
    const stored = this.faults.get(faultId);
    if (stored === undefined) throw new Error(`no fault ${faultId}`);
    return stored.body;
  }

  async markRedriven(fault: Fault, nowMs: number): Promise<void> {
    const stored = this.faults.get(fault.faultId);
    if (stored?.fault.times !== fault.times) return;
    this.faults.set(fault.faultId, { ...stored, fault: { ...stored.fault, redrivenAtMs: nowMs } });
  }
}

import type { FaultTable } from "../../app/ports.js";
import type { Fault } from "../../core/model.js";

/** Faults in memory; nothing expires. */
export class MemoryFaultTable implements FaultTable {
  readonly faults = new Map<string, { readonly fault: Fault; readonly body: string }>();

  async storeFault(fault: Fault, body: string): Promise<void> {
    const stored = this.faults.get(fault.faultId);
    if (stored === undefined || stored.fault.redrivenAtMs !== null) this.faults.set(fault.faultId, { fault, body });
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
    if (stored === undefined) return;
    this.faults.set(fault.faultId, { ...stored, fault: { ...stored.fault, redrivenAtMs: nowMs } });
  }
}

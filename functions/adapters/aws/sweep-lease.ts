import type { SweepLease } from "../../app/ports.js";
import { itemVersion } from "./item-version.js";
import { changeItem, type Table } from "./items.js";
import type { Key } from "./keys.js";

const leaseKey: Key = { pk: "SWEEPER", sk: "LEASE" };

/** One item that says until when a sweep is running. */
export class DynamoSweepLease implements SweepLease {
  constructor(private readonly table: Table) {}

  take(nowMs: number, untilMs: number): Promise<boolean> {
    const free = {
      expression: "attribute_not_exists(#leaseUntilMs) OR #leaseUntilMs < :now",
      values: { ":now": nowMs },
    };
    return changeItem(this.table, leaseKey, { v: itemVersion, leaseUntilMs: untilMs }, free);
  }

  async release(untilMs: number): Promise<void> {
    const own = { expression: "#leaseUntilMs = :own", values: { ":own": untilMs } };
    await changeItem(this.table, leaseKey, { leaseUntilMs: 0 }, own);
  }
}

import type { AlertMarks } from "../../app/alert/send-alert.js";
import { itemVersion } from "./item-version.js";
import { changeItem, type Table } from "./items.js";

/** One item per alarm and state that was posted; it expires. */
export class DynamoAlertMarks implements AlertMarks {
  constructor(private readonly table: Table) {}

  take(key: string, messageId: string, nowMs: number, untilMs: number): Promise<boolean> {
    const changes = { v: itemVersion, messageId, untilMs, expiresAt: Math.ceil(untilMs / 1000) };
    return changeItem(this.table, { pk: `ALERT#${key}`, sk: "ALERT" }, changes, {
      expression: "attribute_not_exists(#untilMs) OR #untilMs < :now OR #messageId = :messageId",
      values: { ":now": nowMs },
    });
  }
}

import type { Credentials, Quarantined } from "../../app/ports.js";
import type { Release } from "../../core/model.js";
import { readItem, type TimedTable } from "./config-reads.js";
import { changeItem } from "./items.js";
import { eventKey } from "./keys.js";
import { unsealCredentials } from "./sealed-credentials.js";
import type { Vault } from "./vault.js";

/** The quarantine as the admin API works on it. */
export class TableQuarantinedEvents implements Quarantined {
  constructor(private readonly table: TimedTable & { readonly vault: Vault }) {}

  async openCredentials(eventId: string): Promise<Credentials> {
    const sealed = (await readItem(this.table, eventKey(eventId)))?.["sealed"];
    if (!(sealed instanceof Uint8Array)) return { headers: [] };
    return unsealCredentials(this.table.vault, eventId, Buffer.from(sealed));
  }

  async noteReleased(eventId: string, release: Release): Promise<boolean> {
    const stillWaits = {
      expression: "attribute_exists(#quarantine) AND attribute_not_exists(#quarantine.#released)",
      names: { "#released": "released" },
    };
    const item = await readItem(this.table, eventKey(eventId));
    if (item === null) return false;
    const quarantine = { ...(item["quarantine"] as object), released: release };
    return changeItem(this.table, eventKey(eventId), { quarantine, spk: undefined, ssk: undefined }, stillWaits);
  }
}

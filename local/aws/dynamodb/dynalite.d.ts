/** The parts of dynalite 4 that are used here; it has no types of its own. */

declare module "dynalite" {
  import type { Server } from "node:http";

  interface DynaliteOptions {
    /** Folder of the LevelDB; absent: in memory. */
    path?: string;
    createTableMs?: number;
    deleteTableMs?: number;
    updateTableMs?: number;
  }

  export default function dynalite(options?: DynaliteOptions): Server;
}

declare module "dynalite/db/index.js" {
  import type { AbstractLevel } from "abstract-level";

  /** An attribute value of DynamoDB's JSON: one type, one value. */
  type Item = Record<string, Record<string, unknown>>;

  interface Table {
    TableName: string;
    TableStatus: string;
    LocalSecondaryIndexes?: Index[];
    GlobalSecondaryIndexes?: Index[];
  }

  interface Index {
    IndexName: string;
    IndexStatus?: string;
  }

  interface Store {
    db: AbstractLevel<string, string, unknown>;
    tableDb: { awsAccountId: string; awsRegion: string };
    lifecycleManager: { gracefulClose(): Promise<void> };
  }

  interface DynaliteDb {
    create(options: object): Store;
    /** What an index must hold for `item`, and no longer for `existingItem`. */
    getIndexActions(
      indexes: Index[],
      existingItem: Item | undefined,
      item: Item | undefined,
      table: Table,
    ): { puts: { index: string; key: string; item: Item }[]; deletes: { index: string; key: string }[] };
  }

  const db: DynaliteDb;
  export default db;
  export type { Index, Item, Store, Table };
}

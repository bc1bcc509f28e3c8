/** The parts of dynalite 4 that are used here; it has no types of its own. */

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

  interface StoreOptions {
    /** Folder of the LevelDB. */
    path: string;
    createTableMs: number;
    deleteTableMs: number;
    updateTableMs: number;
  }

  interface DynaliteDb {
    /** Of two attribute values, by an operator such as `GT`. */
    compare(operator: string, value: object, other: object): boolean;
    create(options: StoreOptions): Store;
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

declare module "dynalite/validations/index.js" {
  import type { Store } from "dynalite/db/index.js";

  const validations: {
    /** The input without what the operation does not know. Throws what {@link DynaliteError} shows. */
    checkTypes(input: object, types: object): object;
    /** Throws what {@link DynaliteError} shows. Puts what it parsed into the input. */
    checkValidations(input: object, types: object, custom: unknown, store: Store): void;
  };

  /** What it throws, and what its actions answer, for a request that is wrong; anything else is an error of its own. */
  interface DynaliteError {
    readonly statusCode?: number;
    readonly body?: { readonly __type: string; readonly message?: string; readonly Message?: string };
  }

  export default validations;
  export type { DynaliteError };
}

declare module "dynalite/db/conditionParser.js" {
  import type { ExpressionParser } from "dynalite/db/updateParser.js";

  const parser: ExpressionParser;
  export default parser;
}

declare module "dynalite/db/updateParser.js" {
  interface ExpressionContext {
    readonly attrNames?: Readonly<Record<string, string>>;
    readonly attrVals?: Readonly<Record<string, object>>;
    /** Names and values that no expression of the request has used yet: parsing takes out what it uses. */
    readonly unusedAttrNames: Record<string, true>;
    readonly unusedAttrVals: Record<string, true>;
  }

  interface ExpressionParser {
    /** A tree that holds the values themselves, or a text that says what is wrong. Throws for a syntax error. */
    parse(text: string, options: { readonly context: ExpressionContext }): unknown;
  }

  const parser: ExpressionParser;
  export default parser;
  export type { ExpressionContext, ExpressionParser };
}

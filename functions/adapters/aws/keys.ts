import { hash } from "node:crypto";
import { indexShards } from "../../shared/table-layout.js";

/** Primary and index keys of every item kind. Pure; the ADR on access patterns explains each. */

export interface Key {
  readonly pk: string;
  readonly sk: string;
}

export const sourceKey = (sourceId: string): Key => ({ pk: `SRC#${sourceId}`, sk: "SOURCE" });
export const subscriptionKey = (sourceId: string, subscriptionId: string): Key => ({
  pk: `SRC#${sourceId}`,
  sk: `SUB#${subscriptionId}`,
});
export const subscriptionPrefix = "SUB#";
export const subscriptionNameKey = (sourceId: string, name: string): Key => ({
  pk: `SRC#${sourceId}`,
  sk: `NAME#${name}`,
});
export const gateKey = (subscriptionId: string): Key => ({ pk: `SUB#${subscriptionId}`, sk: "GATE" });
export const eventKey = (eventId: string): Key => ({ pk: `EVT#${eventId}`, sk: "EVENT" });
/** How many requests of a source could not be verified on one day, e.g. `2026-01-31` (UTC). */
export const unverifiedCountKey = (sourceId: string, day: string): Key => ({ pk: `QUA#${sourceId}`, sk: day });
export const deliveryKey = (deliveryId: string): Key => ({ pk: `DLV#${deliveryId}`, sk: "DELIVERY" });

export const replayKey = (replayId: string): Key => ({ pk: `RPL#${replayId}`, sk: "REPLAY" });

/** Stable shard of an id, 0 … {@link indexShards} − 1. */
export function shardOf(id: string): number {
  return (hash("sha256", id, "buffer")[0] as number) % indexShards;
}

/** Sort key that orders by time, then by id; without an id, it stands before all of its time. */
export const timeKey = (ms: number, id = ""): string => `${new Date(ms).toISOString()}#${id}`;

/** Partition keys of the `listing` index, one per shard. */
export const listingPartition = (subscriptionId: string, shard: number): string => `${subscriptionId}#${shard}`;

/** Lists of the `due` index: what each is ordered by stands in the ADR. */
export type DueList = "DUE" | "PARKED" | "DEAD" | "FAULT";
export const duePartition = (list: DueList, shard: number): string => `${list}#${shard}`;

/** States of the `state` index. `open`: retry_scheduled or attempting after a first failure. */
export type OwnerState = "open" | "parked" | "dead" | "undelivered" | "quarantined";
export const statePartition = (ownerId: string, state: OwnerState, shard: number): string =>
  `${ownerId}#${state}#${shard}`;

/** The list of all bulk replays: an entry of the `state` index on each of them. */
export const replayListPartition = "REPLAYS";

/** The list of all sources: an entry of the `state` index on each source item. */
export const sourceListPartition = "SOURCES";

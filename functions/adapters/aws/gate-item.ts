import { isWatched, replacedFields, saysHoldsParked } from "../../core/gate.js";
import type { Gate } from "../../core/model.js";
import { tableLayout } from "../../shared/table-layout.js";
import { sweepGraceMs } from "./delivery-item.js";
import { itemVersion, requireKnownVersion } from "./item-version.js";
import type { Condition, Item } from "./items.js";
import { duePartition, gateKey, shardOf, timeKey } from "./keys.js";

/** A gate as a table item, and what of it a change writes. */

const { due } = tableLayout.indexes;

/** The gate is also the pointer from a subscription's id to its source. A new one is on no list. */
export function gateItem({ changedAtMs, ...gate }: Gate): Item {
  const times = { createdAtMs: changedAtMs, updatedAtMs: changedAtMs };
  return { ...gate, ...times, v: itemVersion, ...gateKey(gate.subscriptionId) };
}

export function gateFromItem(item: Item): Gate {
  requireKnownVersion(item);
  const isListed = item[due.partitionKey] !== undefined;
  return {
    subscriptionId: item["subscriptionId"] as string,
    sourceId: item["sourceId"] as string,
    status: item["status"] as Gate["status"],
    statusReason: (item["statusReason"] ?? null) as string | null,
    generation: item["generation"] as number,
    // The first versions listed a gate for this alone.
    holdsParked: (item["holdsParked"] ?? isListed) as boolean,
    changedAtMs: (item["updatedAtMs"] ?? 0) as number,
    ...Object.fromEntries(optionalFields.flatMap((name) => (item[name] === undefined ? [] : [[name, item[name]]]))),
    ...countsFromItem(item),
  };
}

/** Stored as they are, where present. */
const optionalFields = [
  "subscriptionVersion",
  "slowUntilMs",
  "circuit",
  "heldUntilMs",
  "nextFreeAtMs",
  "tick",
  "release",
] as const satisfies readonly (keyof Gate)[];

/** Attributes of their own, so that they can be added to. */
const countNames = [
  "inARow",
  "failures",
  "attempts",
  "minute",
  "minuteAttempts",
  "minuteFailures",
] as const satisfies readonly (keyof NonNullable<Gate["counts"]>)[];

function countsFromItem(item: Item): Pick<Gate, "counts"> {
  if (item["minute"] === undefined) return {};
  const number = (name: (typeof countNames)[number]) => (item[name] ?? 0) as number;
  return {
    counts: {
      inARow: number("inARow"),
      failures: number("failures"),
      attempts: number("attempts"),
      minute: number("minute"),
      minuteAttempts: number("minuteAttempts"),
      minuteFailures: number("minuteFailures"),
    },
  };
}

/** Attributes that make `previous` into `next`. */
export function gateChanges(previous: Gate, next: Gate): Item {
  return {
    ...replacedFields(previous, next),
    ...(saysHoldsParked(previous, next) ? { holdsParked: next.holdsParked } : {}),
    updatedAtMs: next.changedAtMs,
    // Also those that were added since `previous` was read.
    ...(next.generation !== previous.generation ? Object.fromEntries(countNames.map((name) => [name, undefined])) : {}),
    ...listChanges(previous, next),
  };
}

/** When the sweeper looks at the gate: some minutes after its next tick is due. */
function listChanges(previous: Gate, next: Gate): Item {
  if (!isWatched(next)) {
    return isWatched(previous) ? { [due.partitionKey]: undefined, [due.sortKey]: undefined } : {};
  }
  const dueAtMs = next.tick?.dueAtMs ?? null;
  if (dueAtMs === null || next.tick === previous.tick) return {};
  return listEntry(next.subscriptionId, dueAtMs);
}

/** The gate's entry on the list of what is due. */
export function listEntry(subscriptionId: string, dueAtMs: number): Item {
  return {
    [due.partitionKey]: duePartition("DUE", shardOf(subscriptionId)),
    [due.sortKey]: timeKey(dueAtMs + sweepGraceMs, subscriptionId),
  };
}

/** Holds while the gate's generation and tick are those that were read. */
export function unmoved({ generation, tick }: Gate): Condition {
  const same = "#generation = :if_generation";
  const names = { "#generation": "generation", "#tick": "tick" };
  if (tick === undefined) {
    return { expression: `${same} AND attribute_not_exists(#tick)`, names, values: { ":if_generation": generation } };
  }
  return {
    expression: `${same} AND #tick.#seq = :if_seq`,
    names: { ...names, "#seq": "seq" },
    values: { ":if_generation": generation, ":if_seq": tick.seq },
  };
}

/** What belongs to one generation and goes with it, where a write counts the generation up by itself. */
const endedFields = ["circuit", "heldUntilMs", ...countNames] as const;
export const endOfGeneration = `REMOVE ${endedFields.map((name) => `#${name}`).join(", ")}`;
export const endedNames = Object.fromEntries(endedFields.map((name) => [`#${name}`, name]));

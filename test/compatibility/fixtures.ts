import { readdirSync, readFileSync } from "node:fs";

/**
 * What released versions have written: items of the table and messages of the queues, as JSON. `name.1.json` is the
 * first shape of its kind, `name.2.json` the one that came after it. A fixture is never changed: what it shows lies in
 * somebody's table.
 */
export interface Fixture {
  /** `delivery-parked` */
  readonly name: string;
  /** `delivery-parked.1.json` */
  readonly file: string;
  readonly value: Readonly<Record<string, unknown>>;
}

export type Kind = "items" | "messages";

/** All fixtures of a kind, the oldest shape of each name first. */
export function fixtures(kind: Kind): readonly Fixture[] {
  const folder = new URL(`fixtures/${kind}/`, import.meta.url);
  return readdirSync(folder)
    .filter((file) => file.endsWith(".json"))
    .toSorted((a, b) => shapeNumber(a) - shapeNumber(b))
    .map((file) => ({
      file,
      name: file.split(".")[0] ?? "",
      value: JSON.parse(readFileSync(new URL(file, folder), "utf8"), fromJson) as Fixture["value"],
    }));
}

/** Every shape of one name. */
export const shapesOf = (kind: Kind, name: string): readonly Fixture[] =>
  fixtures(kind).filter((fixture) => fixture.name === name);

/** The newest shape of each name: what today's code writes. */
export const newest = (kind: Kind): ReadonlyMap<string, Fixture> =>
  new Map(fixtures(kind).map((fixture) => [fixture.name, fixture]));

const shapeNumber = (file: string): number => Number(file.split(".")[1]);

/** Bytes stand in a fixture as `{"$bytes": "base64"}`. */
function fromJson(_key: string, value: unknown): unknown {
  const bytes = (value as { $bytes?: unknown } | null)?.$bytes;
  return typeof bytes === "string" ? Buffer.from(bytes, "base64") : value;
}

/** A value as a fixture file shows it. */
export function asFixture(value: unknown): string {
  const toJson = (part: unknown): unknown => {
    if (part instanceof Uint8Array) return { $bytes: Buffer.from(part).toString("base64") };
    if (Array.isArray(part)) return part.map(toJson);
    if (typeof part !== "object" || part === null) return part;
    return Object.fromEntries(Object.entries(part).map(([name, each]) => [name, toJson(each)]));
  };
  return JSON.stringify(toJson(value), null, 2);
}

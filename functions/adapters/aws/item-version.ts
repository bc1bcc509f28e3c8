type Item = Readonly<Record<string, unknown>>;

/** The layout's version, on every item: a reader refuses what it does not know instead of misreading it. */
export const itemVersion = 1;

/** Written by a later version, in a layout that this one does not know. */
export class UnknownItemVersionError extends Error {
  override readonly name = "UnknownItemVersionError";
}

/** False for what only a later version can read: lists leave it out, so that it holds up nothing else. */
export const isKnownVersion = (item: Item): boolean => item["v"] === itemVersion;

/** @throws {UnknownItemVersionError} naming the item. */
export function requireKnownVersion(item: Item): void {
  if (isKnownVersion(item)) return;
  throw new UnknownItemVersionError(`item ${item["pk"]} ${item["sk"]} has version ${item["v"]}`);
}

import { freshId } from "../../core/ids.js";
import type { SecretRef } from "../../core/model.js";
import type { AdminContext } from "./context.js";
import type { SecretValues } from "./ports.js";

/** The public halves of some secrets, and their values apart. */
export interface SecretSet {
  readonly refs: readonly SecretRef[];
  readonly values: SecretValues;
}

export const noSecrets: SecretSet = { refs: [], values: {} };

/**
 * Gives each value an id. A value that is there already keeps the one it has: saying the same again is no rotation,
 * and what was verified by a secret still names it.
 */
export function secretSet(
  { now, entropy }: Pick<AdminContext, "now" | "entropy">,
  values: readonly string[],
  known: SecretSet = noSecrets,
): SecretSet {
  const createdAtMs = now();
  const entries = [...new Set(values)].map((value) => {
    const ref = known.refs.find(({ id }) => known.values[id] === value);
    return { value, ref: ref ?? { id: freshId("sec", createdAtMs, entropy(10)), createdAtMs } };
  });
  return {
    refs: entries.map(({ ref }) => ref),
    values: Object.fromEntries(entries.map(({ ref, value }) => [ref.id, value])),
  };
}

import type { Argument, Option } from "commander";

const offered = new WeakMap<Option | Argument, readonly string[]>();

/** Values that a shell offers, where others may be right too: what is wrong is left to whoever knows, often the relay. */
export function offering<Taker extends Option | Argument>(taker: Taker, values: readonly string[]): Taker {
  offered.set(taker, values);
  return taker;
}

/** The values of an option or argument, also those to which it is limited. */
export const offeredFor = (taker: Option | Argument): readonly string[] => taker.argChoices ?? offered.get(taker) ?? [];

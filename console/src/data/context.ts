import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { Api, RelayInfo } from "./api.js";

/** What every view needs. */
export interface Surroundings {
  readonly api: Api;
  readonly relay: RelayInfo;
}

export const SurroundingsContext = createContext<Surroundings | null>(null);

export function useSurroundings(): Surroundings {
  const found = useContext(SurroundingsContext);
  if (found === null) throw new Error("a view is outside of the app");
  return found;
}

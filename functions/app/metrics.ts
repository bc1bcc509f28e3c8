import type { CountName, ValueName } from "../shared/metric-names.js";

/**
 * Numbers of what the use cases do, gathered until the end of an invocation. Never throws and never waits: what is
 * counted must not change what happens.
 */
export interface Metrics {
  /** `by`: a whole number from 0 on; default 1. */
  count(name: CountName, by?: number): void;
  value(name: ValueName, value: number): void;
}

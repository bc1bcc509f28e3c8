import type { CountName } from "../../shared/metric-names.js";

/** A span of time in equal steps; both ends are whole steps since the epoch. */
export interface Span {
  readonly fromMs: number;
  readonly steps: number;
  readonly stepSeconds: number;
}

/** A metric's sum in each step, in the order of time; 0 where nothing was counted. */
export type Sums<Name extends CountName> = Readonly<Record<Name, readonly number[]>>;

/** What was counted in the past. */
export interface MetricsHistory {
  /** Null: it cannot be read now. What is open is shown all the same. */
  sums<Name extends CountName>(names: readonly Name[], span: Span): Promise<Sums<Name> | null>;
}

/**
 * Where deliveries wait that are alike: counted by the second in which they are due and the number of their next attempt.
 * Written for speed: a day without a circuit is 10^10 attempts.
 */
export interface Room {
  /** Deliveries that are due in the second that is open. */
  readonly present: number;
  /** Delivered or given up so far. */
  readonly ended: number;
  /** Failed first attempts that are retried. */
  readonly firstFailed: number;
  /** Those that were delivered, and that got no further attempt, by attempts made. */
  readonly deliveredBy: Float64Array;
  readonly buriedBy: Float64Array;
  /** Begins a second; `arriving`: new events, whose first attempt is made at once. */
  open(second: number, arriving: number): void;
  /** One attempt of everybody who is due: the destination takes this share, the rest has failed so much later. */
  settle(taken: number, failsAfterSeconds: number): void;
}

/** More attempts than these are made room for when they come. */
export const attemptsAtFirst = 16;

export function add(to: Float64Array, index: number, count: number): void {
  to[index] = (to[index] as number) + count;
}

export function longer(old: Float64Array, length: number): Float64Array<ArrayBuffer> {
  const all = new Float64Array(length);
  all.set(old);
  return all;
}

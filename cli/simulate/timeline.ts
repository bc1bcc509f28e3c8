/** Requests and refusals second by second; what was never noted is 0. Counts of cohorts are no whole numbers. */
export class Timeline {
  readonly requests: number[] = [];
  readonly wasted: number[] = [];

  /** `wasted`: of the requests, those that a dead or overloaded destination got. */
  note(second: number, requests: number, wasted: number): void {
    while (this.requests.length <= second) {
      this.requests.push(0);
      this.wasted.push(0);
    }
    this.requests[second] = (this.requests[second] as number) + requests;
    this.wasted[second] = (this.wasted[second] as number) + wasted;
  }
}

export const sumOf = (values: ArrayLike<number>, from = 0, to = values.length): number => {
  let sum = 0;
  for (let index = from; index < Math.min(to, values.length); index += 1) sum += values[index] as number;
  return sum;
};

/** The least value that a share of all does not exceed; 0 without any. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = Float64Array.from(values).sort();
  return sorted.length === 0
    ? 0
    : (sorted[Math.min(sorted.length - 1, Math.ceil(share * sorted.length) - 1)] as number);
}

import type { Steps } from "./run.js";

/** Write units of DynamoDB and SQS requests of a function's step: rows of docs/costs-counted.md, by their titles. */
export const countedCosts = {
  "An event is accepted": { writeUnits: 0, sqsRequests: 1 },
  "The first attempt succeeds": { writeUnits: 4, sqsRequests: 0 },
  "A first attempt fails in a second in which the gate was told of another": { writeUnits: 6, sqsRequests: 0 },
  "The retry succeeds": { writeUnits: 4, sqsRequests: 0 },
  "A retry fails, the next one is due in an hour": { writeUnits: 5, sqsRequests: 0 },
  "The last attempt fails: dead letter": { writeUnits: 8, sqsRequests: 1 },
  "A first attempt meets the open circuit: parked": { writeUnits: 5, sqsRequests: 0 },
  "The attempt of the one released succeeds": { writeUnits: 8, sqsRequests: 0 },
  "The next tick finds no more": { writeUnits: 3, sqsRequests: 1 },
} as const;

/** Messages that one SQS request takes. */
const batchSize = 10;

export interface Costs {
  readonly writeUnits: number;
  readonly sqsRequests: number;
}

/** What a policy's steps cost on this relay: its deliveries and ticks. What outcomes and slots write to the gate is left out. */
export function costsOf(steps: Steps, events: number): Costs {
  const made: ReadonlyArray<readonly [keyof typeof countedCosts, number]> = [
    ["An event is accepted", events],
    ["The first attempt succeeds", steps.firstSucceeded],
    ["A first attempt fails in a second in which the gate was told of another", steps.firstFailed],
    ["The retry succeeds", steps.retrySucceeded],
    ["A retry fails, the next one is due in an hour", steps.retryFailed],
    ["The last attempt fails: dead letter", steps.lastFailed],
    ["A first attempt meets the open circuit: parked", steps.parked],
    ["The attempt of the one released succeeds", steps.releasedSucceeded],
    ["The next tick finds no more", steps.ticks],
  ];
  const sum = (name: keyof Costs) => made.reduce((total, [row, count]) => total + countedCosts[row][name] * count, 0);
  return {
    writeUnits: Math.round(sum("writeUnits")),
    sqsRequests: Math.round(sum("sqsRequests") + steps.released / batchSize),
  };
}

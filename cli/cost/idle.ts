import { type Assumptions, gbSeconds, logBytes } from "./assumptions.js";
import { stepOf } from "./counted.js";
import { daysPerMonth } from "./kept.js";
import { sum, type Usage } from "./usage.js";
import { logged } from "./use-cases.js";

/** What a deployed relay has, by its template: test/cli/cost.test.ts compares. */
export const deployed = {
  eventSourceMappings: 4,
  customMetrics: 19,
  alarmMetrics: 22,
  dashboards: 1,
  keys: 1,
  functions: 4,
  sweepsPerHour: 12,
};

export const hoursPerMonth = daysPerMonth * 24;

/** Long polls that Lambda keeps open at each queue: a mapping with a maximum concurrency is not scaled down to two. */
const pollsAtOnce = 5;
const pollSeconds = 20;

/** How often DynamoDB asks for the table's key on behalf of each function: its answer is kept for five minutes. */
const keyRequestsPerHour = 12;

/** A month in which nothing comes. Metrics without values cost nothing: all of them are the most that it can be. */
export function idleMonth(assumed: Assumptions): Usage {
  const polls = (deployed.eventSourceMappings * pollsAtOnce * hoursPerMonth * 3_600) / pollSeconds;
  const sweeps = deployed.sweepsPerHour * hoursPerMonth;
  const { roundTrips, writeUnits, readUnits } = stepOf("swept");
  return sum(logged(sweeps * (logBytes.batch + logBytes.attempt + logBytes.platform)), {
    "sqs.requests": polls,
    "lambda.requests": sweeps,
    "lambda.gbSeconds": sweeps * gbSeconds(roundTrips * assumed.roundTripMs, assumed.otherCpuMs, assumed.memoryMb),
    "dynamodb.writeUnits": sweeps * writeUnits,
    "dynamodb.readUnits": sweeps * readUnits,
    "kms.keys": deployed.keys,
    "kms.requests": deployed.functions * keyRequestsPerHour * hoursPerMonth,
    "cloudwatch.metrics": deployed.customMetrics,
    "cloudwatch.alarmMetrics": deployed.alarmMetrics,
    "cloudwatch.dashboards": deployed.dashboards,
  });
}

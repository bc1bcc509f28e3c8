import priceList from "./prices.json" with { type: "json" };

/** What AWS meters, as far as a relay uses it: each is a line of prices.json, which says its unit and where it was read. */
export const meters = [
  "apiGateway.requests",
  "lambda.requests",
  "lambda.gbSeconds",
  "sqs.requests",
  "sqs.fairRequests",
  "dynamodb.writeUnits",
  "dynamodb.readUnits",
  "dynamodb.storage",
  "dynamodb.backups",
  "s3.puts",
  "s3.gets",
  "s3.storage",
  "kms.requests",
  "kms.keys",
  "scheduler.invocations",
  "logs.ingested",
  "logs.storage",
  "cloudwatch.metrics",
  "cloudwatch.alarmMetrics",
  "cloudwatch.dashboards",
  "sns.publishes",
  "transfer.out",
] as const;

export type Meter = (typeof meters)[number];

export const regions = ["us-east-1", "eu-central-1"] as const;

export type Region = (typeof regions)[number];

/** The day that the prices are of, and their currency. */
export const { asOf: pricesAsOf, currency } = priceList;

type Line = (typeof priceList.lines)[number];

const lines: ReadonlyMap<string, Line> = new Map(priceList.lines.map((line) => [line.id, line]));

function lineOf(meter: Meter): Line {
  const line = lines.get(meter);
  if (line === undefined) throw new Error(`prices.json has no line ${meter}`);
  return line;
}

/** The service as a bill names it; what is cheap to leave out (storage, logs) has names of its own. */
export const serviceOf = (meter: Meter): string => lineOf(meter).service;

/** Price of one unit, in US dollars. */
export const priceOf = (meter: Meter, region: Region): number => lineOf(meter).prices[region] / lineOf(meter).per;

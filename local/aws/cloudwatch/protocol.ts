import { AwsError } from "../aws-error.js";
import { asObject, type JsonObject, objectList, optionalString, requiredString } from "../json-input.js";
import { type MetricSums, type Periods, seriesKey } from "./metric-sums.js";

const statistics = {
  Sum: ({ sum }) => sum,
  SampleCount: ({ count }) => count,
  Average: ({ sum, count }) => sum / count,
  Minimum: ({ minimum }) => minimum,
  Maximum: ({ maximum }) => maximum,
} as const satisfies Record<string, (period: NonNullable<ReturnType<Periods["get"]>>) => number>;

/** Answers one call of the JSON protocol (`GraniteServiceVersion20100801.<operation>`). */
export function callCloudWatch(operation: string, metrics: MetricSums, input: JsonObject): object {
  if (operation === "GetMetricData") return getMetricData(metrics, input);
  throw new AwsError("UnknownOperationException", `The local CloudWatch has no operation ${operation}.`);
}

function getMetricData(metrics: MetricSums, input: JsonObject): object {
  const [from, until] = [seconds(input, "StartTime"), seconds(input, "EndTime")];
  if (from >= until) throw invalid("The parameter StartTime must be less than the parameter EndTime.");
  const newestFirst = optionalString(input, "ScanBy") !== "TimestampAscending";
  const results = objectList(input, "MetricDataQueries").map((query) => {
    const { metric, period, show } = readQuery(query);
    // As CloudWatch aligns it: to the start of a period.
    const start = Math.floor(from / period) * period;
    const points = [...metrics.periods(metric, start, until, period)].sort(([a], [b]) => (newestFirst ? b - a : a - b));
    return {
      Id: requiredString(query, "Id"),
      Label: optionalString(query, "Label") ?? requiredString(query, "Id"),
      Timestamps: points.map(([timestamp]) => timestamp),
      Values: points.map(([, values]) => show(values)),
      StatusCode: "Complete",
    };
  });
  return { MetricDataResults: results, Messages: [] };
}

function readQuery(query: JsonObject) {
  if (query["MetricStat"] === undefined) throw invalid("The local CloudWatch knows MetricStat only, no Expression.");
  const stat = asObject(query["MetricStat"], "MetricStat");
  const metric = asObject(stat["Metric"], "MetricStat.Metric");
  const dimensions = objectList(metric, "Dimensions").map((each): [string, string] => [
    requiredString(each, "Name"),
    requiredString(each, "Value"),
  ]);
  const period = Number(stat["Period"]);
  if (!Number.isInteger(period) || period <= 0 || period % 60 !== 0) throw invalid("Period must be a multiple of 60.");
  const name = requiredString(stat, "Stat");
  if (!Object.hasOwn(statistics, name)) throw invalid(`The local CloudWatch has no statistic ${name}.`);
  return {
    metric: seriesKey(requiredString(metric, "Namespace"), requiredString(metric, "MetricName"), dimensions),
    period,
    show: statistics[name as keyof typeof statistics],
  };
}

/** The JSON protocol writes times as epoch seconds. */
function seconds(input: JsonObject, name: string): number {
  const value = input[name];
  if (typeof value === "number" && Number.isFinite(value)) return value;
  throw invalid(`The parameter ${name} must be epoch seconds.`);
}

const invalid = (message: string): AwsError => new AwsError("InvalidParameterValue", message);

import { expect, it } from "vitest";
import { MetricSums, seriesKey } from "../../../local/aws/cloudwatch/metric-sums.js";
import { callCloudWatch } from "../../../local/aws/cloudwatch/protocol.js";

const startSeconds = Date.UTC(2026, 0, 31, 12) / 1000;

function aMetric() {
  const metrics = new MetricSums(() => startSeconds * 1000 + 30_000);
  const declared = [{ Namespace: "N", Dimensions: [["B", "A"]], Metrics: [{ Name: "Ms" }] }];
  metrics.takeLine(JSON.stringify({ _aws: { CloudWatchMetrics: declared }, A: "1", B: "2", Ms: [10, 30] }));
  return metrics;
}

const question = (stat: object, more: object = {}) => ({
  StartTime: startSeconds,
  EndTime: startSeconds + 60,
  MetricDataQueries: [{ Id: "m", MetricStat: { Period: 60, Stat: "Sum", Metric: metric, ...stat } }],
  ...more,
});
const metric = {
  Namespace: "N",
  MetricName: "Ms",
  Dimensions: [
    { Name: "A", Value: "1" },
    { Name: "B", Value: "2" },
  ],
};

it.each([
  ["Sum", 40],
  ["SampleCount", 2],
  ["Average", 20],
  ["Minimum", 10],
  ["Maximum", 30],
])("the local CloudWatch tells the %s of a minute", (Stat, expected) => {
  expect(callCloudWatch("GetMetricData", aMetric(), question({ Stat }))).toMatchObject({
    MetricDataResults: [{ Id: "m", Timestamps: [startSeconds], Values: [expected], StatusCode: "Complete" }],
  });
});

it.each([
  ["an expression", question({}, { MetricDataQueries: [{ Id: "m", Expression: "a/b" }] })],
  ["a percentile", question({ Stat: "p90" })],
  ["a period that is no minute", question({ Period: 30 })],
  ["an end before the start", question({}, { EndTime: startSeconds - 60 })],
  ["a time as text", question({}, { StartTime: "2026-01-31T12:00:00Z" })],
])("the local CloudWatch refuses %s", (_what, input) => {
  expect(() => callCloudWatch("GetMetricData", aMetric(), input)).toThrow(/local CloudWatch|parameter|Period/);
});

it("a metric is named by its dimensions in any order", () => {
  const order = [
    ["A", "1"],
    ["B", "2"],
  ] as const;
  expect(seriesKey("N", "Ms", order)).toBe(seriesKey("N", "Ms", order.toReversed()));
});

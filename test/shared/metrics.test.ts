import { describe, expect, it } from "vitest";
import { InvocationMetrics } from "../../functions/shared/metrics.js";

const nowMs = Date.UTC(2026, 0, 31, 12);

function gatherer(write?: (line: string) => void) {
  const lines: string[] = [];
  const metrics = new InvocationMetrics("Hooks/Steadyhook", write ?? ((line) => void lines.push(line)));
  return { metrics, lines, parsed: () => lines.map((line) => JSON.parse(line)) };
}

describe("the metrics of an invocation", () => {
  it("are one line in CloudWatch's embedded metric format, with the relay as the only dimension", () => {
    const { metrics, parsed } = gatherer();
    metrics.count("Attempts");
    metrics.count("Attempts", 2);
    metrics.value("AttemptLatency", 12);
    metrics.value("AttemptLatency", 30);
    metrics.value("DeliveryLatency", 450);
    metrics.flush(nowMs);
    expect(parsed()).toEqual([
      {
        _aws: {
          Timestamp: nowMs,
          CloudWatchMetrics: [
            {
              Namespace: "Steadyhook",
              Dimensions: [["Relay"]],
              Metrics: [
                { Name: "Attempts", Unit: "Count" },
                { Name: "AttemptLatency", Unit: "Milliseconds" },
                { Name: "DeliveryLatency", Unit: "Milliseconds" },
              ],
            },
          ],
        },
        Relay: "Hooks/Steadyhook",
        Attempts: 3,
        AttemptLatency: [12, 30],
        DeliveryLatency: 450,
      },
    ]);
  });

  it("are no line when there is nothing to tell, and begin anew with the next invocation", () => {
    const { metrics, lines } = gatherer();
    metrics.count("Swept", 0);
    metrics.flush(nowMs);
    expect(lines).toEqual([]);
    metrics.count("Accepted");
    metrics.flush(nowMs);
    metrics.flush(nowMs);
    expect(lines).toHaveLength(1);
  });

  it("lose no value of a metric that has more than CloudWatch takes in one line, and repeat no sum", () => {
    const { metrics, parsed } = gatherer();
    metrics.count("Attempts", 250);
    for (let value = 0; value < 250; value++) metrics.value("AttemptLatency", value);
    metrics.flush(nowMs);
    expect(parsed().map(({ AttemptLatency }) => AttemptLatency.length)).toEqual([100, 100, 50]);
    expect(parsed().map(({ Attempts }) => Attempts)).toEqual([250, undefined, undefined]);
  });

  it("leave out what is no number: CloudWatch would drop the whole line", () => {
    const { metrics, parsed } = gatherer();
    metrics.value("AttemptLatency", Number.NaN);
    metrics.value("OldestParkedSeconds", Number.POSITIVE_INFINITY);
    metrics.value("DeliveryLatency", -5);
    metrics.flush(nowMs);
    expect(parsed()).toMatchObject([{ DeliveryLatency: 0 }]);
    expect(Object.keys(parsed()[0])).toEqual(["_aws", "Relay", "DeliveryLatency"]);
  });

  it("never throw, even when nothing can be written", () => {
    const { metrics } = gatherer(() => {
      throw new Error("EPIPE");
    });
    metrics.count("Accepted");
    expect(() => metrics.flush(nowMs)).not.toThrow();
  });
});

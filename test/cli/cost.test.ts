import { describe, expect, it } from "vitest";
import { type CliSurroundings, runCli } from "./run-cli.js";

const cost = (line = "", surroundings: CliSurroundings = {}) =>
  runCli(["cost", ...line.split(" ").filter((word) => word !== "")], surroundings);

/** What it printed; fails with what it said when it failed. */
async function shown(line = "", surroundings: CliSurroundings = {}): Promise<string> {
  const { code, stdout, stderr } = await cost(line, surroundings);
  expect({ code, stderr }, line).toEqual({ code: 0, stderr: "" });
  return stdout;
}

const month = async (line = ""): Promise<number> => JSON.parse(await shown(`${line} --json`)).totals.month;

describe("cost", () => {
  it("shows a month by service and by what happens, and a million of each use case", async () => {
    const text = await shown("--events 5M --body 3KB --failure-rate 2% --region eu-central-1");
    await expect(text).toMatchFileSnapshot("cost/usual.txt");
  });

  it("shows fan-out, outages, small batches and slow destinations", async () => {
    const text = await shown(
      "--events 250k --body 200KB --fan-out 3 --outage-hours 24 --batch 1 --latency 2s --retention 7d",
    );
    await expect(text).toMatchFileSnapshot("cost/unusual.txt");
  });

  it("prints everything with --json, and adds up", async () => {
    const view = JSON.parse(await shown("--events 2M --failure-rate 0.1 --outage-hours 5 --json"));
    const sum = (rows: readonly { month: number }[]) => rows.reduce((total, row) => total + row.month, 0);
    expect(view.prices).toEqual({ asOf: "2026-09-11", currency: "USD", region: "us-east-1" });
    expect(view.workload).toEqual({ events: 2_000_000, bodyBytes: 1_024, failureRate: 0.1, fanOut: 1, outageHours: 5 });
    expect(sum(view.services)).toBeCloseTo(view.totals.month, 6);
    expect(sum(view.month)).toBeCloseTo(view.totals.month, 6);
    expect(view.totals.perMillionEvents * 2 + view.totals.idleMonth).toBeCloseTo(view.totals.month, 6);
  });

  it("asks no relay, and needs no account", async () => {
    expect((await cost("--url http://127.0.0.1:1")).code).toBe(0);
  });

  it.each([
    ["--events 10M", "more events"],
    ["--body 10KB", "larger bodies"],
    ["--failure-rate 10%", "failures"],
    ["--fan-out 2", "more subscriptions"],
    ["--outage-hours 2", "an outage"],
    ["--latency 2s", "slower destinations"],
    ["--batch 1", "smaller batches"],
    ["--retention 90d", "longer retention"],
    ["--region eu-central-1", "Frankfurt"],
  ])("is more with %s: %s", async (line) => expect(await month(line)).toBeGreaterThan(await month()));

  it.each([
    ["--events 0", "--events must be at least 1"],
    ["--events many", "It must be a number such as"],
    ["--body 7MB", "--body must be at most 6MB"],
    ["--failure-rate 2", "It must be a share"],
    ["--fan-out 0", "--fan-out must be 1 to 1000"],
    ["--batch 11", "--batch must be 1 to 10"],
    ["--outage-hours 800", "--outage-hours must be 0 to 730"],
    ["--latency 2m", "It must be a duration such as 200ms"],
    ["--latency 100s", "--latency must be at most 80s"],
    ["--retention 1h", "--retention must be at least 1d"],
    ["--region mars-north-1", "--region must be us-east-1 or eu-central-1"],
  ])("refuses %s", async (line, message) => {
    const { code, stdout, stderr } = await cost(line);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toContain(message);
  });
});

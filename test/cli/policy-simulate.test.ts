import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { countedCosts } from "../../cli/simulate/costs.js";
import { readXml } from "./read-xml.js";
import { type CliSurroundings, runCli } from "./run-cli.js";

const simulate = (line = "", surroundings: CliSurroundings = {}) =>
  runCli(["policy", "simulate", ...line.split(" ").filter((word) => word !== "")], surroundings);

/** What it printed; fails with what it said when it failed. */
async function shown(line = "", surroundings: CliSurroundings = {}): Promise<string> {
  const { code, stdout, stderr } = await simulate(line, surroundings);
  // On a terminal its progress is shown, and taken away again.
  expect({ code, said: stderr.split("\r").at(-1) }, line).toEqual({ code: 0, said: "" });
  return stdout;
}

const widest = (text: string): number => Math.max(...text.split("\n").map((line) => [...line].length));

/** Played in a moment. */
const short = "--outage 2m --rate 5 --capacity 10";

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "steadyhook-simulate-"));
});

afterAll(() => rmSync(folder, { recursive: true }));

describe("policy simulate", () => {
  it("shows policies side by side, and their rates over time", async () => {
    const text = await shown(`${short} --compare svix,outpost,convoy,hook0,eventbridge,naive,no-circuit`);
    expect(widest(text)).toBeLessThanOrEqual(80);
    await expect(text).toMatchFileSnapshot("policy-simulate/side-by-side.txt");
  });

  it("shows a limit, another failure and a policy of one's own", async () => {
    const text = await shown(
      `${short} --max-per-second 8 --failure 503 --arrivals even --policy {"maxAttempts":3} --max-age 10m`,
    );
    expect(widest(text)).toBeLessThanOrEqual(80);
    await expect(text).toMatchFileSnapshot("policy-simulate/limited.txt");
  });

  it("prints everything with --json", async () => {
    const { scenario, policies } = JSON.parse(await shown(`${short} --json`));
    expect(scenario).toMatchObject({ outageSeconds: 120, perSecond: 5, capacityPerSecond: 10, seed: 1 });
    expect(policies).toMatchObject([{ label: "default", assumed: null }, { label: "naive" }]);
    for (const { requestsPerSecond, events, delivered, deadLetters, open } of policies) {
      expect(requestsPerSecond.perSecond).toHaveLength(120);
      expect(delivered + deadLetters + open).toBe(events);
    }
  });

  it("says what a model takes for granted", async () => {
    expect((await shown(`${short} --compare eventbridge`)).replaceAll("\n", " ")).toContain("neither is published");
  });

  it("is another one with another seed, and the same with the same", async () => {
    expect(await shown(`${short} --seed 7`)).toBe(await shown(`${short} --seed 7`));
    expect(await shown(`${short} --seed 7`)).not.toBe(await shown(`${short} --seed 8`));
  });

  it.each([
    ["--rate 0", "--rate must be more than 0"],
    ["--rate 100 --capacity 100", "--capacity must be a whole number above --rate (100)"],
    ["--capacity much", "--capacity"],
    ["--outage 0s", "--outage must be whole seconds, from 1s to 7d"],
    ["--outage 8d", "--outage must be whole seconds, from 1s to 7d"],
    ["--outage soon", "It must be a duration"],
    ["--max-per-second 50", "--max-per-second must be above --rate (50)"],
    ["--events 0", "--events must be at least 1"],
    ["--events 90000000", "at most: lower --rate, --outage or --events"],
    ["--rate 1000 --capacity 1100 --outage 7d", "at most: lower --rate, --outage or --events"],
    ["--environments 0", "--environments must be 1 to 1000"],
    ["--compare svixx", `"svixx" is none of svix, outpost`],
    ["--failure fire", "Allowed choices are refused, 503, 429, hang"],
    ["--arrivals often", "Allowed choices are poisson, even"],
    ["--compare no-circuit --schedule fixed:5d --cap 10d", "has delays of more than 3 days"],
  ])("refuses %s", async (line, message) => {
    const { code, stdout, stderr } = await simulate(line);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toContain(message);
  });

  it("refuses a policy with the fields of the admin API", async () => {
    const { code, stderr } = await simulate('--policy {"maxAttempts":0}');
    expect(code).toBe(1);
    expect(stderr).toContain("policy.maxAttempts");
  });

  it.each([40, 60, 200])("fits into %i columns", async (columns) => {
    const text = await shown(`${short} --compare naive`, { terminal: columns, env: { NO_COLOR: "1" } });
    expect(widest(text)).toBeLessThanOrEqual(Math.min(columns, 80));
  });

  it("is drawn in ASCII where the terminal takes no more", async () => {
    const text = await shown(short, { env: { LANG: "C" } });
    expect(text).toMatch(/^ *naive {2}[ .:=+*#@-]+$/m);
    expect(text).not.toMatch(/[▁-█├┤┴]/);
  });

  it("writes its plot as an SVG that stands alone", async () => {
    const file = join(folder, "rates.svg");
    const { code, stderr } = await simulate(`${short} --svg ${file}`);
    expect({ code, stderr }).toEqual({ code: 0, stderr: `wrote ${file}\n` });
    const svg = readXml(readFileSync(file, "utf8"));
    expect(svg.children[0]?.text).toBe("Requests per second through an outage of 2m");
    expect(svg.children[1]?.text).toMatch(/naive: \d+ attempts, \d+ of them wasted/);
    expect(svg.children.filter(({ name }) => name === "polygon")).toHaveLength(2);
    expect(readXml(await shown(`${short} --svg -`)).children).toHaveLength(svg.children.length);
  });
});

describe("the costs", () => {
  it("are those of docs/costs-counted.md", () => {
    const page = readFileSync(new URL("../../docs/costs-counted.md", import.meta.url), "utf8");
    const rows = page.split("\n").map((line) => line.split("|").map((cell) => cell.trim()));
    const titles = rows.find((cells) => cells.includes("Write units")) ?? [];
    const [units, requests] = [titles.indexOf("Write units"), titles.indexOf("SQS requests")];
    for (const [title, costs] of Object.entries(countedCosts)) {
      const row = rows.find((cells) => cells[1] === title) ?? [];
      expect({ writeUnits: Number(row[units]), sqsRequests: Number(row[requests]) }, title).toEqual(costs);
    }
  });
});

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import * as v from "valibot";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { plot, rowOfAll, rowsOfOne, unicode } from "../../cli/policy/plot.js";
import { findPolicyPreview } from "../../functions/app/admin/policy-preview.js";
import { policyPreviewView } from "../../functions/app/admin/policy-preview-view.js";
import { previewPolicy } from "../../functions/core/policy-preview.js";
import { presetNames } from "../../functions/core/presets.js";
import { anyPolicy } from "../support/policies.js";
import { readXml } from "./read-xml.js";
import { type CliSurroundings, runCli } from "./run-cli.js";

const preview = (line = "", surroundings: CliSurroundings = {}) =>
  runCli(["policy", "preview", ...line.split(" ").filter((word) => word !== "")], surroundings);

/** What it printed; fails with what it said when it failed. */
async function shown(line = "", surroundings: CliSurroundings = {}): Promise<string> {
  const { code, stdout, stderr } = await preview(line, surroundings);
  expect({ code, stderr }, line).toEqual({ code: 0, stderr: "" });
  return stdout;
}

const widest = (text: string): number => Math.max(...text.split("\n").map((line) => [...line].length));

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "steadyhook-policy-"));
});

afterAll(() => rmSync(folder, { recursive: true }));

describe("policy preview", () => {
  it.each(presetNames)("shows the preset %s", async (name) => {
    const text = await shown(`--preset ${name}`);
    expect(widest(text)).toBeLessThanOrEqual(80);
    await expect(text).toMatchFileSnapshot(`policy-preview/${name}.txt`);
  });

  it("without arguments is the default preset", async () => {
    expect(await shown()).toBe(await shown("--preset default"));
  });

  it("is the example of the docs", async () => {
    const page = readFileSync(new URL("../../docs/concepts.md", import.meta.url), "utf8");
    expect(page).toContain(`\`\`\`\n$ npx steadyhook policy preview\n${await shown()}\`\`\`\n`);
  });

  it("says that raising the maximum of hookwatch reaches its third delay", async () => {
    const text = (await shown("--preset hookwatch")).replaceAll(/\s+/g, " ");
    expect(text).toContain("600 s: 3 attempts do not reach it; raising maxAttempts extends into 600 s");
    expect(await shown("--preset hookwatch --max-attempts 4")).not.toContain("not reached");
  });

  it("summarises the daily tail of notification-rules, whose maximum is the system's", async () => {
    const text = await shown("--preset notification-rules --system-max-attempts 100");
    expect(text).toMatch(/^11-99 +1d +19h 12m +1d 5h +… +… +…$/m);
    expect(text).toMatch(/^100 +1d +19h 12m +1d 5h +91d +73d +110d$/m);
    expect(widest(text)).toBeLessThanOrEqual(80);
  });

  it("shows where cap and time budget cut in, and what the lists change", async () => {
    const capped = await shown("--max-attempts 12 --retry-on 409,410 --never-retry 503");
    expect(capped).toMatch(/^8 .* 1h 16m$/m);
    expect(capped).toMatch(/^9 .* cap$/m);
    expect(capped).toMatch(/^cap +1h: from attempt 9 on$/m);
    expect(capped).toMatch(/^retried +408-410, 429, other 5xx$/m);
    expect(capped).toMatch(/^never retried +3xx, other 4xx, 503$/m);
    expect(capped).toMatch(/^410 +is retried as any other failure$/m);
    const budget = await shown("--max-attempts 10 --max-age 450");
    expect(budget).toMatch(/^5 .* maybe$/m);
    expect(budget).toMatch(/^time budget +7m 30s from receipt: leaves time for 4 to 5 attempts of 10$/m);
    expect(await shown("--max-age 2h")).toMatch(/^time budget +2h from receipt: longer than 5 attempts take$/m);
    expect(await shown("--schedule exponential:1d --cap none --max-attempts 12 --jitter 0")).toMatch(
      /^cap +none; 365 days are the longest delay: from attempt 11 on$/m,
    );
  });

  it("takes policies as JSON, from a file and from stdin", async () => {
    const policy = '{"schedule":{"kind":"fixed","baseSeconds":7}}';
    const file = join(folder, "seven.json");
    writeFileSync(file, policy);
    expect(await shown(`--policy ${policy}`)).toMatch(/^policy: fixed from 7s, /);
    expect(await shown(`--policy @${file}`)).toMatch(/^seven: fixed from 7s, /);
    expect(await shown("--policy -", { stdin: policy })).toMatch(/^stdin: fixed from 7s, /);
  });

  it("has no plot where nothing is retried", async () => {
    const text = await shown("--max-attempts 1");
    expect(text).not.toContain("time since receipt");
    expect(text).toMatch(/^last attempt +at once$/m);
  });

  it("prints with --json what the admin API answers", async () => {
    const answer = JSON.parse(await shown("--preset hookwatch --max-attempts 4 --json"));
    const defaults = { policyPreset: "default", connectSeconds: 15, readSeconds: 60 };
    expect(answer).toEqual(findPolicyPreview(defaults, { policy: { preset: "hookwatch", maxAttempts: 4 } }));
    expect(v.parse(policyPreviewView, answer)).toEqual(answer);
  });

  it("refuses a policy with the fields of the admin API, and a command line that is none with 2", async () => {
    const bad = await preview('--policy {"maxAttempts":0,"jitter":3} --json');
    expect(bad).toMatchObject({ code: 1, stdout: "" });
    expect(JSON.parse(bad.stderr).error).toMatchObject({
      code: "invalid_request",
      errors: [{ field: "policy.jitter" }, { field: "policy.maxAttempts" }],
    });
    const misspelt = await preview('--policy {"maxAttemts":3}');
    expect(misspelt.stderr).toContain('policy.maxAttemts is not a known field → Did you mean "maxAttempts"?');
    expect((await preview("--preset none")).stderr).toContain("policy.preset must be one of");
    expect((await preview("--policy {")).code).toBe(2);
    expect((await preview("--jitter much")).code).toBe(2);
    expect((await preview(`--svg ${join(folder, "nowhere", "x.svg")}`)).code).toBe(1);
  });

  it("calls no relay", async () => {
    await shown("", { env: { STEADYHOOK_URL: "http://127.0.0.1:1" } });
  });
});

describe("several policies", () => {
  it("stand side by side", async () => {
    const text = await shown(presetNames.map((name) => `--preset ${name}`).join(" "));
    expect(widest(text)).toBeLessThanOrEqual(80);
    await expect(text).toMatchFileSnapshot("policy-preview/all-presets.txt");
  });

  it("fit into the line, however many and whatever they are called", async () => {
    const file = join(folder, `${"long".repeat(30)}.json`);
    writeFileSync(file, "{}");
    const text = await shown(`${"--preset default ".repeat(5)} --policy @${file} --policy @${file}`);
    expect(widest(text)).toBeLessThanOrEqual(80);
    expect(text).toContain("default (5)");
  });

  it("are a list in JSON, with their names", async () => {
    const { items } = JSON.parse(await shown("--preset default --policy {} --max-attempts 7 --json"));
    expect(items).toMatchObject([
      { label: "default, changed", policy: { maxAttempts: 7 } },
      { label: "policy, changed", policy: { maxAttempts: 7 } },
    ]);
  });
});

describe("the terminal", () => {
  it("gets colours, a pipe none", async () => {
    const introducer = String.fromCharCode(27);
    expect(await shown("", { terminal: 80 })).toContain(`${introducer}[`);
    expect(await shown("", { terminal: 80, env: { NO_COLOR: "1" } })).toBe(await shown());
  });

  it("gets ASCII where it takes no more", async () => {
    for (const env of [{ LANG: "C" }, { TERM: "dumb" }, { LC_ALL: "de_DE.ISO-8859-1", LANG: "de_DE.UTF-8" }]) {
      const lines = (await shown("", { env })).split("\n");
      expect(lines.filter((line) => /^ *\d* {2}.*[●─├┤┴]/.test(line))).toEqual([]);
      expect(lines.some((line) => /\|-+o-+\|/.test(line))).toBe(true);
    }
    expect(await shown("", { env: { LANG: "en_GB.utf8" } })).toContain("●");
  });

  it.each([40, 60, 79, 200])("of %i columns is wide enough", async (columns) => {
    const env = { NO_COLOR: "1" };
    for (const name of presetNames) {
      const text = await shown(`--preset ${name}`, { terminal: columns, env });
      expect(widest(text)).toBeLessThanOrEqual(Math.min(columns, 80));
    }
  });

  it("gets a plot of any policy in the width that it has", () => {
    const plain = (text: string) => text;
    fc.assert(
      fc.property(anyPolicy, fc.integer({ min: 40, max: 80 }), (policy, width) => {
        const one = previewPolicy(policy);
        const style = { width, glyphs: unicode, band: plain, dot: plain, dim: plain };
        for (const rows of [rowsOfOne(one), [rowOfAll("a policy", one)]]) {
          for (const line of plot([one], rows, style)) expect([...line].length).toBeLessThanOrEqual(width);
        }
      }),
    );
  });
});

describe("--svg", () => {
  it("writes a picture that stands alone", async () => {
    const file = join(folder, "policy.svg");
    const { code, stderr, stdout } = await preview(`--svg ${file}`);
    expect({ code, stderr, stdout }).toEqual({ code: 0, stderr: `wrote ${file}\n`, stdout: await shown() });
    const text = readFileSync(file, "utf8");
    const svg = readXml(text);
    expect(svg.name).toBe("svg");
    expect(svg.attributes).toMatchObject({ xmlns: "http://www.w3.org/2000/svg", role: "img" });
    const labelled = String(svg.attributes["aria-labelledby"]).split(" ");
    expect(labelled.map((id) => svg.children.find(({ attributes }) => attributes["id"] === id)?.name)).toEqual([
      "title",
      "desc",
    ]);
    expect(svg.children[0]?.text).toBe("Retry schedule: default");
    expect(svg.children[1]?.text).toContain("attempt 5 after 7m 30s (6m to 9m)");
    expect(text).toContain("prefers-color-scheme: dark");
    expect(text).not.toMatch(/<script|href|url\(|@import/);
    expect(svg.children.filter(({ name }) => name === "circle")).toHaveLength(5);
    expect(svg.children.filter((each) => /band|maybe/.test(each.attributes["class"] ?? ""))).toHaveLength(5);
  });

  it("goes to stdout for -, in place of the text", async () => {
    const svg = readXml(await shown("--preset hookwatch --preset notification-rules --svg -"));
    expect(svg.children.filter(({ attributes }) => attributes["class"] === "name")).toHaveLength(2);
  });

  it("is well-formed whatever a policy is called, and nothing is drawn outside", async () => {
    const file = join(folder, `<&"'>.json`);
    writeFileSync(file, '{"maxAttempts": 40, "maxAgeSeconds": 90000}');
    const svg = readXml(await shown(`--policy @${file} --preset standard-webhooks --svg -`));
    expect(svg.children[0]?.text).toBe(`Retry schedule: standard-webhooks, <&"'>`);
    const [, , width = 0, height = 0] = String(svg.attributes["viewBox"]).split(" ").map(Number);
    for (const { name, attributes } of svg.children.filter((each) => each.name === "rect" || each.name === "text")) {
      const number = (attribute: string) => Number(attributes[attribute] ?? 0);
      expect(number("x") + (name === "rect" ? number("width") : 0)).toBeLessThanOrEqual(width);
      expect(number("y")).toBeLessThanOrEqual(height);
      expect(number("x")).toBeGreaterThanOrEqual(0);
    }
  });
});

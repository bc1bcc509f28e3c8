import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { providers } from "../../functions/core/providers.js";
import { eventually, startRelay, type TestRelay } from "../support/relay.js";
import { blocksOf, commandLinesOf, type Page, pageAt, repository } from "./markdown.js";
import { type LineRun, Shell } from "./shell.js";

/** What is no command for a relay that runs: the first two start it and its tests, the others change an AWS account. */
const notRun = [/^npm ci && npm start\b/, /^npm ci && npm test\b/, /^npx cdk (bootstrap|deploy)\b/];

/** What a line of the README shows, sooner or later: its beginning, and what its output must match. */
const shown: ReadonlyArray<readonly [line: RegExp, output: RegExp]> = [
  [/"hello":"world"/, /202 Accepted[\s\S]*\{"eventId":"evt_\w+"\}/],
  [/deliveries list$/, /delivered/],
  [/status=503&times=2/, /202 Accepted/],
  [/status=422&times=1/, /202 Accepted/],
  [/deliveries list --status dead_lettered$/, /dead_lettered .* 422 .* permanent/],
  [/^id=/, /^$/],
  [/deliveries show/, /because +permanent[\s\S]*1 +permanent +422/],
  [/deliveries replay/, /dlv_\w+ is on its way to sub_/],
  [/replay --since 2h --dry-run/, /deliver(y|ies) matched/],
  [/sources create github/, /github/],
  [/subscriptions create github/, /builds[\s\S]*whsec_/],
  [/publish demo/, /evt_/],
  [/policy preview/, /standard-webhooks/],
  [/policy simulate/, /svix/],
  [/apply examples\/relay\.json/, /5 to create/],
  [/^npx steadyhook stats/, /dead-lettered/],
];

const page = pageAt("README.md");
const commandsOf = (of: Page): readonly string[] =>
  blocksOf(of)
    .filter(({ language }) => language === "sh")
    .flatMap(commandLinesOf);
const commands = commandsOf(page);

let relay: TestRelay;
let shell: Shell;
beforeAll(async () => {
  relay = await startRelay({ seedDemo: true });
  shell = new Shell(relay.engine.gatewayUrl);
});
afterAll(async () => {
  shell.close();
  await relay.close();
});

const type = (line: string): Promise<LineRun> =>
  shell.run(line.replaceAll("http://127.0.0.1:8787", relay.engine.gatewayUrl));

/** Types the line until it shows what is expected: a reader looks again, too. Only what reads is typed again. */
function typed(line: string, expected: RegExp): Promise<LineRun> {
  const isRead = /deliveries (list|show)/.test(line);
  return eventually(async () => {
    const run = await type(line);
    return !isRead || (run.code === 0 && expected.test(run.output)) ? run : undefined;
  });
}

test("the two commands at the top are those of the package", () => {
  expect(commands.slice(0, 2).map((line) => line.replace(/ +#.*/, ""))).toEqual([
    "npm ci && npm start",
    "npm ci && npm test",
  ]);
  const { scripts } = JSON.parse(readFileSync(join(repository, "package.json"), "utf8"));
  expect(scripts).toMatchObject({ start: "node bin/start.js", test: "vitest run" });
});

describe("every other command of the README", () => {
  const lines = commands.filter((line) => !notRun.some((pattern) => pattern.test(line)));

  test("does on the local relay what is said of it, one after the other", async () => {
    for (const line of lines) {
      const expected = shown.find(([pattern]) => pattern.test(line))?.[1];
      expect(expected, `what does this line show? ${line}`).toBeDefined();
      const { code, output } = await typed(line, expected as RegExp);
      expect(output, line).toMatch(expected as RegExp);
      expect(code, line).toBe(0);
    }
    expect(lines.length).toBeGreaterThan(12);
  }, 120_000);

  test("leaves every delivery to the sink delivered, the dead letter by its replay", async () => {
    type Delivery = { status: string; deliveryId: string; replayOf: string | null; attempts: { statusCode: number }[] };
    const { items } = await eventually(async () => {
      const list = await relay.admin<{ items: Delivery[] }>("GET", "/admin/deliveries?sourceId=demo");
      return list.items.every(({ status }) => status === "delivered" || status === "dead_lettered") ? list : undefined;
    });
    const dead = items.filter(({ status }) => status === "dead_lettered");
    expect(dead).toHaveLength(1);
    expect(items.filter(({ replayOf }) => replayOf !== null)).toMatchObject([
      { replayOf: dead[0]?.deliveryId, status: "delivered", attempts: [{ statusCode: 200 }] },
    ]);
    const histories = items.map(({ attempts }) => attempts.map(({ statusCode }) => statusCode));
    expect(histories).toContainEqual([503, 503, 200]);
    expect(histories).toContainEqual([422]);
  });

  test("is beside a console that is there", async () => {
    expect(page.text).toContain("http://127.0.0.1:8787/console/");
    expect((await fetch(`${relay.engine.gatewayUrl}/console/`)).status).toBe(200);
  });
});

test("the commands of docs/sending.md are done by the local relay, one after the other", async () => {
  const lines = commandsOf(pageAt("docs/sending.md"));
  for (const line of lines) expect(await type(line), line).toMatchObject({ code: 0 });
  expect(lines.length).toBeGreaterThan(7);
}, 120_000);

test("the README counts the presets of providers as they are", () => {
  expect(page.text).toContain(`${providers.length} [providers](docs/providers/README.md)`);
});

test("what is said of an outage is what docs/healing.md shows", () => {
  expect(page.text).toMatch(/less than a thousandth of the requests that a retry every 30 s does/);
  // | Outage | Dead letters | Wasted requests | Of naive's |
  const [, ofNaive] = /^\| 1h \| [\d,]+ \| [\d,]+ \| ([\d.]+)% \|/m.exec(pageAt("docs/healing.md").text) ?? [];
  expect(Number(ofNaive)).toBeLessThan(0.1);
});

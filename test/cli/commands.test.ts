import { randomBytes } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Destination, startDestination, testCertificate } from "../support/destination.js";
import { eventually, isFinal, startRelay, type TestRelay } from "../support/relay.js";
import { type CliSurroundings, runCli } from "./run-cli.js";

let relay: TestRelay;
let destination: Destination;
let folder: string;

beforeAll(async () => {
  relay = await startRelay();
  destination = await startDestination(({ target }) => (target.startsWith("/fails") ? 503 : 200));
  folder = mkdtempSync(join(tmpdir(), "steadyhook-cli-"));
});

afterAll(async () => {
  await relay.close();
  await destination.close();
  rmSync(folder, { recursive: true });
});

const cli = (line: string, surroundings: CliSurroundings = {}, ...more: string[]) =>
  runCli([...line.split(" "), ...more], {
    ...surroundings,
    env: { STEADYHOOK_URL: relay.engine.gatewayUrl, ...surroundings.env },
  });

/** The command's answer; fails with what it said when it failed. */
async function answer(line: string, surroundings: CliSurroundings = {}, ...more: string[]) {
  const { code, stdout, stderr } = await cli(`${line} --json`, surroundings, ...more);
  expect(stderr, line).toBe("");
  expect(code).toBe(0);
  return JSON.parse(stdout);
}

/** A source with one subscription that delivers to a path of the destination. */
async function subscribed(sourceId: string, path = "/hooks", options = ""): Promise<string> {
  await answer(`sources create ${sourceId}`);
  const created = await answer(`subscriptions create ${sourceId} ${destination.url}${path} ${options}`.trim());
  return created.subscriptionId;
}

describe("sources", () => {
  it("are created, listed, shown, changed and deleted", async () => {
    const created = await answer(
      "sources create github --scheme github --secret env:GITHUB_SECRET --on-failure reject --dedupe header:x-github-delivery",
      { env: { GITHUB_SECRET: "octocat" } },
    );
    expect(created).toMatchObject({
      sourceId: "github",
      verification: { scheme: "github", onFailure: "reject", secrets: [{ id: expect.stringMatching(/^sec_/) }] },
      dedupe: { from: "header", name: "x-github-delivery" },
    });
    expect((await cli("sources list")).stdout).toMatch(/^github +github +header:x-github-delivery/m);
    const changed = await answer("sources update github --dedupe none --event-type json:/type --if-version 1");
    expect(changed).toMatchObject({ dedupe: null, eventType: { from: "json", pointer: "/type" }, version: 2 });
    const shown = await cli("sources show github");
    expect(shown.stdout).toContain(`url           ${relay.engine.gatewayUrl}/in/github\n`);
    expect((await cli("sources delete github")).stdout).toBe("deleted source github\n");
    expect(await cli("sources show github")).toMatchObject({ code: 1, stdout: "" });
  });

  it("are not changed when somebody else did meanwhile, and the reason is told", async () => {
    await answer("sources create contended");
    await answer("sources update contended --description first");
    const { code, stderr } = await cli("sources update contended --description second --if-version 1");
    expect(code).toBe(1);
    expect(stderr).toContain("look at it again");
    expect(await answer("sources show contended")).toMatchObject({ description: "first" });
  });

  it("stay when the question is not answered with yes, and are deleted unasked with --yes", async () => {
    await answer("sources create asked");
    const refused = await cli("sources delete asked", { terminal: 80, answer: "n" });
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain("Delete the source asked? [y/N]");
    expect((await cli("sources delete asked --yes", { terminal: 80, answer: "n" })).code).toBe(0);
  });
});

describe("secrets", () => {
  const secret = "It's a Secret to Everybody";

  it.each([
    ["the environment", "env:WEBHOOK_SECRET", { env: { WEBHOOK_SECRET: secret } }],
    ["stdin", "-", { stdin: `${secret}\n` }],
  ])("come from %s and are never printed", async (from, where, surroundings) => {
    const line = `sources create secret-${from.replace(" ", "-")} --scheme github --secret ${where}`;
    const { code, stdout, stderr } = await cli(line, surroundings);
    expect(code).toBe(0);
    expect(stdout + stderr).not.toContain(secret);
  });

  it("come from a file, without the line break at its end", async () => {
    const file = join(folder, "secret.txt");
    writeFileSync(file, "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw\r\n");
    await answer("sources create from-file");
    const url = `${destination.url}/hooks`;
    const created = await answer(`subscriptions create from-file ${url} --signing-secret @${file}`);
    expect(created).not.toHaveProperty("signingSecret");
    expect(created.secrets).toHaveLength(1);
  });

  it("on the command line are taken with a warning", async () => {
    const { code, stderr } = await cli("sources create literal --scheme github --secret visible");
    expect(code).toBe(0);
    expect(stderr).toContain("shell's history");
  });
});

describe("subscriptions", () => {
  it("are created with what was said, and their new signing secret is shown that once", async () => {
    await answer("sources create shop");
    const line = `subscriptions create shop ${destination.url}/hooks --name erp --schedule table:1m,5m --max-attempts 3`;
    const { code, stdout } = await cli(`${line} --jitter 0 --read-timeout 20s --types order.*,invoice.paid`);
    expect(code).toBe(0);
    expect(stdout).toMatch(/shown this once.*\nwhsec_[A-Za-z0-9+/]+=\n$/);
    expect(stdout).toContain("schedule      1m, 5m, ±0%");
    const { items } = await answer("subscriptions list shop");
    expect(items).toMatchObject([
      {
        name: "erp",
        given: { policy: { schedule: { kind: "table", delaysSeconds: [60, 300] }, maxAttempts: 3, jitter: 0 } },
        timeouts: { readSeconds: 20 },
        types: ["order.*", "invoice.paid"],
      },
    ]);
    expect((await cli(`subscriptions show ${items[0].subscriptionId}`)).stdout).not.toContain("whsec_");
  });

  it("are changed field by field, and none brings a default back", async () => {
    const id = await subscribed("changed", "/hooks", "--max-attempts 3 --max-per-second 5");
    const line = `subscriptions update ${id} --max-attempts none --max-per-second none --destination ${destination.url}/new`;
    expect(await answer(line)).toMatchObject({
      url: `${destination.url}/new`,
      maxPerSecond: null,
      policy: { maxAttempts: 5 },
    });
  });

  it("take any field as a document, with options laid over it", async () => {
    const file = join(folder, "subscription.json");
    writeFileSync(file, JSON.stringify({ name: "doc", policy: { preset: "hookwatch", jitter: 0.1 } }));
    await answer("sources create documented");
    const line = `subscriptions create documented ${destination.url}/hooks --document @${file} --jitter 0`;
    expect(await answer(line)).toMatchObject({ name: "doc", given: { policy: { preset: "hookwatch", jitter: 0 } } });
  });

  it("are paused, resumed and deleted", async () => {
    const id = await subscribed("paused");
    expect((await cli(`subscriptions pause ${id}`)).stdout).toBe(`${id} is paused\n`);
    expect((await cli(`subscriptions resume ${id}`)).stdout).toBe(`${id} is active\n`);
    expect((await cli(`subscriptions delete ${id}`)).stdout).toBe(`deleted subscription ${id}\n`);
    expect((await answer("subscriptions list paused")).items).toEqual([]);
  });

  it("that are wrong are refused with each field and its fix", async () => {
    await answer("sources create refused");
    const line = `subscriptions create refused ${destination.url}/hooks --jitter 3`;
    const { code, stderr } = await cli(`${line} --document`, {}, '{"maxPerSeconds":3}');
    expect(code).toBe(1);
    expect(stderr).toContain('maxPerSeconds is not a known field → Did you mean "maxPerSecond"?');
    expect((await cli(line)).stderr).toMatch(/policy\.jitter .*1/);
  });

  it("are all listed when no source is named", async () => {
    await subscribed("everywhere");
    const { stdout } = await cli("subscriptions list", { terminal: 200 });
    expect(stdout).toMatch(/^sub_\w{26} +everywhere /m);
  });
});

describe("an event", () => {
  it("is published byte for byte, shown with its delivery, and its body comes back as it was", async () => {
    await subscribed("publish");
    const file = join(folder, "body.bin");
    const body = randomBytes(3_000);
    writeFileSync(file, body);
    const line = `publish publish --type invoice.paid --idempotency-key inv_1 --file ${file}`;
    const { eventId } = await answer(line);
    expect(await answer(line)).toEqual({ eventId });
    await relay.deliveries(eventId, isFinal);
    const request = destination.requests.find(({ headers }) => headers["steadyhook-event-id"] === eventId);
    expect(request?.body.equals(body)).toBe(true);
    expect(request?.headers["content-type"]).toBe("application/octet-stream");
    const shown = await cli(`events show ${eventId}`);
    expect(shown.stdout).toContain("type        invoice.paid");
    expect(shown.stdout).toMatch(/^dlv_\w{26} +delivered +1 +200/m);
    expect((await cli(`events body ${eventId}`)).stdoutBytes.equals(body)).toBe(true);
    const copy = join(folder, "copy.bin");
    await cli(`events body ${eventId} --output ${copy}`);
    expect(readFileSync(copy).equals(body)).toBe(true);
  });

  it("whose body is larger than an answer comes from where the relay says", async () => {
    await subscribed("large");
    const body = randomBytes(4_500_000);
    const file = join(folder, "large.bin");
    writeFileSync(file, body);
    const { eventId } = await answer(`publish large --file ${file}`);
    await relay.deliveries(eventId, isFinal);
    expect((await cli(`events body ${eventId}`)).stdoutBytes.equals(body)).toBe(true);
  });

  it.each([
    ["{}", "application/json"],
    ["hello", "text/plain; charset=utf-8"],
  ])("with the body %s from stdin is %s", async (stdin, type) => {
    await subscribed(`typed-${stdin.length}`);
    const { eventId } = await answer(`publish typed-${stdin.length}`, { stdin });
    await relay.deliveries(eventId, isFinal);
    const request = destination.requests.find(({ headers }) => headers["steadyhook-event-id"] === eventId);
    expect(request?.headers["content-type"]).toBe(type);
  });

  it("whose body would command the terminal is not shown there", async () => {
    await subscribed("hostile");
    const { eventId } = await answer("publish hostile --data", {}, "\u001b[2J");
    await relay.deliveries(eventId, isFinal);
    const { code, stdout, stderr } = await cli(`events body ${eventId}`, { terminal: 80 });
    expect(code).toBe(1);
    expect(stdout).toBe("");
    expect(stderr).toContain("--output FILE");
  });

  it("that no subscription took is listed as such", async () => {
    await answer("sources create lonely");
    const { eventId } = await answer("publish lonely --data {}");
    const listed = await eventually(async () => {
      const { items } = await answer("events list --source lonely --state undelivered --since 1h");
      return items.length > 0 ? items : undefined;
    });
    expect(listed).toMatchObject([{ eventId, state: "undelivered" }]);
    expect((await cli("events list --source lonely")).stdout).toContain(eventId);
  });

  it("that is not known is refused with what may be the reason", async () => {
    const { code, stderr } = await cli("events show evt_00000000000000000000000000");
    expect(code).toBe(1);
    expect(stderr).toContain("try again in a moment");
  });
});

describe("deliveries", () => {
  it("are listed by status and shown with every attempt, its answer and when the next one is due", async () => {
    await subscribed("failing", "/fails", "--schedule fixed:10m --jitter 0");
    const { eventId } = await answer("publish failing --data {}");
    const [delivery] = await relay.deliveries(eventId, ({ status }) => status === "retry_scheduled");
    const id = delivery?.deliveryId ?? "";
    const { items } = await answer("deliveries list --source failing --status retry_scheduled");
    expect(items).toMatchObject([{ deliveryId: id }]);
    const { stdout } = await cli(`deliveries show ${id}`);
    expect(stdout).toMatch(/next attempt {2}\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ \(in (9m \d+s|10m)\)/);
    expect(stdout).toMatch(/^1 +retryable +503 +\d{4}/m);
  });

  it("never have a line wider than the terminal, and colours only there", async () => {
    await subscribed("wide");
    await answer("publish wide --data {}");
    const onTerminal = await cli("deliveries list", { terminal: 80 });
    // biome-ignore lint/suspicious/noControlCharactersInRegex: colours are control characters
    const colours = /\u001b\[\d+m/g;
    expect(onTerminal.stdout).toMatch(colours);
    for (const line of onTerminal.stdout.replaceAll(colours, "").split("\n"))
      expect(line.length).toBeLessThanOrEqual(80);
    expect((await cli("deliveries list", { terminal: 80, env: { NO_COLOR: "1" } })).stdout).not.toMatch(colours);
    expect((await cli("deliveries list")).stdout).not.toMatch(colours);
  });

  it("come page by page", async () => {
    await subscribed("paged");
    for (const data of ["1", "2", "3"]) {
      const { eventId } = await answer(`publish paged --data ${data}`);
      await relay.deliveries(eventId, isFinal);
    }
    const first = await cli("deliveries list --source paged --limit 2");
    expect(first.stdout.match(/dlv_/g)).toHaveLength(2);
    const cursor = /--cursor (\S+)/.exec(first.stderr)?.[1];
    const second = await cli(`deliveries list --source paged --limit 2 --cursor ${cursor}`);
    expect(second.stdout.match(/dlv_/g)).toHaveLength(1);
  });
});

describe("a subscription's secrets", () => {
  it("are rotated, shown once when the relay made them, and revoked", async () => {
    const id = await subscribed("rotating");
    const [old] = (await answer(`subscriptions show ${id}`)).secrets;
    const rotated = await answer(`subscriptions rotate-secret ${id} --overlap 2h`);
    expect(rotated.signingSecret).toMatch(/^whsec_/);
    const [newest, ending] = rotated.secrets;
    expect(ending.id).toBe(old.id);
    expect(Date.parse(ending.expiresAt) - Date.parse(newest.createdAt)).toBe(7_200_000);
    expect((await cli(`subscriptions show ${id}`)).stdout).toMatch(new RegExp(`${old.id} .*ends in`));
    const { stdout } = await cli(`subscriptions revoke-secret ${id} ${old.id} --yes`);
    expect(stdout).not.toContain(old.id);
    expect(stdout).not.toContain("whsec_");
    const env = { NEW_SECRET: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw" };
    const given = await cli(`subscriptions rotate-secret ${id} --overlap 0 --secret env:NEW_SECRET`, { env });
    expect([given.code, given.stdout.includes("whsec_")]).toEqual([0, false]);
    expect((await cli(`subscriptions revoke-secret ${id} ${newest.id} --yes`)).code).toBe(1);
  });

  it("of its requests are set and taken away without being printed", async () => {
    const id = await subscribed("with-headers");
    const env = { API_KEY: "k-3f9a1c7e5b2d" };
    const options = "--header x-team=billing --header x-b=1 --secret-header x-api-key=env:API_KEY";
    const set = await cli(`subscriptions update ${id} ${options}`, { env });
    expect(set.stdout).toMatch(/^headers +x-team: billing, x-b: 1, x-api-key: \(secret\)/m);
    expect(set.stdout + set.stderr).not.toContain(env.API_KEY);
    const changed = await answer(`subscriptions update ${id} --header x-b=none`);
    expect(changed.headers).toEqual({ "x-team": "billing", "x-api-key": { secret: true } });
    const { eventId } = await answer("publish with-headers --data {}");
    await relay.deliveries(eventId, isFinal);
    const sent = destination.requests.find(({ headers }) => headers["steadyhook-event-id"] === eventId);
    expect(sent?.headers).toMatchObject({ "x-team": "billing", "x-api-key": env.API_KEY });
  });

  it("of its TLS come from files; the certificate's end is shown", async () => {
    const id = (await answer("subscriptions create with-headers https://127.0.0.1:9/")).subscriptionId;
    const file = (name: string, content: string | Buffer) => {
      writeFileSync(join(folder, name), content);
      return join(folder, name);
    };
    const { cert, key } = testCertificate("good");
    const files = [file("client.crt", String(cert)), `@${file("client.key", String(key))}`] as const;
    const line = `subscriptions update ${id} --client-certificate ${files[0]} --client-key ${files[1]}`;
    const set = await cli(line, { nowMs: Date.UTC(2124, 11, 20) });
    expect(set.stderr).toBe("");
    expect(set.stdout).toMatch(/^client certificate +until 2125-01-01.*: renew it/m);
    expect(set.stdout).not.toContain("PRIVATE");
    expect((await answer(`subscriptions update ${id} --client-certificate none`)).tls).toBeNull();
  });
});

it("stats counts what is open, what the last hour came to, and what waits in the queues", async () => {
  expect(await answer("stats")).toHaveProperty("deliveries.retrying.count");
  const { stdout } = await cli("stats");
  expect(stdout).toMatch(/^retrying +\d+/m);
  expect(stdout).toMatch(/^COUNTED +LAST HOUR +LAST 24 H$/m);
  expect(stdout).toMatch(/^retry rate +(–|[\d.]+ %) +(–|[\d.]+ %)$/m);
  expect(stdout).toMatch(/^dead letter +\d+ +\d+ +\d+/m);
});

it("what is no relay is called that", async () => {
  const { code, stderr } = await runCli(["stats", "--url", destination.url]);
  expect(code).toBe(1);
  expect(stderr).toContain("not one of a Steadyhook relay");
});

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { text as readText } from "node:stream/consumers";
import { ListQueuesCommand, SendMessageCommand, SQSClient } from "@aws-sdk/client-sqs";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import type { StatsView } from "../../functions/app/admin/view-schemas.js";
import { type Engine, type EngineOptions, startEngine } from "../../local/engine.js";
import { packageRoot } from "../../local/paths.js";

const newFolder = (): string => mkdtempSync(join(tmpdir(), "steadyhook-engine-"));

interface DeliveryView {
  readonly eventId: string;
  readonly status: string;
  readonly attempts: ReadonlyArray<{ readonly outcome: string; readonly statusCode: number | null }>;
}

async function post(url: string, body: string | Buffer): Promise<string> {
  const response = await fetch(url, { method: "POST", body });
  expect(response.status).toBe(202);
  return ((await response.json()) as { eventId: string }).eventId;
}

async function postJson(url: string, body: unknown): Promise<void> {
  const headers = { "content-type": "application/json" };
  const response = await fetch(url, { method: "POST", headers, body: JSON.stringify(body) });
  expect(response.status, await response.text()).toBe(201);
}

async function deliveries(gatewayUrl: string): Promise<DeliveryView[]> {
  const response = await fetch(`${gatewayUrl}/admin/deliveries?sourceId=demo&limit=100`);
  return ((await response.json()) as { items: DeliveryView[] }).items;
}

const deliveryOf = async (gatewayUrl: string, eventId: string): Promise<DeliveryView | undefined> =>
  (await deliveries(gatewayUrl)).find((delivery) => delivery.eventId === eventId);

describe("an engine", () => {
  const dataDir = newFolder();
  const lines: string[] = [];
  let engine: Engine;
  // A second is the longest delay that the queue carries: two seconds make a schedule.
  const options: EngineOptions = {
    dataDir,
    seedDemo: true,
    environment: { MAX_QUEUE_DELAY_SECONDS: "1" },
    onFunctionLine: (label, line) => lines.push(`${label} ${line}`),
  };

  beforeAll(async () => {
    engine = await startEngine(options);
  });
  afterAll(() => engine.close());

  test("relays an event byte for byte to the sink", async () => {
    const body = Buffer.from(Array.from({ length: 256 }, (_, index) => index));
    const eventId = await post(`${engine.gatewayUrl}/in/demo`, body);
    await expect.poll(async () => (await deliveryOf(engine.gatewayUrl, eventId))?.status).toBe("delivered");

    const response = await fetch(`${engine.gatewayUrl}/sink/requests`);
    const { items } = (await response.json()) as { items: Array<{ body: string; headers: Record<string, string> }> };
    const received = items.find(({ headers }) => headers["steadyhook-event-id"] === eventId);
    expect(received?.body).toBe(`base64:${body.toString("base64")}`);
  });

  test("tells in its stats what the functions counted", async () => {
    const window = async () => {
      const response = await fetch(`${engine.gatewayUrl}/admin/stats?series=1h`);
      const { window, series } = (await response.json()) as StatsView;
      return { ...window?.lastHour, attemptsByMinute: series?.counts.attempts.reduce((sum, each) => sum + each, 0) };
    };
    await post(`${engine.gatewayUrl}/in/demo`, "{}");
    // An answer may be half a minute old: the first question is asked once the numbers are written.
    const written = () => lines.filter((line) => line.includes('"Delivered":')).length;
    await expect.poll(written, { timeout: 15_000 }).toBeGreaterThan(0);
    const { accepted, attempts, attemptsByMinute, delivered } = await window();
    expect(accepted).toBeGreaterThan(0);
    expect(delivered).toBeGreaterThan(0);
    expect(attemptsByMinute).toBe(attempts);
  });

  test("retries over the queue and over a schedule, as the functions' lines tell", async () => {
    const policy = { schedule: { kind: "table", delaysSeconds: [1, 2] }, maxAttempts: 3, jitter: 0 };
    await postJson(`${engine.gatewayUrl}/admin/sources`, { sourceId: "retried" });
    const subscription = { name: "sink", url: `${engine.gatewayUrl}/sink`, policy };
    await postJson(`${engine.gatewayUrl}/admin/sources/retried/subscriptions`, subscription);
    const eventId = await post(`${engine.gatewayUrl}/in/retried?status=503&times=2`, "{}");

    const attempts = () => lines.filter((line) => line.includes('"message":"attempt"') && line.includes(eventId));
    await expect.poll(attempts, { timeout: 15_000 }).toHaveLength(3);
    expect(attempts().map((line) => JSON.parse(line.slice(line.indexOf("{"))).statusCode)).toEqual([503, 503, 200]);
  });

  test("answers at the gateway as the template routes", async () => {
    const status = async (path: string, method = "GET") => (await fetch(engine.gatewayUrl + path, { method })).status;

    expect(await status("/in/unknown", "POST")).toBe(404);
    expect(await status("/admin/sources")).toBe(200);
    expect(await status("/nothing")).toBe(404);
    expect(await status("/publish/demo")).toBe(404);
  });

  test("shares its queues and table with any AWS SDK", async () => {
    const credentials = { accessKeyId: "any", secretAccessKey: "any" };
    const sqs = new SQSClient({ endpoint: engine.awsUrl, region: "us-east-1", credentials });
    const { QueueUrls } = await sqs.send(new ListQueuesCommand({}));
    sqs.destroy();

    expect(QueueUrls?.toSorted(byText)).toEqual(engine.wiring.queues.map(({ url }) => url).toSorted(byText));
    expect(engine.wiring.tables).toHaveLength(1);
  });

  test("lets a function do what the template's role allows it, and nothing else", async () => {
    const queueAs = async (label: string): Promise<unknown> => {
      const accessKeyId = engine.wiring.functions.find((each) => each.label === label)?.name ?? "";
      const sqs = new SQSClient({
        endpoint: engine.awsUrl,
        region: "us-east-1",
        credentials: { accessKeyId, secretAccessKey: "local" },
      });
      const queue = engine.wiring.queues.find(({ name }) => name.endsWith("Control"));
      const sending = sqs.send(new SendMessageCommand({ QueueUrl: queue?.url, MessageBody: "{}" }));
      return sending.finally(() => sqs.destroy());
    };
    await expect(queueAs("ingress")).rejects.toMatchObject({
      name: "AccessDeniedException",
      message: expect.stringMatching(
        /Ingress\w* is not authorized to perform: sqs:SendMessage on resource: .+Control$/,
      ),
    });
    await expect(queueAs("admin")).resolves.toMatchObject({ MessageId: expect.any(String) });
  });

  test("keeps a second one away from its port and from its data", async () => {
    const port = Number(new URL(engine.gatewayUrl).port);

    await expect(startEngine({ dataDir: newFolder(), port })).rejects.toThrow(`Port ${port} is in use`);
    await expect(startEngine({ dataDir })).rejects.toThrow(`The data folder ${dataDir} is in use`);
  });

  test("goes on after a restart on another port, with its data and one demo subscription", async () => {
    const eventId = await post(`${engine.gatewayUrl}/in/demo`, "before");
    await expect.poll(async () => (await deliveryOf(engine.gatewayUrl, eventId))?.status).toBe("delivered");
    await engine.close();
    engine = await startEngine(options);

    expect((await deliveryOf(engine.gatewayUrl, eventId))?.status).toBe("delivered");
    const response = await fetch(`${engine.gatewayUrl}/admin/sources/demo/subscriptions`);
    const { items } = (await response.json()) as { items: unknown[] };
    expect(items).toMatchObject([{ name: "sink", url: `${engine.gatewayUrl}/sink` }]);
    const after = await post(`${engine.gatewayUrl}/in/demo`, "after");
    await expect.poll(async () => (await deliveryOf(engine.gatewayUrl, after))?.status).toBe("delivered");
  });
});

describe("npm start", () => {
  const running: ChildProcess[] = [];
  afterEach(() => {
    for (const child of running.splice(0)) child.kill("SIGKILL");
  });

  /** Starts the command and gives it and the URL of its banner. */
  async function start(
    environment: Record<string, string>,
  ): Promise<{ child: ChildProcess; url: string; text: string }> {
    const child = spawn(process.execPath, [join(packageRoot, "dist/local/main.mjs")], {
      env: { PATH: process.env["PATH"], PORT: "0", ...environment },
      stdio: ["ignore", "pipe", "inherit"],
    });
    running.push(child);
    let text = "";
    for await (const line of createInterface({ input: child.stdout as NodeJS.ReadableStream })) {
      text += `${line}\n`;
      const url = /ingress +(http:\S+)\/in/.exec(text)?.[1];
      if (url !== undefined && line.includes("/admin/deliveries")) return { child, url, text };
    }
    throw new Error(`it ended before it was ready: ${text}`);
  }

  test("prints what to try, without colours where there is no terminal", async () => {
    const { url, text } = await start({ STEADYHOOK_DATA: newFolder() });

    expect(text.match(/^ {2}curl .*/gm)).toHaveLength(3);
    expect(text).toContain(`${url}/sink`);
    expect(text).not.toContain("\u001b");
  });

  test("ends on SIGTERM with 0", async () => {
    const { child } = await start({ STEADYHOOK_DATA: newFolder() });
    child.kill("SIGTERM");

    expect(await once(child, "exit")).toEqual([0, null]);
  });

  test("takes a signal that comes twice at once, as by npm, for one", async () => {
    const { child } = await start({ STEADYHOOK_DATA: newFolder() });
    child.kill("SIGINT");
    child.kill("SIGINT");

    expect(await once(child, "exit")).toEqual([0, null]);
  });

  test("ends when nobody reads its lines any more", async () => {
    const { child, url } = await start({ STEADYHOOK_DATA: newFolder() });
    child.stdout?.destroy();
    await fetch(`${url}/sink`);

    expect(await once(child, "exit")).toEqual([0, null]);
  });

  test("that cannot use its data folder says so in a sentence and ends with 1", async () => {
    const file = join(newFolder(), "a-file");
    writeFileSync(file, "");
    const child = spawn(process.execPath, [join(packageRoot, "dist/local/main.mjs")], {
      env: { PATH: process.env["PATH"], PORT: "0", STEADYHOOK_DATA: file },
      stdio: ["ignore", "ignore", "pipe"],
    });
    running.push(child);

    const [said, [code]] = await Promise.all([readText(child.stderr as Readable), once(child, "exit")]);
    expect(said).toMatch(/^The data folder \S+a-file cannot be used \(EEXIST: .*\): repair it, or .*\.\n$/);
    expect(code).toBe(1);
  });
});

const byText = (a: string, b: string): number => (a < b ? -1 : 1);

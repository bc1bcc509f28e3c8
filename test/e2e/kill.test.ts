import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Answer, type Destination, type ReceivedRequest, startDestination } from "../support/destination.js";
import { type DeliveryView, eventually, isFinal, relayClient } from "../support/relay.js";

const main = fileURLToPath(new URL("../../dist/local/main.mjs", import.meta.url));

let destination: Destination;
let dataDir: string;
let relay: ChildProcess | undefined;
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "steadyhook-kill-"));
  destination = await startDestination(200);
});
afterAll(async () => {
  relay?.kill("SIGKILL");
  await destination.close();
  await rm(dataDir, { recursive: true, force: true });
});

/** `npm start`'s own process; resolves when it says that it is ready. */
async function start(port: number): Promise<ChildProcess> {
  const child = spawn(process.execPath, [main], {
    env: { ...process.env, PORT: String(port), STEADYHOOK_DATA: dataDir, LOG_FORMAT: "text" },
    stdio: ["ignore", "pipe", "inherit"],
  });
  await new Promise<void>((resolve, reject) => {
    child.stdout?.on("data", (chunk) => String(chunk).includes("is ready") && resolve());
    child.once("exit", (code) => reject(new Error(`the relay ended with ${code}`)));
  });
  return child;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  server.close();
  return port;
}

/** One in four hangs before the kill (attempting), fails for ever, fails once, or succeeds at once. */
const answers =
  (first: "hang" | 200) =>
  ({ target, headers }: ReceivedRequest): Answer => {
    const kind = new URL(target, destination.url).searchParams.get("kind");
    if (kind === "0") return first;
    if (kind === "1") return 500;
    return kind === "2" && headers["steadyhook-attempt"] === "1" ? 503 : 200;
  };

describe("a relay that is killed with 200 deliveries in all states", () => {
  it("ends every one of them delivered or dead-lettered after a restart", async () => {
    const port = await freePort();
    const { source, post } = relayClient(`http://127.0.0.1:${port}`);
    relay = await start(port);
    destination.answer(answers("hang"));
    const policy = { schedule: { kind: "fixed", baseSeconds: 2 }, maxAttempts: 3, jitter: 0.5 };
    await source({ sourceId: "kill" }, { url: `${destination.url}/hooks`, policy });
    const eventIds: string[] = [];
    for (let index = 0; index < 200; index++) {
      const response = await post(`/in/kill?kind=${index % 4}`, JSON.stringify({ index }));
      expect(response.status).toBe(202);
      eventIds.push(((await response.json()) as { eventId: string }).eventId);
    }
    await destination.received(20);
    relay.kill("SIGKILL");
    await once(relay, "exit");
    destination.answer(answers(200));
    destination.dropConnections();

    relay = await start(port);
    const ended = await eventually(() => allFinal(port, eventIds), 120_000);
    const byKind = (kind: number) => ended.filter((_delivery, index) => index % 4 === kind);
    expect(ended).toHaveLength(200);
    expect(byKind(1).every((delivery) => delivery.deadLetterReason === "exhausted")).toBe(true);
    for (const kind of [0, 2, 3]) expect(byKind(kind).every(({ status }) => status === "delivered")).toBe(true);
    // What the destination saw is what was recorded, but for attempts whose function died with them.
    for (const { attempts, eventId } of ended) {
      const seen = destination.requests.filter(({ headers }) => headers["steadyhook-event-id"] === eventId);
      const certain = attempts.filter(({ outcome }) => outcome !== "unknown").length;
      expect(seen.length).toBeGreaterThanOrEqual(certain);
      expect(seen.length).toBeLessThanOrEqual(attempts.length);
    }
    // A minute of work on a machine that does other things as well.
  }, 180_000);
});

/** The deliveries of the events in their order, once all are final. */
async function allFinal(port: number, eventIds: readonly string[]): Promise<DeliveryView[] | undefined> {
  const deliveries: DeliveryView[] = [];
  for (const eventId of eventIds) {
    const response = await fetch(`http://127.0.0.1:${port}/admin/events/${eventId}`);
    if (!response.ok) return undefined;
    const [delivery] = ((await response.json()) as { deliveries: DeliveryView[] }).deliveries;
    if (delivery === undefined || !isFinal(delivery)) return undefined;
    deliveries.push(delivery);
  }
  return deliveries;
}

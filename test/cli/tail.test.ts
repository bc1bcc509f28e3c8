import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Destination, startDestination } from "../support/destination.js";
import { gateChangeKnown, isFinal, startRelay, type TestRelay } from "../support/relay.js";
import { runCli } from "./run-cli.js";

let relay: TestRelay;
let destination: Destination;
const answers: number[] = [];
beforeAll(async () => {
  relay = await startRelay();
  destination = await startDestination(() => answers.shift() ?? 200);
});
afterAll(async () => {
  await destination.close();
  await relay.close();
});

interface Printed {
  readonly stdout: string;
  readonly stderr: string;
}

const linesOf = ({ stdout }: Printed): string[] => stdout.split("\n").filter((line) => line !== "");

/** Real waits between two polls, short ones, until what was printed is enough. */
function tail(args: string, isEnough: (printed: Printed) => boolean, first: () => Promise<unknown> = async () => {}) {
  let begun: Promise<unknown> | undefined;
  return runCli(`tail ${args}`.trim().split(" "), {
    env: { STEADYHOOK_URL: relay.engine.gatewayUrl },
    pause: async (printed) => {
      begun ??= first();
      await begun;
      await new Promise((resolve) => setTimeout(resolve, 50));
      return isEnough(printed);
    },
  });
}

let sources = 0;

async function aSource(policy: object = {}) {
  sources += 1;
  const sourceId = `s${sources}`;
  const [subscription] = await relay.source({ sourceId }, { url: destination.url, policy });
  return { sourceId, subscriptionId: subscription?.subscriptionId ?? "" };
}

const send = async (sourceId: string, body = "{}"): Promise<string> =>
  ((await (await relay.post(`/in/${sourceId}`, body)).json()) as { eventId: string }).eventId;

describe("tail", () => {
  it("tells each attempt and what became of it, once, from now on", async () => {
    const { sourceId, subscriptionId } = await aSource({
      schedule: { kind: "fixed", baseSeconds: 1 },
      jitter: 0,
      maxAttempts: 2,
    });
    await relay.deliveries(await send(sourceId), isFinal);
    answers.push(503, 503);
    let eventId = "";
    const { code, stdout, stderr } = await tail(
      "--json",
      (printed) => linesOf(printed).length >= 2,
      async () => {
        eventId = await send(sourceId);
      },
    );
    expect([code, stderr]).toEqual([0, ""]);
    const shared = { eventId, sourceId, subscriptionId, statusCode: 503, outcome: "retryable", error: null };
    expect(linesOf({ stdout, stderr }).map((line) => JSON.parse(line))).toEqual([
      expect.objectContaining({ ...shared, attempt: 1, status: "retry_scheduled", deadLetterReason: null }),
      expect.objectContaining({ ...shared, attempt: 2, status: "dead_lettered", deadLetterReason: "exhausted" }),
    ]);
  });

  it("follows what was open before to its end, and only what --source and --subscription say", async () => {
    const policy = { schedule: { kind: "fixed", baseSeconds: 2 }, jitter: 0, maxAttempts: 2 };
    const [followed, other] = [await aSource(policy), await aSource()];
    answers.push(503);
    const [open] = await relay.deliveries(await send(followed.sourceId), ({ status }) => status === "retry_scheduled");
    const { stdout } = await tail(
      `--source ${followed.sourceId} --subscription ${followed.subscriptionId}`,
      (printed) => linesOf(printed).length > 0,
      () => send(other.sourceId),
    );
    expect(stdout).toMatch(
      new RegExp(`^\\S+Z +delivered +200 +\\d+ms +2 +${open?.deliveryId} +${followed.sourceId} .*\n$`),
    );
  });

  it("tells what becomes of a delivery without an attempt", async () => {
    const { sourceId, subscriptionId } = await aSource();
    await relay.admin("POST", `/admin/subscriptions/${subscriptionId}/pause`, {});
    await gateChangeKnown();
    const [parked] = await relay.deliveries(await send(sourceId), ({ status }) => status === "parked");
    const { stdout } = await tail(
      `--source ${sourceId} --since 1h --json`,
      (printed) => printed.stdout.includes('"deadLetterReason":"cancelled"'),
      () => relay.admin("POST", `/admin/deliveries/${parked?.deliveryId}/cancel`, {}),
    );
    const told = linesOf({ stdout, stderr: "" }).map((line) => JSON.parse(line));
    expect(told.map(({ attempt, status, deadLetterReason }) => ({ attempt, status, deadLetterReason }))).toEqual([
      { attempt: null, status: "parked", deadLetterReason: null },
      { attempt: null, status: "dead_lettered", deadLetterReason: "cancelled" },
    ]);
  });

  it("shows what was since a time, and of that only what --status says", async () => {
    const { sourceId } = await aSource();
    answers.push(422);
    const [dead] = await relay.deliveries(await send(sourceId), isFinal);
    await relay.deliveries(await send(sourceId), isFinal);
    const once = () => true;
    const { stdout } = await tail(`--source ${sourceId} --since 1h --status dead_lettered`, once);
    expect(linesOf({ stdout, stderr: "" })).toEqual([expect.stringContaining(`${dead?.deliveryId}  permanent`)]);
    expect(linesOf(await tail(`--source ${sourceId} --since 1h`, once))).toHaveLength(2);
    expect(linesOf(await tail(`--source ${sourceId}`, once))).toEqual([]);
  });

  it("refuses what does not exist, instead of waiting for it", async () => {
    const { code, stderr } = await tail("--source nothing", () => true);
    expect([code, stderr]).toEqual([1, expect.stringContaining("steadyhook sources list")]);
    expect((await tail("--subscription sub_nothing", () => true)).code).toBe(1);
    expect((await tail("--status pending", () => true)).code).toBe(2);
  });
});

describe("tail of a relay that fails for a while", () => {
  it("says so once, goes on, and says when it is back", async () => {
    const statuses = [200, 200, 200, 200, 200, 502, 502, 200];
    const server = createServer((_request, response) => {
      response.writeHead(statuses.shift() ?? 200, { "content-type": "application/json" });
      response.end('{"items":[],"cursor":null}');
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const pause = async () => statuses.length === 0;
    const { code, stdout, stderr } = await runCli(["tail", "--url", url], { pause });
    expect({ code, stdout }).toEqual({ code: 0, stdout: "" });
    expect(stderr).toBe(
      "The relay answered with status 502. Asking again until there is an answer.\nThe relay answers again.\n",
    );
    statuses.push(502);
    expect((await runCli(["tail", "--url", url])).code).toBe(1);
    await new Promise((resolve) => server.close(resolve));
  });
});

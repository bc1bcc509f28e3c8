import { SendMessageCommand, SQSClient } from "@aws-sdk/client-sqs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { eventually, startRelay, type TestRelay } from "../support/relay.js";
import { runCli } from "./run-cli.js";

let relay: TestRelay;
let sqs: SQSClient;

beforeAll(async () => {
  relay = await startRelay();
  const credentials = { accessKeyId: "local", secretAccessKey: "local" };
  sqs = new SQSClient({ endpoint: relay.engine.awsUrl, region: "us-east-1", credentials });
});

afterAll(async () => {
  sqs.destroy();
  await relay.close();
});

const cli = (...args: string[]) => runCli(args, { env: { STEADYHOOK_URL: relay.engine.gatewayUrl } });

/** Puts a text on the fault queue, and waits for the fault that it becomes. */
async function fault(text: string, cause: string, queue = "delivery"): Promise<string> {
  const { url = "" } = relay.engine.wiring.queues.find(({ name }) => name.includes("Fault")) ?? {};
  const attribute = (StringValue: string) => ({ DataType: "String", StringValue });
  const sent = await sqs.send(
    new SendMessageCommand({
      QueueUrl: url,
      MessageBody: text,
      MessageAttributes: { queue: attribute(queue), cause: attribute(cause) },
    }),
  );
  return eventually(async () => {
    const { items } = await relay.admin<{ items: { faultId: string; messageId: string }[] }>("GET", "/admin/faults");
    return items.find(({ messageId }) => messageId === sent.MessageId)?.faultId;
  });
}

/** Read and dropped by the sweeper: no such subscription has anything parked. */
const harmless = '{"v":1,"kind":"release","subscriptionId":"sub_none","generation":1,"after":null,"sent":0}';

describe("faults", () => {
  it("are none at first", async () => {
    expect(await cli("faults", "list")).toMatchObject({ code: 0, stdout: "", stderr: "No faults.\n" });
  });

  it("are listed with their cause, shown with their message, and counted", async () => {
    const id = await fault('{"v":9}\u0085', "Error: what \u009b2J");
    const { stdout } = await cli("faults", "list");
    expect(stdout).toMatch(/^FAULT +QUEUE +CAUSE +AGE +TIMES +CAME$/m);
    expect(stdout).toMatch(new RegExp(`^${id} +delivery +Error: what \\\\u\\{9b\\}2J +`, "m"));
    const shown = (await cli("faults", "show", id)).stdout;
    expect(shown).toMatch(/^cause +Error: what/m);
    expect(shown).toContain('Message: 9 bytes\n{"v":9}\\u{85}\n');
    expect((await cli("stats")).stdout).toMatch(/^faults +1$/m);
  });

  it("go back each by itself: one that is not known does not keep the others", async () => {
    const ids = [await fault(harmless, "Error: a", "control"), await fault(`${harmless} `, "Error: b", "control")];
    const both = await cli("faults", "redrive", ids[0] ?? "", "flt_none", ids[1] ?? "");
    expect(both.stdout).toBe(ids.map((id) => `${id} is back on the control queue\n`).join(""));
    expect([both.code, both.stderr]).toEqual([
      1,
      'error: There is no fault "flt_none".\n`steadyhook faults list` shows those that wait.\n',
    ]);
  });

  it("are not sent back twice", async () => {
    const id = await fault(harmless, "Error: c", "control");
    const { code, stdout } = await cli("faults", "redrive", id, "--json");
    expect([code, JSON.parse(stdout).items]).toMatchObject([0, [{ faultId: id }]]);
    const again = await cli("faults", "redrive", id, "flt_none", "--json");
    expect([again.code, JSON.parse(again.stdout)]).toEqual([1, { items: [] }]);
    expect(JSON.parse(again.stderr).error).toMatchObject({
      code: "already_redriven",
      message: expect.stringContaining("2 of 2 were not sent back:"),
    });
  });
});

it("a relay that does not answer is asked once", async () => {
  const { code, stderr } = await runCli(["faults", "redrive", "flt_1", "flt_2"], {
    env: { STEADYHOOK_URL: "http://127.0.0.1:9" },
  });
  expect(code).toBe(1);
  expect(stderr).toContain("No relay answers at http://127.0.0.1:9");
});

import { request } from "node:http";
import type { AddressInfo } from "node:net";
import { CreateTableCommand, DescribeTableCommand } from "@aws-sdk/client-dynamodb";
import { Webhook } from "standardwebhooks";
import { afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { HandledOnce } from "../../examples/receiver/handled-once.js";
import { type ReceiverServices, receive } from "../../examples/receiver/lambda.js";
import { createReceiver } from "../../examples/receiver/server.js";
import { startTable, type TestTable } from "../support/dynalite.js";
import { httpApiEvent } from "../support/http-api-event.js";

const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const body = '{"n":"Müller 😀"}';

/** Headers that the relay would send with the body. */
function signed(id: string, of = body, under = secret): Record<string, string> {
  const now = new Date();
  const timestamp = String(Math.floor(now.getTime() / 1000));
  const signature = new Webhook(under).sign(id, now, of);
  return { "webhook-id": id, "webhook-timestamp": timestamp, "webhook-signature": signature };
}

describe("the receiver on node:http", () => {
  let close = () => {};
  afterEach(() => close());

  async function started(handle: (body: string) => Promise<void>) {
    const server = createReceiver({ secret, handle: ({ body }) => handle(body.toString("utf8")) });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    close = () => void server.close();
    const { port } = server.address() as AddressInfo;
    return (headers: Record<string, string>, sent: string | Buffer = body) =>
      new Promise<number>((resolve, reject) => {
        const length = String(Buffer.byteLength(sent));
        const options = { port, method: "POST", headers: { "content-length": length, ...headers }, agent: false };
        request(options, (answer) => resolve(answer.resume().statusCode ?? 0))
          .on("error", reject)
          .end(sent);
      });
  }

  it("handles an event once, however often it comes, and says so with a 2xx each time", async () => {
    const handled: string[] = [];
    const post = await started(async (text) => void handled.push(text));
    const headers = signed("dlv_1");
    const statuses = await Promise.all([post(headers), post(headers), post(signed("dlv_1"))]);
    expect(statuses).toEqual([200, 200, 200]);
    expect(handled).toEqual([body]);
  });

  it("answers only after the work, with a 500 when it failed; the next attempt does it", async () => {
    let tries = 0;
    const post = await started(async () => {
      if (++tries === 1) throw new Error("the database is away");
    });
    expect([await post(signed("dlv_1")), await post(signed("dlv_1"))]).toEqual([500, 200]);
    expect(tries).toBe(2);
  });

  it.each<[what: string, headers: Record<string, string>, sent: string | Buffer, status: number]>([
    ["a body that was changed", signed("dlv_1"), body.replace("Müller", "Mueller"), 401],
    ["another secret", signed("dlv_1", body, "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD"), body, 401],
    ["another id", { ...signed("dlv_1"), "webhook-id": "dlv_2" }, body, 401],
    ["an old timestamp", { ...signed("dlv_1"), "webhook-timestamp": "1" }, body, 401],
    ["no headers", {}, body, 400],
    ["bytes that are no text", signed("dlv_1"), Buffer.from([0xff]), 400],
    ["a length beyond all webhooks", { ...signed("dlv_1"), "content-length": "99999999999" }, "", 413],
  ])("refuses %s", async (_what, headers, sent, status) => {
    const post = await started(() => Promise.reject(new Error("must not be handled")));
    expect(await post(headers, sent)).toBe(status);
  });
});

describe("ids that have been handled", () => {
  it("are forgotten oldest first beyond their number", async () => {
    const once = new HandledOnce(2);
    const work = () => Promise.resolve();
    for (const id of ["a", "b", "c"]) expect(await once.run(id, work)).toBe(true);
    expect([await once.run("c", work), await once.run("b", work), await once.run("a", work)]).toEqual([
      false,
      false,
      true,
    ]);
  });
});

describe("the receiver on Lambda", () => {
  let table: TestTable;
  const handled: string[] = [];
  let fails = false;
  let services: ReceiverServices;

  beforeAll(async () => {
    table = await startTable();
    const TableName = "handled";
    await table.client.send(
      new CreateTableCommand({
        TableName,
        BillingMode: "PAY_PER_REQUEST",
        AttributeDefinitions: [{ AttributeName: "id", AttributeType: "S" }],
        KeySchema: [{ AttributeName: "id", KeyType: "HASH" }],
      }),
    );
    const describeTable = new DescribeTableCommand({ TableName });
    while ((await table.client.send(describeTable)).Table?.TableStatus !== "ACTIVE");
    const handle = async ({ id }: { id: string }) => {
      if (fails) throw new Error("the database is away");
      handled.push(id);
    };
    services = { secret, tableName: TableName, client: table.client, handle };
    return () => table.close();
  });

  const post = async (headers: Record<string, string>, atMs = Date.now()) => {
    const event = httpApiEvent({ method: "POST", path: "/", headers, body: Buffer.from(body) });
    return (await receive(services, event, atMs)).statusCode;
  };

  it("handles an event once, also when two invocations have it at the same time", async () => {
    const statuses = await Promise.all([post(signed("dlv_1")), post(signed("dlv_1"))]);
    expect(statuses).toContain(200);
    expect(await post(signed("dlv_1"))).toBe(200);
    expect(handled).toEqual(["dlv_1"]);
  });

  it("forgets work that failed, so that the next attempt does it", async () => {
    vi.spyOn(console, "error").mockImplementation(() => {});
    fails = true;
    expect(await post(signed("dlv_2"))).toBe(500);
    fails = false;
    expect(await post(signed("dlv_2"))).toBe(200);
    expect(handled).toContain("dlv_2");
  });

  it("sends a duplicate away while the first is at work, and takes over from one that died", async () => {
    const { handle } = services;
    let release = () => {};
    const dead = new Promise<void>((resolve) => {
      release = resolve;
    });
    const begun = new Promise<void>((resolve) => {
      const hangs = () => {
        resolve();
        return dead;
      };
      services = { ...services, handle: hangs };
    });
    const first = post(signed("dlv_3"));
    await begun;
    services = { ...services, handle };
    expect(await post(signed("dlv_3"))).toBe(503);
    expect(await post(signed("dlv_3"), Date.now() + 62_000)).toBe(200);
    release();
    expect(await first).toBe(200);
    expect(handled.filter((id) => id === "dlv_3")).toHaveLength(1);
  });

  it("refuses a wrong signature with 401, and what is no webhook with 400", async () => {
    expect(await post({ ...signed("dlv_4"), "webhook-id": "dlv_5" })).toBe(401);
    expect(await post({})).toBe(400);
    expect(handled).not.toContain("dlv_5");
  });
});

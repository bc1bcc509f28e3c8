import { QueryCommand } from "@aws-sdk/client-dynamodb";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { DynamoFaultTable } from "../../../functions/adapters/aws/fault-table.js";
import { duePartition, shardOf } from "../../../functions/adapters/aws/keys.js";
import { MemoryContentStore } from "../../../functions/adapters/memory/memory-content-store.js";
import { keepFault } from "../../../functions/app/faults/keep-fault.js";
import { redriveFault } from "../../../functions/app/faults/redrive-fault.js";
import { decodeMessage, encodeMessage } from "../../../functions/app/messages.js";
import type { DeliveryMessage } from "../../../functions/app/ports.js";
import { startTable, type TestTable } from "../../support/dynalite.js";

let table: TestTable;
const contents = new MemoryContentStore();
const nowMs = Date.UTC(2026, 0, 1);
beforeAll(async () => {
  table = await startTable();
});
afterAll(() => table.close());

const faultTable = () => new DynamoFaultTable({ client: () => table.client, tableName: table.tableName }, contents, 30);
const message: DeliveryMessage = {
  v: 1,
  kind: "delivery",
  deliveryId: "dlv_1",
  eventId: "evt_1",
  sourceId: "demo",
  subscriptionId: "sub_1",
  attempt: 2,
  dueAtMs: nowMs,
};
const record = (messageId: string, body: string, cause: string | null = "Error: no table") =>
  ({ queue: "delivery", messageId, body, cause }) as const;

async function listed(faultId: string): Promise<boolean> {
  const answer = await table.client.send(
    new QueryCommand({
      TableName: table.tableName,
      IndexName: "due",
      KeyConditionExpression: "dpk = :list",
      ExpressionAttributeValues: { ":list": { S: duePartition("FAULT", shardOf(faultId)) } },
    }),
  );
  return (answer.Items ?? []).some((item) => item["pk"]?.S === `FLT#${faultId}`);
}

describe("a fault", () => {
  it("is kept with its cause, what it names and its body, and is listed", async () => {
    const faults = faultTable();
    const { faultId } = await keepFault(faults, record("m-1", encodeMessage(message)), nowMs);
    expect(await faults.findFault(faultId)).toEqual({
      faultId,
      queue: "delivery",
      cause: "Error: no table",
      messageId: "m-1",
      faultedAtMs: nowMs,
      times: 1,
      redrivenAtMs: null,
      eventId: "evt_1",
      deliveryId: "dlv_1",
      subscriptionId: "sub_1",
    });
    expect(await faults.faultBody(faultId)).toBe(encodeMessage(message));
    expect(await listed(faultId)).toBe(true);
  });

  it("is kept whatever its body is, also one that no item could hold", async () => {
    const faults = faultTable();
    const body = "x".repeat(1_000_000);
    const { faultId } = await keepFault(faults, record("m-2", body, null), nowMs);
    expect(await faults.findFault(faultId)).toMatchObject({ eventId: null, deliveryId: null });
    expect((await faults.findFault(faultId))?.cause).toContain("the function crashed");
    expect(await faults.faultBody(faultId)).toBe(body);
  });

  it("goes back to its queue in the name of its first message, and leaves the list", async () => {
    const faults = faultTable();
    const fault = await keepFault(faults, record("m-3", encodeMessage(message)), nowMs);
    const sent: string[] = [];
    const sendBack = async (_queue: string, body: string) => void sent.push(body);
    await redriveFault({ faults, sendBack }, fault, nowMs + 1000);
    expect(decodeMessage(sent[0] ?? "")).toEqual({ ...message, as: "m-3" });
    expect(await listed(fault.faultId)).toBe(false);
    expect(await faults.findFault(fault.faultId)).toMatchObject({ redrivenAtMs: nowMs + 1000 });
  });

  it("is the same fault when it is moved twice, and a fault again when it fails again", async () => {
    const faults = faultTable();
    const first = await keepFault(faults, record("m-4", encodeMessage(message)), nowMs);
    await keepFault(faults, record("m-4", encodeMessage(message), "Error: other"), nowMs + 1);
    expect(await faults.findFault(first.faultId)).toMatchObject({ cause: "Error: no table" });
    const sent: string[] = [];
    const sendBack = async (_queue: string, body: string) => void sent.push(body);
    await redriveFault({ faults, sendBack }, { ...first, times: 2 }, nowMs + 2);
    // It comes back under an id of its own, whoever moved it and whether or not it could be read.
    await keepFault(faults, record("m-5", sent[0] ?? "", "Error: still"), nowMs + 3);
    expect(await faults.findFault(first.faultId)).toMatchObject({
      cause: "Error: still",
      messageId: "m-4",
      times: 3,
      redrivenAtMs: null,
    });
    expect(await listed(first.faultId)).toBe(true);
  });

  it("that no version could read is the same fault when it fails again", async () => {
    const faults = faultTable();
    const first = await keepFault(faults, record("m-6", '{"v":9}'), nowMs);
    const sent: string[] = [];
    await redriveFault({ faults, sendBack: async (_queue, body) => void sent.push(body) }, first, nowMs);
    const again = await keepFault(faults, record("m-7", sent[0] ?? ""), nowMs);
    expect(again).toMatchObject({ faultId: first.faultId, messageId: "m-6" });
  });

  it("stays on the list when it has failed again before its redrive was noted", async () => {
    const faults = faultTable();
    const first = await keepFault(faults, record("m-8", encodeMessage(message)), nowMs);
    const sendBack = async (_queue: string, body: string) => {
      await keepFault(faults, record("m-9", body), nowMs + 1);
    };
    await redriveFault({ faults, sendBack }, first, nowMs + 2);
    expect(await listed(first.faultId)).toBe(true);
    expect(await faults.findFault(first.faultId)).toMatchObject({ times: 2, redrivenAtMs: null });
  });

  it("that is no JSON is the same fault when it fails again, with the text that it had", async () => {
    const faults = faultTable();
    const fault = await keepFault(faults, record("m-5", "not json"), nowMs);
    const sent: string[] = [];
    await redriveFault({ faults, sendBack: async (_queue, body) => void sent.push(body) }, fault, nowMs);
    const again = await keepFault(faults, record("m-10", sent[0] ?? ""), nowMs);
    expect(again).toMatchObject({ faultId: fault.faultId, messageId: "m-5" });
  });
});

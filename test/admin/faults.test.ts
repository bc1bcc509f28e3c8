import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { keepFault } from "../../functions/app/faults/keep-fault.js";
import { decodeControl, decodeMessage, encodeMessage } from "../../functions/app/messages.js";
import type { DeliveryMessage, EventMessage } from "../../functions/app/ports.js";
import type { Fault } from "../../functions/core/model.js";
import { type AdminRelay, startAdminRelay } from "../support/admin-relay.js";
import { anEvent } from "../support/builders.js";

const dayMs = 86_400_000;

const deliveryMessage: DeliveryMessage = {
  v: 1,
  kind: "delivery",
  deliveryId: "dlv_1",
  eventId: "evt_1",
  sourceId: "shop",
  subscriptionId: "sub_1",
  attempt: 2,
  dueAtMs: 5,
};

describe("the admin API's faults", () => {
  let relay: AdminRelay;

  beforeEach(async () => {
    relay = await startAdminRelay();
  });

  afterEach(() => relay.close());

  const json = { headers: { "content-type": "application/json" } };
  const redrive = (faultId: string) => relay.call("POST", `/admin/faults/${faultId}/redrive`, undefined, json);

  async function faulted(messageId: string, body: string, queue: Fault["queue"] = "delivery"): Promise<string> {
    const record = { queue, messageId, body, cause: "Error: table on fire" } as const;
    relay.clock.nowMs += 1_000;
    return (await keepFault(relay.context.faults, record, relay.clock.nowMs)).faultId;
  }

  async function listed(): Promise<string[]> {
    const { status, body } = await relay.call("GET", "/admin/faults");
    expect(status).toBe(200);
    return body.items.map(({ faultId }: { faultId: string }) => faultId);
  }

  test("are listed newest first, with what their messages name, and without these", async () => {
    const first = await faulted("m-1", encodeMessage(deliveryMessage));
    const second = await faulted("m-2", '{"v":9}', "control");
    const { body } = await relay.call("GET", "/admin/faults");
    expect(body).toEqual({
      items: [
        {
          faultId: second,
          queue: "control",
          cause: "Error: table on fire",
          messageId: "m-2",
          faultedAt: "2026-01-31T12:00:02.000Z",
          times: 1,
          redrivenAt: null,
          eventId: null,
          deliveryId: null,
          subscriptionId: null,
        },
        expect.objectContaining({
          faultId: first,
          queue: "delivery",
          eventId: "evt_1",
          deliveryId: "dlv_1",
          subscriptionId: "sub_1",
        }),
      ],
      cursor: null,
    });
  });

  test("come page by page, each once, also when more arrive meanwhile", async () => {
    const ids: string[] = [];
    for (let n = 0; n < 7; n += 1) ids.unshift(await faulted(`m-${n}`, "?"));
    const found: string[] = [];
    let query = "limit=3";
    for (;;) {
      const { body } = await relay.call("GET", "/admin/faults", undefined, { query });
      expect(body.items.length).toBeLessThanOrEqual(3);
      found.push(...body.items.map(({ faultId }: { faultId: string }) => faultId));
      if (body.cursor === null) break;
      await faulted(`late-${found.length}`, "?");
      query = `limit=3&cursor=${body.cursor}`;
    }
    expect(found).toEqual(ids);
  });

  test("refuse a parameter that there is not, and a cursor of another list", async () => {
    const unknown = await relay.call("GET", "/admin/faults", undefined, { query: "status=waiting" });
    expect([unknown.status, unknown.body.code]).toEqual([400, "invalid_request"]);
    const other = await relay.call("GET", "/admin/faults", undefined, { query: "cursor=WyJ4IiwieSJd" });
    expect([other.status, other.body.code]).toEqual([400, "invalid_cursor"]);
  });

  test("are shown with their message, but without what a provider sent in it", async () => {
    const event = anEvent(undefined, { eventId: "evt_1", sourceId: "shop" });
    const packed = Buffer.from("a body of the provider's ".repeat(50));
    const message: EventMessage = { v: 1, kind: "event", event, content: { at: "inline", packed } };
    const text = encodeMessage(message);
    const faultId = await faulted("m-1", text);
    const { status, body } = await relay.call("GET", `/admin/faults/${faultId}`);
    expect(status).toBe(200);
    expect(body).toMatchObject({ faultId, eventId: "evt_1", message: { bytes: text.length, cut: false } });
    const { content, ...rest } = JSON.parse(body.message.text);
    expect(rest).toEqual({ v: 1, kind: "event", event });
    expect(content).toEqual({ at: "inline", packed: `(${packed.toString("base64").length} characters)` });
  });

  test("show the beginning only of what is no message of ours, harmlessly", async () => {
    const faultId = await faulted("m-1", `\u001b[2J${"é".repeat(1_000)}`);
    const { body } = await relay.call("GET", `/admin/faults/${faultId}`);
    expect(body.message).toEqual({ bytes: 2_004, text: `\\u{1b}[2J${"é".repeat(252)}`, cut: true });
  });

  test.each([
    ["many short fields", JSON.stringify(Array.from({ length: 5_000 }, (_value, index) => `field ${index}`)), 2_048],
    ["deep nesting", "[".repeat(50_000) + "]".repeat(50_000), 256],
  ])("are cut when the message has %s", async (_what, text, shown) => {
    const faultId = await faulted("m-1", text);
    const { body } = await relay.call("GET", `/admin/faults/${faultId}`);
    expect(body.message).toEqual({ bytes: text.length, text: text.slice(0, shown), cut: true });
  });

  test("with a body that lies in the bucket are shown and sent back too", async () => {
    const text = `{"v":9,"x":"${"y".repeat(300_000)}"}`;
    const faultId = await faulted("m-1", text);
    expect([...relay.contents.keys()]).toEqual([`faults/${faultId}`]);
    const { body } = await relay.call("GET", `/admin/faults/${faultId}`);
    expect(body.message).toEqual({ bytes: text.length, text: '{"v":9,"x":"(300000 characters)"}', cut: false });
    await redrive(faultId);
    expect(relay.sentBack[0]?.body).toContain("y".repeat(300_000));
  });

  test("go back to the queue that they came from, in the name of their first message, and leave the list", async () => {
    const delivery = await faulted("m-1", encodeMessage(deliveryMessage));
    const control = await faulted("m-2", '{"v":9}', "control");
    relay.clock.nowMs += 1_000;
    const { status, body } = await redrive(delivery);
    expect([status, body.redrivenAt]).toEqual([200, "2026-01-31T12:00:03.000Z"]);
    await redrive(control);
    expect(relay.sentBack.map(({ queue }) => queue)).toEqual(["delivery", "control"]);
    expect(JSON.parse(relay.sentBack[0]?.body ?? "")).toEqual({ ...deliveryMessage, as: "m-1" });
    expect(await listed()).toEqual([]);
    expect((await relay.call("GET", `/admin/faults/${delivery}`)).body.redrivenAt).toBe("2026-01-31T12:00:03.000Z");
    expect(relay.lines.filter(({ message }) => message === "admin write")).toMatchObject([
      { fields: { operation: "fault.redrive", path: `/admin/faults/${delivery}/redrive`, statusCode: 200 } },
      { fields: { operation: "fault.redrive" } },
    ]);
  });

  test("are not sent back again, until they have failed again: then they are listed as the same fault", async () => {
    const faultId = await faulted("m-1", encodeMessage(deliveryMessage));
    await redrive(faultId);
    const again = await redrive(faultId);
    expect([again.status, again.body.code]).toEqual([409, "already_redriven"]);
    expect(relay.sentBack).toHaveLength(1);

    expect(await faulted("m-of-the-redrive", relay.sentBack[0]?.body ?? "")).toBe(faultId);
    expect(await listed()).toEqual([faultId]);
    expect((await redrive(faultId)).body).toMatchObject({ faultId, messageId: "m-1", times: 2 });
    expect(JSON.parse(relay.sentBack[1]?.body ?? "")).toMatchObject({ as: "m-1" });
  });

  test.each([
    ["zzz", "message is not JSON"],
    ["[1]", "message is not an object"],
    ['{"text":"a"}', "v is not a version that this relay reads (1)"],
  ])("are the same one again also where the message has no place for a name: %s", async (text, reason) => {
    const faultId = await faulted("m-1", text, "control");
    for (const times of [2, 3]) {
      await redrive(faultId);
      const sentBack = relay.sentBack.at(-1)?.body ?? "";
      for (const decode of [decodeControl, decodeMessage]) expect(() => decode(sentBack)).toThrow(reason);
      expect(await faulted("m-of-the-redrive", sentBack, "control")).toBe(faultId);
      expect(await listed()).toEqual([faultId]);
      const { body } = await relay.call("GET", `/admin/faults/${faultId}`);
      expect(body).toMatchObject({ messageId: "m-1", times, redrivenAt: null });
      if (!text.startsWith("{")) expect(body.message).toEqual({ bytes: text.length, text, cut: false });
    }
  });

  test("stay on the list when they could not be sent back", async () => {
    await relay.close();
    relay = await startAdminRelay({ sendBack: () => Promise.reject(new Error("SQS is away")) });
    const faultId = await faulted("m-1", "?");
    expect((await redrive(faultId)).status).toBe(500);
    expect(await listed()).toEqual([faultId]);
  });

  test("want a write to be marked as JSON, and an id that is known", async () => {
    const faultId = await faulted("m-1", "?");
    expect((await relay.call("POST", `/admin/faults/${faultId}/redrive`)).status).toBe(415);
    for (const answer of [await redrive("flt_0"), await relay.call("GET", "/admin/faults/flt_0")]) {
      expect([answer.status, answer.body.code]).toEqual([404, "unknown_fault"]);
    }
  });

  test("are gone once the retention after their redrive has passed, and not before it", async () => {
    const [waiting, sentBack] = [await faulted("m-1", "?"), await faulted("m-2", "?")];
    await redrive(sentBack);
    const statuses = async () =>
      Promise.all([waiting, sentBack].map(async (id) => (await relay.call("GET", `/admin/faults/${id}`)).status));
    relay.clock.nowMs += 30 * dayMs;
    expect(await statuses()).toEqual([200, 200]);
    relay.clock.nowMs += 1;
    expect(await statuses()).toEqual([200, 404]);
  });

  test("are counted among the stats while they wait", async () => {
    const [first] = [await faulted("m-1", "?"), await faulted("m-2", "?")];
    const count = async () => (await relay.call("GET", "/admin/stats")).body.faults;
    expect(await count()).toEqual({ count: 2, atLeast: false });
    await redrive(first);
    expect(await count()).toEqual({ count: 1, atLeast: false });
  });
});

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decodeMessage, encodeMessage, UnreadableMessageError } from "../../functions/app/messages.js";
import type { DeliveryMessage, EventMessage } from "../../functions/app/ports.js";

const event: EventMessage = {
  v: 1,
  kind: "event",
  event: {
    eventId: "evt_0123456789abcdefghjkmnpqrs",
    sourceId: "stripe",
    method: "POST",
    suffix: "/a b",
    query: "x=1",
    type: "invoice.paid",
    receivedAtMs: 1_700_000_000_000,
    bodySha256: "a".repeat(64),
    bodyBytes: 12,
    verifiedBy: "sec_1",
    dedupeKey: "evt_stripe_1",
  },
  content: { at: "inline", packed: Buffer.from([1, 0, 255, 254]) },
};

const delivery: DeliveryMessage = {
  v: 1,
  kind: "delivery",
  deliveryId: "dlv_0123456789abcdefghjkmnpqrs",
  eventId: "evt_0123456789abcdefghjkmnpqrs",
  sourceId: "stripe",
  subscriptionId: "sub_0123456789abcdefghjkmnpqrs",
  attempt: 2,
  dueAtMs: 1_700_000_030_000,
};

const inBucket: EventMessage = { ...event, content: { at: "bucket", key: "bodies/evt_1/abc" } };

/** The message's JSON with one field, named by its path, set to another value (undefined: left out). */
function changed(message: EventMessage | DeliveryMessage, path: string, value: unknown): string {
  const json = JSON.parse(encodeMessage(message));
  const names = path.split(".");
  const last = names.pop() as string;
  names.reduce((fields, name) => fields[name], json)[last] = value;
  return JSON.stringify(json);
}

describe("a queue message", () => {
  it.each([
    ["an event with its content", event],
    ["an event that points to the bucket", inBucket],
    [
      "an event with all that may be null",
      { ...event, event: { ...event.event, type: null, verifiedBy: null, dedupeKey: null } },
    ],
    ["a delivery", delivery],
    ["a delivery that was parked before its first attempt", { ...delivery, attempt: 1, stored: true } as const],
    ["a delivery whose own message is lost, in its name", { ...delivery, as: "message-1", repair: true } as const],
  ])("gives back %s", (_, message) => {
    expect(decodeMessage(encodeMessage(message))).toEqual(message);
  });

  it("is ASCII whatever the texts hold, so that SQS takes it and its length is its size", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), fc.uint8Array(), (text, bytes) => {
        const message: EventMessage = {
          ...event,
          event: {
            ...event.event,
            suffix: `/${text}`,
            query: text,
            type: text,
            dedupeKey: `${text}\uffff\ufffe\u0007`,
          },
          content: { at: "inline", packed: Buffer.from(bytes) },
        };
        const encoded = encodeMessage(message);
        expect(encoded).toMatch(/^[\u0020-\u007e]*$/);
        expect(decodeMessage(encoded)).toEqual(message);
      }),
    );
  });

  it("may hold fields that a newer writer added", () => {
    expect(decodeMessage(changed(delivery, "slot", 7))).toEqual(delivery);
    expect(decodeMessage(changed(event, "event.region", "eu"))).toEqual(event);
  });

  it.each([
    ["v", 2],
    ["v", undefined],
    ["kind", "tick"],
    ["deliveryId", "evt_1"],
    ["eventId", 7],
    ["sourceId", "a/b"],
    ["subscriptionId", undefined],
    ["attempt", 0],
    ["attempt", 1.5],
    ["dueAtMs", "soon"],
    ["dueAtMs", null],
  ])("of a delivery is refused when %s is %j, naming it", (path, value) => {
    expect(() => decodeMessage(changed(delivery, path, value))).toThrow(UnreadableMessageError);
    expect(() => decodeMessage(changed(delivery, path, value))).toThrow(new RegExp(`^${path} is `));
  });

  it.each([
    ["event", null],
    ["event.eventId", "evt_"],
    ["event.sourceId", ""],
    ["event.method", "post"],
    ["event.suffix", "a"],
    ["event.query", null],
    ["event.type", 1],
    ["event.receivedAtMs", -1],
    ["event.bodySha256", "A".repeat(64)],
    ["event.bodyBytes", undefined],
    ["event.verifiedBy", undefined],
    ["event.dedupeKey", {}],
    ["content", []],
    ["content.at", "table"],
    ["content.packed", undefined],
    ["content.packed", "@@@@"],
    ["content.packed", "AAA"],
  ])("of an event is refused when %s is %j, naming it", (path, value) => {
    const name = path.replace("event.", "").replace("content.packed", "packed");
    expect(() => decodeMessage(changed(event, path, value))).toThrow(UnreadableMessageError);
    expect(() => decodeMessage(changed(event, path, value))).toThrow(new RegExp(`^${name} is `));
  });

  it.each(["", "{", "null", "[]", '"text"', "7"])("is refused when the text is %j", (text) => {
    expect(() => decodeMessage(text)).toThrow(UnreadableMessageError);
  });
});

import { randomBytes } from "node:crypto";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { decodeMessage, decodeTick } from "../../../functions/app/messages.js";
import type {
  ControlInbox,
  ControlQueue,
  DeadLetterMessage,
  DeadLetterQueue,
  DeliveryMessage,
  DeliveryQueue,
  EventMessage,
  EventQueue,
  TickMessage,
} from "../../../functions/app/ports.js";
import { deliveryIdOf, freshEventId } from "../../../functions/core/ids.js";
import { anEvent } from "../../support/builders.js";
import { aSubscriptionId } from "./some-deliveries.js";

export interface ReceivedMessage {
  readonly messageId: string;
  readonly receiptHandle: string;
  readonly body: string;
  readonly groupId: string | null;
  readonly receiveCount: number;
}

export type QueueName = "delivery" | "slow" | "control" | "deadLetter";

/** Queues of one's own, empty, and who receives from them. */
export interface QueuesSubject {
  readonly queues: EventQueue & DeliveryQueue & DeadLetterQueue & ControlQueue & ControlInbox;
  /** What is visible at this moment. */
  receive(queue: QueueName): Promise<readonly ReceivedMessage[]>;
  remove(queue: QueueName, receiptHandle: string): Promise<void>;
  now(): number;
  /** Lets time pass, or nothing where time passes by itself. */
  pass(seconds: number): void;
  readonly patienceMs: number;
}

/** What senders rely on, as a receiver sees it. */
export function queuesContract(makeSubject: () => Promise<QueuesSubject>): void {
  let subject: QueuesSubject;
  beforeEach(async () => {
    subject = await makeSubject();
  });

  describe("an event", () => {
    it("arrives as it was sent, in its source's group", async () => {
      for (const packed of [Buffer.alloc(0), Buffer.from([0, 1, 254, 255]), randomBytes(700_000)]) {
        const message = anEventMessage(subject.now(), { at: "inline", packed });
        await subject.queues.sendEvent(message);
        const [received] = await takeAll(subject, "delivery", 1);
        const { content, ...rest } = decodeMessage(received?.body ?? "") as EventMessage;
        expect({ ...rest, content: message.content }).toEqual(message);
        expect(content.at === "inline" && content.packed.equals(packed)).toBe(true);
        expect(received).toMatchObject({ groupId: "demo", receiveCount: 1 });
      }
    });

    it("arrives with characters that no queue takes as they are", async () => {
      const message = anEventMessage(subject.now(), { at: "bucket", key: "bodies/evt/abc" });
      const odd = {
        ...message,
        event: { ...message.event, query: "\u0000\u0007\uffff\ud800€😀", dedupeKey: "\u001b" },
      };
      await subject.queues.sendEvent(odd);
      const [received] = await takeAll(subject, "delivery", 1);
      expect(decodeMessage(received?.body ?? "")).toEqual(odd);
    });
  });

  describe("deliveries", () => {
    it("arrive each once, in their subscription's group, more than a batch at a time", async () => {
      const messages = Array.from({ length: 25 }, () => aDeliveryMessage(subject.now()));
      await subject.queues.sendDeliveries(messages, 0);
      const received = await takeAll(subject, "delivery", 25);
      const arrived = received.map(({ body }) => decodeMessage(body) as DeliveryMessage);
      expect(inOrder(arrived)).toEqual(inOrder(messages));
      expect(received.map(({ groupId }) => groupId)).toEqual(arrived.map(({ subscriptionId }) => subscriptionId));
      expect(new Set(received.map(({ messageId }) => messageId)).size).toBe(25);
    });

    it("may be none", async () => {
      await subject.queues.sendDeliveries([], 0);
      await takeAll(subject, "delivery", 0);
    });

    it("wait for their delay", async () => {
      const message = aDeliveryMessage(subject.now());
      await subject.queues.sendDeliveries([message], 2);
      expect(await subject.receive("delivery")).toEqual([]);
      subject.pass(1.999);
      expect(await subject.receive("delivery")).toEqual([]);
      subject.pass(0.001);
      const [received] = await takeAll(subject, "delivery", 1);
      expect(decodeMessage(received?.body ?? "")).toEqual(message);
    });

    it("may be delayed by 900 seconds", async () => {
      await subject.queues.sendDeliveries([aDeliveryMessage(subject.now())], 900);
      subject.pass(899.999);
      expect(await subject.receive("delivery")).toEqual([]);
    });

    it.each([901, -1, 1.5, Number.NaN])("are refused with a delay of %d seconds, every one of them", async (delay) => {
      const messages = Array.from({ length: 12 }, () => aDeliveryMessage(subject.now()));
      await expect(subject.queues.sendDeliveries(messages, delay)).rejects.toThrow();
      subject.pass(901);
      await takeAll(subject, "delivery", 0);
    });
  });

  describe("the slow lane", () => {
    it("takes the deliveries that are sent by it, in their subscription's group and with their delay", async () => {
      const messages = Array.from({ length: 12 }, () => aDeliveryMessage(subject.now()));
      await subject.queues.sendDeliveries(messages, 1, "slow");
      expect(await subject.receive("slow")).toEqual([]);
      subject.pass(1);
      const received = await takeAll(subject, "slow", 12);
      const arrived = received.map(({ body }) => decodeMessage(body) as DeliveryMessage);
      expect(inOrder(arrived)).toEqual(inOrder(messages));
      expect(received.map(({ groupId }) => groupId)).toEqual(arrived.map(({ subscriptionId }) => subscriptionId));
      await takeAll(subject, "delivery", 0);
    });

    it("takes back what came from it", async () => {
      await subject.queues.sendDeliveries([aDeliveryMessage(subject.now())], 0, "slow");
      const receiveOne = async () => {
        const [received] = await subject.receive("slow");
        if (received === undefined) throw new Error("nothing is visible");
        return received;
      };
      const waiting = { timeout: subject.patienceMs, interval: 20 };
      const first = await vi.waitFor(receiveOne, waiting);
      await subject.queues.returnAfter(first.receiptHandle, 0, "slow");
      const second = await vi.waitFor(receiveOne, waiting);
      expect(second).toMatchObject({ messageId: first.messageId, receiveCount: 2 });
    });
  });

  describe("a received message", () => {
    const sendOne = () => subject.queues.sendDeliveries([aDeliveryMessage(subject.now())], 0);
    const receiveOne = () =>
      vi.waitFor(async () => {
        const [received] = await subject.receive("delivery");
        if (received === undefined) throw new Error("nothing is visible");
        return received;
      }, waiting());
    const waiting = () => ({ timeout: subject.patienceMs, interval: 20 });

    it("is hidden, and visible at once when it is returned, counted again under the same id", async () => {
      await sendOne();
      const first = await receiveOne();
      expect(await subject.receive("delivery")).toEqual([]);
      await subject.queues.returnAfter(first.receiptHandle, 0);
      const second = await receiveOne();
      expect(second).toMatchObject({ messageId: first.messageId, body: first.body, receiveCount: 2 });
      expect(second.groupId).toBe(first.groupId);
    });

    it("is visible after the seconds with which it is returned, rounded up", async () => {
      await sendOne();
      const first = await receiveOne();
      await subject.queues.returnAfter(first.receiptHandle, 1.2);
      subject.pass(1.999);
      expect(await subject.receive("delivery")).toEqual([]);
      subject.pass(0.001);
      expect(await receiveOne()).toMatchObject({ messageId: first.messageId, receiveCount: 2 });
    });

    it("may be returned after longer than a queue hides anything, or before now", async () => {
      await sendOne();
      const first = await receiveOne();
      await subject.queues.returnAfter(first.receiptHandle, 100_000);
      await subject.queues.returnAfter(first.receiptHandle, -5);
      expect(await receiveOne()).toMatchObject({ messageId: first.messageId, receiveCount: 2 });
    });

    it("never comes again once it is removed", async () => {
      await sendOne();
      await subject.remove("delivery", (await receiveOne()).receiptHandle);
      subject.pass(43_200);
      await takeAll(subject, "delivery", 0);
    });
  });

  describe("the other queues", () => {
    it("take a dead letter, and it alone", async () => {
      const message = aDeadLetter(subject.now());
      await subject.queues.sendDeadLetter(message);
      const [received] = await takeAll(subject, "deadLetter", 1);
      expect(JSON.parse(received?.body ?? "")).toEqual(message);
      await takeAll(subject, "delivery", 0);
    });

    it("take a tick with its delay", async () => {
      const subscriptionId = aSubscriptionId(subject.now());
      const message: TickMessage = { v: 1, kind: "tick", subscriptionId, seq: 7, generation: 3 };
      await subject.queues.sendTick(message, 1);
      expect(await subject.receive("control")).toEqual([]);
      subject.pass(1);
      const [received] = await takeAll(subject, "control", 1);
      expect(decodeTick(received?.body ?? "")).toEqual(message);
      await expect(subject.queues.sendTick(message, 901)).rejects.toThrow();
    });

    it("take a tick back", async () => {
      const subscriptionId = aSubscriptionId(subject.now());
      await subject.queues.sendTick({ v: 1, kind: "tick", subscriptionId, seq: 7, generation: 3 }, 0);
      const receiveOne = async () => {
        const [received] = await subject.receive("control");
        if (received === undefined) throw new Error("nothing is visible");
        return received;
      };
      const waiting = { timeout: subject.patienceMs, interval: 20 };
      const first = await vi.waitFor(receiveOne, waiting);
      await subject.queues.returnTick(first.receiptHandle, 0);
      expect(await vi.waitFor(receiveOne, waiting)).toMatchObject({ messageId: first.messageId, receiveCount: 2 });
    });
  });
}

/** Receives and removes exactly `count` messages: no more are there when those have come. */
async function takeAll(subject: QueuesSubject, queue: QueueName, count: number): Promise<ReceivedMessage[]> {
  const taken: ReceivedMessage[] = [];
  const takeMore = async () => {
    for (let messages = await subject.receive(queue); messages.length > 0; messages = await subject.receive(queue)) {
      taken.push(...messages);
      await Promise.all(messages.map(({ receiptHandle }) => subject.remove(queue, receiptHandle)));
    }
    expect(taken.length).toBeGreaterThanOrEqual(count);
  };
  await vi.waitFor(takeMore, { timeout: subject.patienceMs, interval: 20 });
  await takeMore();
  expect(taken).toHaveLength(count);
  return taken;
}

function anEventMessage(nowMs: number, content: EventMessage["content"]): EventMessage {
  const eventId = freshEventId(nowMs, randomBytes(16));
  return { v: 1, kind: "event", event: anEvent(undefined, { eventId, receivedAtMs: nowMs }), content };
}

/** A message for a delivery of its own. */
export function aDeliveryMessage(dueAtMs: number): DeliveryMessage {
  const [eventId, subscriptionId] = [freshEventId(dueAtMs, randomBytes(16)), aSubscriptionId(dueAtMs)];
  const ids = { deliveryId: deliveryIdOf(eventId, subscriptionId), eventId, sourceId: "demo", subscriptionId };
  return { v: 1, kind: "delivery", ...ids, attempt: 2, dueAtMs };
}

function aDeadLetter(nowMs: number): DeadLetterMessage {
  const { deliveryId, eventId, sourceId, subscriptionId } = aDeliveryMessage(nowMs);
  return {
    ...{ v: 1, kind: "dead_letter", deliveryId, eventId, sourceId, subscriptionId },
    ...{ reason: "exhausted", attempts: 3, lastOutcome: { statusCode: 503, error: null } },
    deadLetteredAt: new Date(nowMs).toISOString(),
  };
}

const inOrder = (messages: readonly DeliveryMessage[]) =>
  messages.toSorted((a, b) => (a.deliveryId < b.deliveryId ? -1 : 1));

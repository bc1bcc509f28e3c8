import { ListQueuesCommand, SendMessageBatchCommand, type SQSClient } from "@aws-sdk/client-sqs";
import { encodeMessage } from "../functions/app/messages.js";
import { packContent } from "../functions/core/content.js";
import { anEvent } from "../test/support/builders.js";

const perCall = 10;
const callsAtOnce = 4;

/** Puts events of a source straight into the delivery queue, as ingress would. */
export async function fillQueue(sqs: SQSClient, sourceId: string, count: number): Promise<void> {
  const queueUrl = await deliveryQueue(sqs);
  let next = 0;
  const fill = async (): Promise<void> => {
    while (next < count) {
      const texts = [];
      for (; texts.length < perCall && next < count; next++) texts.push(eventText(sourceId, next));
      const Entries = texts.map((body, at) => ({ Id: String(at), MessageBody: body, MessageGroupId: sourceId }));
      const { Failed = [] } = await sqs.send(new SendMessageBatchCommand({ QueueUrl: queueUrl, Entries }));
      if (Failed.length > 0) throw new Error(`${Failed.length} messages were not taken`);
    }
  };
  await Promise.all(Array.from({ length: callsAtOnce }, fill));
}

async function deliveryQueue(sqs: SQSClient): Promise<string> {
  const { QueueUrls = [] } = await sqs.send(new ListQueuesCommand({}));
  const found = QueueUrls.find((url) => /QueuesDelivery$/.test(url));
  if (found === undefined) throw new Error("the relay has no delivery queue");
  return found;
}

function eventText(sourceId: string, number: number): string {
  const body = Buffer.from(JSON.stringify({ number }));
  const event = anEvent(body, { eventId: `evt_${sourceId}_${number}`, sourceId, receivedAtMs: Date.now() });
  const packed = packContent({ headers: [["content-type", "application/json"]], body });
  return encodeMessage({ v: 1, kind: "event", event, content: { at: "inline", packed } });
}

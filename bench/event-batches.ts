import type { DeliveryContext } from "../functions/app/delivery/delivery-context.js";
import { invocationTime } from "../functions/app/delivery/invocation-time.js";
import { processBatch, type ReceivedRecord } from "../functions/app/delivery/process-batch.js";
import { encodeMessage } from "../functions/app/messages.js";
import { packContent } from "../functions/core/content.js";
import { anEvent } from "../test/support/builders.js";

const invocationMs = 90_000;

/** As the function receives them. */
export const batchSize = 10;

/** Texts of messages of new events, numbered from `first` on, each with this body. */
export function eventMessages(first: number, count: number, body: Buffer): string[] {
  const packed = packContent({ headers: [["content-type", "application/json"]], body });
  return Array.from({ length: count }, (_, at) => {
    const event = anEvent(body, { eventId: `evt_${first + at}`, receivedAtMs: Date.now() });
    return encodeMessage({ v: 1, kind: "event", event, content: { at: "inline", packed } });
  });
}

/** All of these messages, one invocation of ten after the other. Rejects when a message would come back. */
export async function processInBatches(context: DeliveryContext, messages: readonly string[]): Promise<void> {
  for (let at = 0; at < messages.length; at += batchSize) {
    const records: ReceivedRecord[] = messages.slice(at, at + batchSize).map((body, place) => {
      const messageId = `message-${at + place}`;
      return { messageId, receiptHandle: messageId, receiveCount: 1, firstReceivedAtMs: Date.now(), body };
    });
    const failed = await processBatch(context, records, invocationTime(Date.now(), invocationMs));
    if (failed.length > 0) throw new Error(`${failed.length} messages were not processed`);
  }
}

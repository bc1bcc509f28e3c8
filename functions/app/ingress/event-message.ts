import type { EventMeta } from "../../core/model.js";
import { contentKey } from "../delivery/stored-content.js";
import { encodeMessage } from "../messages.js";
import type { ContentStore, EventMessage } from "../ports.js";

/**
 * SQS takes 1,048,576 bytes with attributes. The margin is for what a later version adds to a message on its way
 * through the queues.
 */
const maxMessageBytes = 1_048_576 - 4_096;

/** The content goes along when it fits; else it is put into the bucket first, and the message says where. */
export async function eventMessage(
  contents: Pick<ContentStore, "put">,
  event: EventMeta,
  packed: Buffer,
): Promise<EventMessage> {
  const key = contentKey(event);
  const pointing: EventMessage = { v: 1, kind: "event", event, content: { at: "bucket", key } };
  const inlineBytes = encodeMessage(pointing).length + Math.ceil(packed.length / 3) * 4;
  if (inlineBytes <= maxMessageBytes) return { ...pointing, content: { at: "inline", packed } };
  await contents.put(key, packed);
  return pointing;
}

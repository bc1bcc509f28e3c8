import { unpackContent } from "../../core/content.js";
import type { EventContent, EventMeta } from "../../core/model.js";
import { bodiesPrefix } from "../../shared/bucket-layout.js";
import type { ContentRef } from "../ports.js";
import type { DeliveryContext } from "./delivery-context.js";
import type { SendableEvent } from "./turn.js";

/**
 * Largest packed content, in bytes, that rests on the event item. DynamoDB bills each KB of a write ($0.625 per
 * million), S3 one request of any size ($5 per million): from 8 KB on the bucket is cheaper.
 */
export const inlineAtRestBytes = 8 * 1024;

/** Key of an event's content in the bucket. The hash keeps a duplicate with another body from replacing it. */
export function contentKey(event: Pick<EventMeta, "eventId" | "bodySha256">): string {
  return `${bodiesPrefix}${event.eventId}/${event.bodySha256}`;
}

/** Loads what a reference points to. */
async function loadContent(context: Pick<DeliveryContext, "contents">, ref: ContentRef): Promise<EventContent> {
  return unpackContent(ref.at === "inline" ? ref.packed : await context.contents.get(ref.key));
}

/** Gives a content: loads it when it is first called, and not again. */
export type LoadContent = () => Promise<EventContent>;

export function contentLoader(context: Pick<DeliveryContext, "contents">, ref: ContentRef): LoadContent {
  let loading: Promise<EventContent> | undefined;
  return () => {
    loading ??= loadContent(context, ref);
    return loading;
  };
}

/** Brings a content to rest: small ones stay in line, large ones go to the bucket. */
export async function restContent(
  context: Pick<DeliveryContext, "contents">,
  event: EventMeta,
  ref: ContentRef,
): Promise<ContentRef> {
  if (ref.at === "bucket" || ref.packed.length <= inlineAtRestBytes) return ref;
  const key = contentKey(event);
  await context.contents.put(key, ref.packed);
  return { at: "bucket", key };
}

/** Gives the loader of a stored event. */
export type StoredEventLoaders = (eventId: string) => () => Promise<SendableEvent>;

/** Loads each stored event at most once: the messages of a fan-out mostly come together. */
export function storedEventLoaders(context: DeliveryContext): StoredEventLoaders {
  const loading = new Map<string, Promise<SendableEvent>>();
  return (eventId) => () => {
    const event = loading.get(eventId) ?? loadStored(context, eventId);
    loading.set(eventId, event);
    return event;
  };
}

const noContent: EventContent = { headers: [], body: Buffer.alloc(0) };
const store = async (): Promise<void> => {};

async function loadStored(context: DeliveryContext, eventId: string): Promise<SendableEvent> {
  const stored = await context.events.findEvent(eventId);
  if (stored === null) throw new Error(`event ${eventId} is announced, but not stored`);
  if (stored.erasedAtMs !== undefined) return { event: stored.event, content: noContent, erased: true, store };
  const content = await loadContent(context, stored.content);
  return { event: stored.event, content, store };
}

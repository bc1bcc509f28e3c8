import { continueAs, encodeDeadLetter, encodeMessage, encodeTick } from "../../functions/app/messages.js";
import type { DeliveryMessage } from "../../functions/app/ports.js";
import * as subjects from "./subjects.js";

const { event, deliveryId, sourceId, subscriptionId, startMs, packed, bucketKey, guard } = subjects;

const delivery: DeliveryMessage = {
  v: 1,
  kind: "delivery",
  deliveryId,
  eventId: event.eventId,
  sourceId,
  subscriptionId,
  attempt: 2,
  dueAtMs: startMs + 10_050,
};

/** Every kind of message as today's code writes it, by the fixtures' names. */
export function writtenMessages(): ReadonlyMap<string, Record<string, unknown>> {
  const texts: Record<string, string> = {
    "event-inline": encodeMessage({ v: 1, kind: "event", event, content: { at: "inline", packed } }),
    "event-bucket": encodeMessage({ v: 1, kind: "event", event, content: { at: "bucket", key: bucketKey } }),
    "event-released": encodeMessage({
      v: 1,
      kind: "event",
      event: {
        ...event,
        verifiedBy: null,
        dedupeKey: null,
        dedupeMissed: "not_json",
        releasedFrom: subjects.quarantinedId,
      },
      content: { at: "inline", packed },
    }),
    delivery: encodeMessage(delivery),
    "delivery-stored": encodeMessage({ ...delivery, attempt: 1, stored: true }),
    "delivery-repair": encodeMessage({ ...delivery, attempt: 1, repair: true }),
    "delivery-redriven": continueAs(encodeMessage(delivery), guard),
    "delivery-with-slot": encodeMessage({ ...delivery, as: guard, slotAtMs: startMs + 70_000 }),
    tick: encodeTick({ v: 1, kind: "tick", subscriptionId, seq: 4, generation: 3 }),
    "tick-asked-for": encodeTick({ v: 1, kind: "tick", subscriptionId, seq: null, generation: 1 }),
    "replay-tick": encodeTick({ v: 1, kind: "replay", replayId: subjects.replayJob.replayId, seq: 1 }),
    "dead-letter": encodeDeadLetter({
      v: 1,
      kind: "dead_letter",
      deliveryId,
      eventId: event.eventId,
      sourceId,
      subscriptionId,
      reason: "exhausted",
      attempts: 3,
      lastOutcome: { statusCode: 503, error: null },
      deadLetteredAt: new Date(startMs).toISOString(),
    }),
  };
  return new Map(Object.entries(texts).map(([name, text]) => [name, JSON.parse(text) as Record<string, unknown>]));
}

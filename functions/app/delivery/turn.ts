import type { DeliveryOrigin } from "../../core/delivery.js";
import type { EventContent, EventMeta } from "../../core/model.js";
import type { DeliveryMessage } from "../ports.js";

/** An event that can be sent, and the step that makes it durable beside the send. */
export interface SendableEvent {
  readonly event: EventMeta;
  readonly content: EventContent;
  /** Its content was erased, and stands here empty: it is sent to nobody. */
  readonly erased?: true;
  /** Stores the event if it is not stored yet; awaited before the attempt is recorded. */
  store(): Promise<void>;
}

/** One delivery's turn: which attempt a message announces, and where its event comes from. */
export interface Turn {
  readonly origin: Omit<DeliveryOrigin, "bodySha256" | "receivedAtMs">;
  readonly attempt: number;
  /** Nearly certain that the delivery has an item: it is read before the first write. Default: from attempt 2 on. */
  readonly stored?: boolean;
  /** The sweeper's: see {@link DeliveryMessage.repair}. */
  readonly repair?: boolean;
  /** See {@link DeliveryMessage.slotAtMs}. */
  readonly slotAtMs?: number;
  /** Given when the message itself carries the event. */
  readonly bodySha256?: string;
  /**
   * When the message's own request was received, when it carries the event. Another time than the delivery's: the
   * provider sent the event once more, where SQS would only have copied the message.
   */
  readonly receivedAtMs?: number;
  /** Loads the event; called only when an attempt may really be made. */
  load(): Promise<SendableEvent>;
}

/** The turn of a message that names a stored event. */
export function turnOf(message: DeliveryMessage, load: () => Promise<SendableEvent>): Turn {
  const { deliveryId, eventId, sourceId, subscriptionId, attempt, repair = false, slotAtMs } = message;
  const stored = message.stored === true || attempt > 1 || repair;
  const origin = { deliveryId, eventId, sourceId, subscriptionId };
  return { origin, attempt, stored, repair, load, ...(slotAtMs === undefined ? {} : { slotAtMs }) };
}

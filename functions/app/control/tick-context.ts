import type { Gate } from "../../core/model.js";
import type { WhenDue } from "../delivery/announce.js";
import type { DeliveryContext } from "../delivery/delivery-context.js";
import type { ControlQueue, DeliveryTable, ParkedList, SubscriptionSettings } from "../ports.js";

/** What a tick needs from outside. */
export interface TickContext extends WhenDue, Pick<DeliveryContext, "random" | "log" | "metrics"> {
  readonly deliveries: DeliveryTable;
  readonly subscriptions: SubscriptionSettings;
  readonly parked: ParkedList;
  readonly control: ControlQueue;
}

/** The gate's next state and what is to be sent once it is stored; the next tick of the chain goes out after that. */
export interface TickStep {
  readonly next: Gate;
  send(): Promise<void>;
}

/** A step that only moves the gate. */
export const movedOnly = (next: Gate): TickStep => ({ next, send: async () => {} });

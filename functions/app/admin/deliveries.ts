import type { Delivery, DeliveryStatus } from "../../core/model.js";
import type { AdminContext } from "./context.js";
import { decodeCursor, encodeCursor } from "./cursor.js";
import { deliverySummary, deliveryView } from "./delivery-views.js";
import { findPage } from "./pages.js";
import type { DeliveryList, ListedDelivery, UnusualState } from "./ports.js";
import { unknown } from "./problem.js";
import type { DeliveryQuery } from "./schemas.js";
import { searchedSubscriptions, tooManySubscriptions } from "./searched.js";
import { isWithin, listRange, requireOrder } from "./time-bounds.js";
import type { DeliveryView, PageView } from "./view-schemas.js";

export async function findDelivery(context: AdminContext, deliveryId: string): Promise<DeliveryView> {
  const delivery = await context.deliveries.findDelivery(deliveryId);
  if (delivery === null) throw unknown("unknown_delivery", deliveryId);
  return deliveryView(delivery);
}

/** A page of deliveries; it may be short, or empty, and still have a cursor. */
export async function listDeliveries(context: AdminContext, query: DeliveryQuery): Promise<PageView<DeliveryView>> {
  const { limit, cursor, ...filter } = query;
  const after = decodeCursor(filter, cursor);
  requireOrder(query);
  const list = await chooseList(context, query);
  const entries = context.deliveryIndex.entries(list, listRange(query, after));
  const page = await findPage(entries, limit, (batch) => readWanted(context, batch, query));
  return { items: page.items, cursor: encodeCursor(filter, page.after) };
}

const unusualStates: readonly string[] = ["retry_scheduled", "parked", "dead_lettered"] satisfies UnusualState[];

const isUnusual = (status: DeliveryStatus | undefined): status is UnusualState =>
  status !== undefined && unusualStates.includes(status);

/** The narrowest list that holds everything that was asked for. */
async function chooseList(context: AdminContext, query: DeliveryQuery): Promise<DeliveryList> {
  const { status, subscriptionId, sourceId } = query;
  const everywhere = subscriptionId === undefined && sourceId === undefined;
  if (isUnusual(status) && everywhere) return listOfAll(context, status);
  const subscriptionIds =
    subscriptionId === undefined ? await searchedSubscriptions(context, sourceId) : [subscriptionId];
  if (subscriptionIds === null) {
    const narrower = sourceId === undefined ? "a subscriptionId or a sourceId" : "a subscriptionId";
    const fix = `name ${narrower}, or a status of dead_lettered, parked or retry_scheduled without either`;
    throw tooManySubscriptions(fix);
  }
  return isUnusual(status) ? { kind: "state", state: status, subscriptionIds } : { kind: "all", subscriptionIds };
}

/**
 * A delivery keeps its place among the parked and among the dead. Among what is to be retried it moves on with every
 * attempt, and would be listed again: as long as the subscriptions are few enough, their own lists, which are ordered
 * by receipt, are read instead.
 */
async function listOfAll(context: AdminContext, state: UnusualState): Promise<DeliveryList> {
  const subscriptionIds = state === "retry_scheduled" ? await searchedSubscriptions(context, undefined) : null;
  return subscriptionIds === null ? { kind: "due", state } : { kind: "state", state, subscriptionIds };
}

async function readWanted(context: AdminContext, batch: readonly ListedDelivery[], query: DeliveryQuery) {
  const found = await context.deliveries.findDeliveries(batch.map(({ deliveryId }) => deliveryId));
  const byId = new Map(found.map((delivery) => [delivery.deliveryId, delivery]));
  return batch.map(({ deliveryId }) => {
    const delivery = byId.get(deliveryId);
    return delivery !== undefined && isWanted(delivery, query) ? deliverySummary(delivery) : null;
  });
}

/** An index lags behind: what the delivery itself says decides. */
function isWanted(delivery: Delivery, query: DeliveryQuery): boolean {
  const { status, subscriptionId, sourceId } = query;
  return (
    (status === undefined || delivery.status === status) &&
    (subscriptionId === undefined || delivery.subscriptionId === subscriptionId) &&
    (sourceId === undefined || delivery.sourceId === sourceId) &&
    isWithin(query, delivery.createdAtMs)
  );
}

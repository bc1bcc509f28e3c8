import type { Delivery, DeliveryStatus } from "../../core/model.js";
import type { AdminContext } from "./context.js";
import { decodeCursor, encodeCursor } from "./cursor.js";
import { deliverySummary, deliveryView } from "./delivery-views.js";
import type { DeliveryList, ListedDelivery, UnusualState } from "./ports.js";
import { invalidRequest, refusal, unknown } from "./problem.js";
import type { DeliveryQuery } from "./schemas.js";
import type { DeliveryView } from "./view-schemas.js";

/** Entries that one answer looks at: a rare status in a long list ends in a cursor, not in a timeout. */
const mostExamined = 1_000;
/** BatchGetItem's own limit. */
const readAtOnce = 100;
/** Subscriptions whose lists one answer merges, four partitions each. */
const mostSubscriptions = 200;

export async function findDelivery(context: AdminContext, deliveryId: string): Promise<DeliveryView> {
  const delivery = await context.deliveries.findDelivery(deliveryId);
  if (delivery === null) throw unknown("unknown_delivery", deliveryId);
  return deliveryView(delivery);
}

/**
 * A page of deliveries. A page may be short, or empty, and still have a cursor: then so many entries were looked at
 * that the search is left to the next request.
 */
export async function listDeliveries(context: AdminContext, query: DeliveryQuery) {
  const { limit, cursor, ...filter } = query;
  const after = decodeCursor(filter, cursor);
  requireOrder(query);
  const list = await chooseList(context, query);
  const range = { after, sinceMs: milliseconds(query.since), untilMs: milliseconds(query.until), expected: limit };
  const page = await collect(context, context.deliveryIndex.entries(list, range), query);
  return { items: page.deliveries.map(deliverySummary), cursor: encodeCursor(filter, page.after) };
}

function requireOrder({ since, until }: DeliveryQuery): void {
  if (since === undefined || until === undefined || Date.parse(since) < Date.parse(until)) return;
  throw invalidRequest([{ field: "until", reason: "is not after since: nothing was created in between" }]);
}

const unusualStates: readonly string[] = ["retry_scheduled", "parked", "dead_lettered"] satisfies UnusualState[];

const isUnusual = (status: DeliveryStatus | undefined): status is UnusualState =>
  status !== undefined && unusualStates.includes(status);

/** The narrowest list that holds everything that was asked for. */
async function chooseList(context: AdminContext, query: DeliveryQuery): Promise<DeliveryList> {
  const { status, subscriptionId, sourceId } = query;
  if (isUnusual(status) && subscriptionId === undefined && sourceId === undefined)
    return { kind: "due", state: status };
  const subscriptionIds = await askedSubscriptions(context, subscriptionId, sourceId);
  return isUnusual(status) ? { kind: "state", state: status, subscriptionIds } : { kind: "all", subscriptionIds };
}

async function askedSubscriptions(
  context: AdminContext,
  subscriptionId: string | undefined,
  sourceId: string | undefined,
): Promise<readonly string[]> {
  if (subscriptionId !== undefined) return [subscriptionId];
  const ids = sourceId === undefined ? await everySubscription(context) : await subscriptionsOf(context, sourceId);
  if (ids.length <= mostSubscriptions) return ids;
  throw refusal(
    400,
    "too_many_subscriptions",
    `More than ${mostSubscriptions} subscriptions would have to be searched: name a subscriptionId` +
      `${sourceId === undefined ? " or a sourceId" : ""}, or a status of dead_lettered, parked or retry_scheduled ` +
      "without either.",
  );
}

const subscriptionsOf = (context: AdminContext, sourceId: string): Promise<readonly string[]> =>
  context.subscriptions.subscriptionIds(sourceId, mostSubscriptions + 1);

/** Of all sources, or at least more than may be searched. */
async function everySubscription(context: AdminContext): Promise<readonly string[]> {
  const ids: string[] = [];
  let after: string | null = null;
  do {
    const page = await context.sources.listSources({ after, limit: 100 });
    const perSource = await Promise.all(page.items.map(({ sourceId }) => subscriptionsOf(context, sourceId)));
    ids.push(...perSource.flat());
    after = page.after;
  } while (after !== null && ids.length <= mostSubscriptions);
  return ids;
}

interface Collected {
  readonly deliveries: readonly Delivery[];
  /** Position of the last entry that was used up; null when the list has ended. */
  readonly after: string | null;
}

async function collect(
  context: AdminContext,
  entries: AsyncIterable<ListedDelivery>,
  query: DeliveryQuery,
): Promise<Collected> {
  const deliveries: Delivery[] = [];
  let examined = 0;
  for await (const batch of inBatches(entries, Math.min(readAtOnce, query.limit))) {
    const found = await readInOrder(context, batch);
    for (const { position, delivery } of found) {
      if (delivery !== undefined && isWanted(delivery, query)) deliveries.push(delivery);
      if (deliveries.length === query.limit) return { deliveries, after: position };
    }
    examined += batch.length;
    if (examined >= mostExamined) return { deliveries, after: batch.at(-1)?.position ?? null };
  }
  return { deliveries, after: null };
}

async function* inBatches<Entry>(entries: AsyncIterable<Entry>, size: number): AsyncGenerator<readonly Entry[]> {
  let batch: Entry[] = [];
  for await (const entry of entries) {
    batch.push(entry);
    if (batch.length < size) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

async function readInOrder(context: AdminContext, batch: readonly ListedDelivery[]) {
  const found = await context.deliveries.findDeliveries(batch.map(({ deliveryId }) => deliveryId));
  const byId = new Map(found.map((delivery) => [delivery.deliveryId, delivery]));
  return batch.map(({ deliveryId, position }) => ({ position, delivery: byId.get(deliveryId) }));
}

/** An index lags behind: what the delivery itself says decides. */
function isWanted(delivery: Delivery, { status, subscriptionId, sourceId, since, until }: DeliveryQuery): boolean {
  const [from, to] = [milliseconds(since), milliseconds(until)];
  return (
    (status === undefined || delivery.status === status) &&
    (subscriptionId === undefined || delivery.subscriptionId === subscriptionId) &&
    (sourceId === undefined || delivery.sourceId === sourceId) &&
    (from === null || delivery.createdAtMs >= from) &&
    (to === null || delivery.createdAtMs < to)
  );
}

const milliseconds = (time: string | undefined): number | null => (time === undefined ? null : Date.parse(time));

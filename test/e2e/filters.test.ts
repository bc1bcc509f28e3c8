import { afterAll, beforeAll, expect, it } from "vitest";
import { type Destination, startDestination } from "../support/destination.js";
import { eventually, isFinal, startRelay, type TestRelay } from "../support/relay.js";

let relay: TestRelay;
let destination: Destination;
beforeAll(async () => {
  relay = await startRelay();
  destination = await startDestination(200);
});
afterAll(async () => {
  await relay.close();
  await destination.close();
});

it("events go to the subscriptions whose filter takes them, byte for byte, and stay visible when nobody does", async () => {
  const sourceId = "filtered";
  const big = { json: "/id", equals: { number: "7615917337495251231" } };
  const [orders, ids] = await relay.source(
    { sourceId },
    {
      url: `${destination.url}/orders`,
      filter: { all: [{ header: "X-Topic", prefix: "orders/" }, { not: { json: "/livemode", equals: false } }] },
    },
    { url: `${destination.url}/ids`, filter: big },
  );
  const post = async (body: string | Buffer, topic: string) => {
    const answer = await relay.post(`/in/${sourceId}`, body, { "content-type": "application/json", "x-topic": topic });
    return ((await answer.json()) as { eventId: string }).eventId;
  };
  const takers = async (eventId: string) =>
    new Set((await relay.deliveries(eventId, isFinal)).map(({ subscriptionId }) => subscriptionId));
  const [toOrders, toIds] = [orders?.subscriptionId, ids?.subscriptionId];

  const body = ' {"livemode" :true,"id":7615917337495251231} ';
  expect(await takers(await post(body, "orders/paid"))).toEqual(new Set([toOrders, toIds]));
  // Too large for a message: it comes through the bucket.
  const large = Buffer.from(`{"pad":"${"x".repeat(1024 * 1024)}","id":7615917337495251231}`);
  expect(await takers(await post(large, "other"))).toEqual(new Set([toIds]));
  expect(await takers(await post("not JSON", "orders/paid"))).toEqual(new Set([toOrders]));
  const nobodys = await post('{"livemode":false,"id":7615917337495251230}', "orders/paid");
  const list = `/admin/events?sourceId=${sourceId}&state=undelivered`;
  const undelivered = await eventually(async () => {
    const { items } = await relay.admin<{ items: { eventId: string }[] }>("GET", list);
    return items.length > 0 ? items : undefined;
  });
  expect(undelivered).toMatchObject([{ eventId: nobodys }]);
  const received = await destination.received(4);
  expect(received.filter((request) => request.body.toString() === body)).toHaveLength(2);
  expect(received.filter((request) => request.body.equals(large))).toHaveLength(1);
});

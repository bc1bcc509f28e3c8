import { describe, expect, it, vi } from "vitest";
import { contentKey } from "../../../functions/app/delivery/stored-content.js";
import { packContent } from "../../../functions/core/content.js";
import type { EventMeta, Filter, Headers } from "../../../functions/core/model.js";
import { anEvent, aSubscription } from "../../support/builders.js";
import { memoryRelay } from "../../support/memory-relay.js";

const paid: Filter = { json: "/type", equals: "paid" };
const topic: Filter = { header: "X-Topic", equals: "orders" };

const subscribed = (...filters: (Filter | null)[]) =>
  filters.map((filter, index) => aSubscription({ subscriptionId: `sub_${"abc"[index]}`, filter }));

interface Given {
  readonly body?: string | Buffer;
  readonly headers?: Headers;
  readonly event?: Partial<EventMeta>;
  readonly inBucket?: boolean;
}

/** A relay that counts what it loads from the bucket. */
function counting(subscriptions: ReturnType<typeof subscribed>, answers: number[] = []) {
  const relay = memoryRelay({ subscriptions, answers });
  let loads = 0;
  const get = relay.contents.get.bind(relay.contents);
  relay.contents.get = async (key) => {
    loads++;
    return get(key);
  };
  async function accept({ body = "{}", headers = [], event: more = {}, inBucket = false }: Given) {
    const event = anEvent(Buffer.from(body), more);
    const packed = packContent({ headers, body: Buffer.from(body) });
    const key = contentKey(event);
    if (inBucket) await relay.contents.put(key, packed);
    const content = inBucket ? ({ at: "bucket", key } as const) : ({ at: "inline", packed } as const);
    await relay.queue.sendEvent({ v: 1, kind: "event", event, content });
    return event;
  }
  const targets = () => new Set([...relay.deliveries.deliveries.values()].map(({ subscriptionId }) => subscriptionId));
  return { relay, accept, targets, loads: () => loads };
}

describe("an event of a source whose subscriptions have filters", () => {
  it.each<[string, Given, readonly string[]]>([
    ["both", { body: '{"type":"paid"}', headers: [["x-topic", "orders"]] }, ["sub_a", "sub_b", "sub_c"]],
    ["the one that asks for the body", { body: '{"type":"paid"}' }, ["sub_a", "sub_c"]],
    ["the one that asks for a header", { headers: [["x-topic", "orders"]] }, ["sub_b", "sub_c"]],
    ["none of them: no JSON", { body: "type=paid" }, ["sub_c"]],
  ])("goes to those whose filter takes it: %s", async (_title, given, expected) => {
    const { relay, accept, targets } = counting(subscribed(paid, topic, null));
    const event = await accept(given);
    await relay.runToEnd();
    expect(targets()).toEqual(new Set(expected));
    expect(relay.events.events.get(event.eventId)?.subscriptionIds).toEqual(expected);
    expect(relay.requests.map(({ body }) => body.toString())).toEqual(expected.map(() => String(given.body ?? "{}")));
  });

  it("is kept and delivered to nobody when no filter takes it", async () => {
    const { relay, accept } = counting(subscribed(paid));
    const event = await accept({ body: '{"type":"open"}' });
    await relay.runToEnd();
    expect(relay.requests).toHaveLength(0);
    expect(relay.events.events.get(event.eventId)).toMatchObject({ subscriptionIds: [] });
    expect(relay.faulted).toEqual([]);
  });

  it("is asked for its type first", async () => {
    const [subscription] = subscribed(paid);
    const { relay, accept, loads } = counting([{ ...aSubscription(subscription), types: ["invoice.*"] }]);
    await accept({ body: '{"type":"paid"}', event: { type: "order.paid" }, inBucket: true });
    await relay.runToEnd();
    expect(relay.requests).toHaveLength(0);
    expect(loads()).toBe(0);
  });

  it("is loaded from the bucket once, for the filter and for the delivery that starts at once", async () => {
    const { relay, accept, loads } = counting(subscribed(paid));
    await accept({ body: '{"type":"paid"}', inBucket: true });
    await relay.runToEnd();
    expect(relay.requests).toHaveLength(1);
    expect(loads()).toBe(1);
  });

  it("is loaded and parsed once by a pass that asks the subscriptions twice, since nobody took it", async () => {
    const { relay, accept, loads } = counting(subscribed(paid, paid));
    const body = '{"type":"open"}';
    await accept({ body, inBucket: true });
    const parse = vi.spyOn(JSON, "parse");
    await relay.runToEnd();
    expect(parse.mock.calls.filter(([text]) => text === body)).toHaveLength(1);
    parse.mockRestore();
    expect(loads()).toBe(1);
  });

  it("is not loaded for a fan-out without filters", async () => {
    const { relay, accept, loads } = counting(subscribed(null, null));
    await accept({ inBucket: true });
    await relay.invoke();
    expect(relay.queue.delivery.messages.size).toBe(2);
    expect(loads()).toBe(0);
  });

  it("goes where its first pass said, whatever the filter says by then", async () => {
    const subscriptions = subscribed(paid);
    const { relay, accept } = counting(subscriptions, [503, 200]);
    await accept({ body: '{"type":"paid"}' });
    await relay.invoke();
    relay.subscriptions.set("sub_a", aSubscription({ ...subscriptions[0], filter: topic }));
    await relay.runToEnd();
    expect(relay.delivery(anEvent(), "sub_a").status).toBe("delivered");
    expect(relay.requests).toHaveLength(2);
  });

  it("is never sent with another body than the one that is stored under its identity", async () => {
    const { relay, accept } = counting(subscribed(paid), [503]);
    const identity = { dedupeKey: "in_1" };
    await accept({ body: '{"type":"open"}', event: identity });
    await relay.runToEnd();
    await accept({ body: '{"type":"paid"}', event: identity });
    await relay.runToEnd();
    expect(relay.requests).toHaveLength(0);
    expect(relay.logged).toContainEqual(expect.objectContaining({ message: "duplicate with another body, not sent" }));
  });

  it("reaches the subscription whose filter was changed, when its provider sends it again", async () => {
    const { relay, accept, targets } = counting(subscribed(topic));
    const event = await accept({ body: '{"type":"paid"}', event: { dedupeKey: "in_1" } });
    await relay.runToEnd();
    relay.subscriptions.set("sub_a", aSubscription({ filter: paid }));
    await accept({ body: '{"type":"paid"}', event: { dedupeKey: "in_1" } });
    await relay.runToEnd();
    expect(targets()).toEqual(new Set(["sub_a"]));
    expect(relay.events.events.get(event.eventId)?.subscriptionIds).toEqual(["sub_a"]);
  });

  it("waits when its content cannot be loaded: nobody guesses what a filter would say", async () => {
    const { relay, accept } = counting(subscribed(paid));
    await accept({ body: '{"type":"paid"}', inBucket: true });
    const { get } = relay.contents;
    relay.contents.get = () => Promise.reject(new Error("no answer"));
    await relay.invoke();
    expect(relay.events.events.size).toBe(0);
    expect(relay.queue.delivery.messages.size).toBe(1);
    relay.contents.get = get;
    await relay.runToEnd();
    expect(relay.requests).toHaveLength(1);
  });
});

import { describe, expect, it } from "vitest";
import { httpApiEvent } from "../support/http-api-event.js";
import { anOpenSource, ingressRig } from "../support/ingress-rig.js";

type Rig = ReturnType<typeof ingressRig>;

async function idsOf(rig: Rig, requests: readonly Parameters<typeof httpApiEvent>[0][]): Promise<unknown[]> {
  const ids = [];
  for (const request of requests) ids.push((await rig.receive(httpApiEvent(request))).json["eventId"]);
  return ids;
}

describe("the identity of an event that a provider sends again", () => {
  const shopify = anOpenSource({ dedupe: { from: "header", name: "X-Shopify-Webhook-Id" } });
  const request = (webhookId: string, eventId: string) => ({
    headers: { "x-shopify-webhook-id": webhookId, "x-shopify-event-id": eventId },
    body: '{"id":820982911946154508}',
  });

  it("is the delivery that the source's key names, not what several deliveries are about", async () => {
    const rig = ingressRig(shopify);
    const [first, again, other] = await idsOf(rig, [
      request("webhook-1", "event-1"),
      request("webhook-1", "event-1"),
      request("webhook-2", "event-1"),
    ]);
    expect(again).toBe(first);
    expect(other).not.toBe(first);
  });

  it("is what several deliveries are about where the source names that as its key", async () => {
    const rig = ingressRig(anOpenSource({ dedupe: { from: "header", name: "X-Shopify-Event-Id" } }));
    const [first, other] = await idsOf(rig, [request("webhook-1", "event-1"), request("webhook-2", "event-1")]);
    expect(other).toBe(first);
  });

  it("does not depend on the body: equal bodies are two events, a changed one under the same key is not", async () => {
    const rig = ingressRig(shopify, anOpenSource({ sourceId: "keyless" }));
    const keyless = { path: "/in/keyless", body: "{}" };
    const [one, two] = await idsOf(rig, [keyless, keyless]);
    expect(two).not.toBe(one);
    const changed = { ...request("webhook-1", "event-1"), body: '{"id":820982911946154508,"note":"changed"}' };
    const [first, again] = await idsOf(rig, [request("webhook-1", "event-1"), changed]);
    expect(again).toBe(first);
  });

  it("can be a path into the body, for one message that comes under many event ids", async () => {
    const rig = ingressRig(anOpenSource({ dedupe: { from: "json", pointer: "/event/event_ts" } }));
    const slack = (eventId: string) => ({
      body: JSON.stringify({ event_id: eventId, event: { event_ts: "1718000000.001" } }),
    });
    const ids = await idsOf(rig, [slack("Ev1"), slack("Ev2"), slack("Ev3")]);
    expect(new Set(ids).size).toBe(1);
  });

  it("is not spent by a request that could not be kept: the provider's next try is the event", async () => {
    const rig = ingressRig(shopify);
    rig.failing.add("queue");
    const refused = await rig.receive(httpApiEvent(request("webhook-1", "event-1")));
    expect(refused.statusCode).toBe(503);
    expect(rig.queue).toEqual([]);
    rig.failing.delete("queue");
    const taken = await rig.receive(httpApiEvent(request("webhook-1", "event-1")));
    expect(taken.statusCode).toBe(202);
    expect(rig.accepted().map(({ event }) => event.eventId)).toEqual([taken.json["eventId"]]);
  });
});

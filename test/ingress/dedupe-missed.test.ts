import { describe, expect, it } from "vitest";
import type { OpenSource } from "../../functions/app/ports.js";
import { type HttpApiRequest, httpApiEvent } from "../support/http-api-event.js";
import { anOpenSource, ingressRig } from "../support/ingress-rig.js";

const json: OpenSource["dedupe"] = { from: "json", pointer: "/id" };
const header: OpenSource["dedupe"] = { from: "header", name: "X-Shopify-Webhook-Id" };

async function accept(dedupe: OpenSource["dedupe"], request: HttpApiRequest) {
  const rig = ingressRig(anOpenSource({ dedupe }));
  const answers = [await rig.receive(httpApiEvent(request)), await rig.receive(httpApiEvent(request))];
  return { answers, events: rig.accepted().map(({ event }) => event) };
}

describe("an event whose dedupe key cannot be found", () => {
  it.each<[string, OpenSource["dedupe"], HttpApiRequest, string]>([
    ["a body that is not JSON", json, { body: "id=1" }, "not_json"],
    ["no body", json, {}, "not_json"],
    ["a body of another encoding", json, { body: Buffer.from([0x1f, 0x8b, 8, 0]) }, "not_json"],
    ["no such member", json, { body: "{}" }, "no_value"],
    ["a member that is null", json, { body: '{"id":null}' }, "no_value"],
    ["a member that is an object", json, { body: '{"id":{}}' }, "no_value"],
    ["a blank one", json, { body: '{"id":"  "}' }, "no_value"],
    ["bytes that are not UTF-8", json, { body: Buffer.from('{"id":"\xe9"}', "latin1"), base64: true }, "not_text"],
    ["half of a surrogate pair", json, { body: '{"id":"\\ud800"}' }, "not_text"],
    ["one that is too long", json, { body: JSON.stringify({ id: "x".repeat(1_025) }) }, "too_long"],
    ["no such header", header, { body: "{}" }, "no_value"],
    ["an empty header", header, { headers: { "x-shopify-webhook-id": "" }, body: "{}" }, "no_value"],
  ])("is accepted under an id of its own and says why: %s", async (_, dedupe, request, missed) => {
    const { answers, events } = await accept(dedupe, request);
    expect(answers.map(({ statusCode }) => statusCode)).toEqual([202, 202]);
    expect(events.map(({ dedupeKey, dedupeMissed }) => [dedupeKey, dedupeMissed])).toEqual([
      [null, missed],
      [null, missed],
    ]);
    expect(new Set(events.map(({ eventId }) => eventId)).size).toBe(2);
  });

  it("says nothing where there is a key, or no rule", async () => {
    for (const [dedupe, body] of [
      [json, '{"id":7615917337495251231}'],
      [null, "{}"],
    ] as const) {
      const { events } = await accept(dedupe, { body });
      expect(events[0]).not.toHaveProperty("dedupeMissed");
    }
  });
});

describe("Shopify's two ids", () => {
  it("name a delivery and what it is about: the first is the key, so that two topics are two events", async () => {
    const rig = ingressRig(anOpenSource({ dedupe: header }));
    const send = async (webhookId: string, eventId: string) => {
      const headers = { "X-Shopify-Webhook-Id": webhookId, "X-Shopify-Event-Id": eventId };
      return (await rig.receive(httpApiEvent({ headers, body: "{}" }))).json["eventId"];
    };
    const [first, otherTopic, again] = [await send("w1", "e1"), await send("w2", "e1"), await send("w1", "e1")];
    expect(otherTopic).not.toBe(first);
    expect(again).toBe(first);
  });
});

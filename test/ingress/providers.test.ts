import { describe, expect, it } from "vitest";
import type { OpenSource } from "../../functions/app/ports.js";
import { providerNames, providerOf, signsUrl } from "../../functions/core/providers.js";
import { httpApiEvent } from "../support/http-api-event.js";
import { anOpenSource, ingressRig } from "../support/ingress-rig.js";
import {
  forged,
  type ProviderRequest,
  providerRequests,
  publicUrlOf,
  type SentRequest,
} from "../support/provider-requests.js";

/** Each preset against what its provider sends, through the gateway's event. */

const statusOf: Readonly<Record<OpenSource["answer"], number>> = {
  "event-id": 202,
  empty: 200,
  "no-content": 204,
  twiml: 200,
};

function sourceOf({ provider: name, secret }: ProviderRequest): OpenSource {
  const preset = providerOf(name);
  if (preset === null) throw new Error(`no preset ${name}`);
  const { verification, handshake, answer, dedupe, eventType } = preset;
  const url = signsUrl(preset) ? { publicUrl: publicUrlOf("src") } : {};
  const kept = { id: "sec_2", createdAtMs: 0 };
  return anOpenSource({
    verification: verification && { ...verification, ...url, onFailure: "reject" },
    handshake:
      handshake === null ? null : handshake === "meta" ? { kind: "meta", verifyToken: kept } : { kind: handshake },
    answer,
    dedupe,
    eventType,
    secretValues: secret === null ? [] : [{ id: "sec_1", value: secret }],
    verifyToken: handshake === "meta" ? "a token" : null,
  });
}

const eventOf = ({ headers, body, query = "" }: SentRequest) => httpApiEvent({ headers, body, query });

it("there is a request of each provider", () => {
  expect(new Set(providerRequests.map(({ provider }) => provider))).toEqual(new Set(providerNames));
  expect(providerRequests).toHaveLength(providerNames.length);
});

describe.each(providerRequests.map((each) => [each.provider, each] as const))("the preset %s", (_, sample) => {
  const source = sourceOf(sample);

  it("accepts what the provider sends, with its type and its id, and answers as it wants", async () => {
    const rig = ingressRig(source);
    const sent = sample.request(rig.nowMs);
    expect((await rig.receive(eventOf(sent))).statusCode).toBe(statusOf[source.answer]);
    const [accepted] = rig.accepted();
    expect(accepted?.event).toMatchObject({ type: sample.type, dedupeKey: sample.dedupeKey });
    expect(accepted?.content.body.toString()).toBe(sent.body);
  });

  it("takes a retry for the same event, where there is an id", async () => {
    const rig = ingressRig(source);
    for (const _ of [1, 2]) await rig.receive(eventOf(sample.request(rig.nowMs)));
    const ids = new Set(rig.accepted().map(({ event }) => event.eventId));
    expect(ids.size).toBe(sample.dedupeKey === null ? 2 : 1);
  });

  // Microsoft Graph signs nothing.
  it.skipIf(source.verification === null)("refuses what was changed, and what has no signature", async () => {
    const rig = ingressRig(source);
    const sent = sample.request(rig.nowMs);
    expect((await rig.receive(eventOf(forged(sent)))).statusCode).toBe(401);
    const unsigned = { ...sent, headers: {}, body: sent.body.replaceAll(/"[Ss]ignature":/g, '"none":') };
    expect((await rig.receive(eventOf(unsigned))).statusCode).toBe(401);
    expect(rig.accepted()).toEqual([]);
  });
});

describe("two webhooks of Shopify about one event", () => {
  it("are two events: they tell different things", async () => {
    const sample = providerRequests.find(({ provider }) => provider === "shopify") as ProviderRequest;
    const rig = ingressRig(sourceOf(sample));
    const first = sample.request(rig.nowMs);
    const second = {
      ...first,
      headers: { ...first.headers, "X-Shopify-Topic": "orders/paid", "X-Shopify-Webhook-Id": "2" },
    };
    for (const sent of [first, second]) await rig.receive(eventOf(sent));
    expect(rig.accepted().map(({ event }) => event.type)).toEqual(["orders/create", "orders/paid"]);
    expect(new Set(rig.accepted().map(({ event }) => event.eventId)).size).toBe(2);
  });
});

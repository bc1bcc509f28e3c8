import type { Destination } from "./destination.js";
import { isFinal, type TestRelay } from "./relay.js";

/** A relay in the middle of its work: delivered, retried, refused, parked and quarantined. */
export interface Scene {
  /** Refused by `crm` for good. */
  readonly refusedDeliveryId: string;
  readonly crmSubscriptionId: string;
}

const json = { "content-type": "application/json" };

/** Destinations answer by their path: `/ok`, `/refuses`, `/down`. */
export const sceneAnswers = ({ target }: { readonly target: string }) => {
  if (target.startsWith("/refuses")) return { status: 422, body: '{"error":"unknown customer"}' };
  if (target.startsWith("/down")) return { status: 503, headers: { "retry-after": "120" }, body: "maintenance" };
  return { status: 200, body: "thanks" };
};

export async function setScene(relay: TestRelay, destination: Destination): Promise<Scene> {
  destination.answer(sceneAnswers);
  const [, crm] = await relay.source(
    { sourceId: "shop", description: "Orders", eventType: { from: "json", pointer: "/type" } },
    { name: "warehouse", url: `${destination.url}/ok`, policy: { preset: "standard-webhooks" } },
    { name: "crm", url: `${destination.url}/refuses`, description: "Customers of the shop" },
  );
  await relay.source(
    {
      sourceId: "github",
      description: "Pushes and reviews",
      verification: { scheme: "github", secrets: ["a shared secret"], onFailure: "quarantine" },
    },
    { name: "builds", url: `${destination.url}/down`, policy: { preset: "notification-rules" } },
  );
  await relay.source(
    { sourceId: "billing" },
    { name: "ledger", url: `${destination.url}/down`, policy: { preset: "default" } },
  );
  await relay.post("/in/github", '{"ref":"refs/heads/main"}', { ...json, "x-hub-signature-256": "sha256=00" });
  await relay.post("/in/billing", '{"type":"invoice.paid"}', json);
  const events: string[] = [];
  for (let order = 0; order < 6; order += 1) {
    const body = JSON.stringify({
      type: "order.paid",
      order,
      amount: 1_990,
      customer: { name: "Ada", vip: order % 2 === 0 },
    });
    const answer = (await (await relay.post("/in/shop", body, json)).json()) as { eventId: string };
    events.push(answer.eventId);
  }
  const ended = await Promise.all(events.map((eventId) => relay.deliveries(eventId, isFinal)));
  const refused = ended.flat().find(({ status }) => status === "dead_lettered");
  return { refusedDeliveryId: refused?.deliveryId ?? "", crmSubscriptionId: crm?.subscriptionId ?? "" };
}

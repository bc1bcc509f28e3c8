import type { SubscriptionView as FullView } from "../../functions/app/admin/view-schemas.js";
import { type DeliveryView, eventually, gateChangeKnown, type TestRelay } from "../support/relay.js";

/** A source with one subscription of a relay, its gate, and its deliveries. */
export async function gatedSource(
  relay: TestRelay,
  sourceId: string,
  subscription: { url: string; [field: string]: unknown },
) {
  const [made] = await relay.source({ sourceId }, subscription);
  const subscriptionId = made?.subscriptionId ?? "";
  const path = `/admin/subscriptions/${subscriptionId}`;
  const eventIds: string[] = [];

  const view = () => relay.admin<FullView>("GET", path);
  const gate = async () => (await view()).gate;
  return {
    subscriptionId,
    path,
    eventIds,
    view,
    gate,
    /** The gate, once it is as asked for. */
    gateOnce: (is: (gate: FullView["gate"]) => boolean) =>
      eventually(async () => {
        const found = await gate();
        return is(found) ? found : undefined;
      }),
    /** Pauses or resumes it; afterwards every worker knows. */
    async move(to: "pause" | "resume"): Promise<FullView> {
      const moved = await relay.admin<FullView>("POST", `${path}/${to}`, {});
      await gateChangeKnown();
      return moved;
    },
    /** Publishes so many events, numbered on from those before. */
    async accept(count: number): Promise<string[]> {
      const accepted: string[] = [];
      for (let made = 0; made < count; made++) {
        const body = JSON.stringify({ n: eventIds.length + 1 });
        const answer = await relay.post(`/in/${sourceId}`, body, { "content-type": "application/json" });
        const { eventId } = (await answer.json()) as { eventId: string };
        eventIds.push(eventId);
        accepted.push(eventId);
      }
      return accepted;
    },
    /** Its deliveries of all events so far, once each of them is as asked for. */
    async deliveries(until: (delivery: DeliveryView) => boolean): Promise<DeliveryView[]> {
      const found: DeliveryView[] = [];
      for (const eventId of eventIds) found.push(...(await relay.deliveries(eventId, until)));
      return found;
    },
    /** Its deliveries of a status, as the admin API lists them. */
    async listed(status: string): Promise<DeliveryView[]> {
      const query = `status=${status}&subscriptionId=${subscriptionId}&limit=100`;
      return (await relay.admin<{ items: DeliveryView[] }>("GET", `/admin/deliveries?${query}`)).items;
    },
  };
}

export const isParked = ({ status }: DeliveryView): boolean => status === "parked";
export const statusesOf = (deliveries: readonly DeliveryView[]) => new Set(deliveries.map(({ status }) => status));
/** The number that an event was published with. */
export const numberOf = ({ body }: { readonly body: Buffer }): number =>
  (JSON.parse(body.toString()) as { n: number }).n;

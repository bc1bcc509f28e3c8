import { useState } from "preact/hooks";
import type { DeliveryView, EventView, SubscriptionView } from "../../../functions/app/admin/view-schemas.js";
import { Confirm } from "../components/confirm.js";
import { Failure } from "../components/failure.js";
import { Fields } from "../components/fields.js";
import { Foreign } from "../components/foreign.js";
import { GateLine } from "../components/gate-line.js";
import { subscriptionsOf } from "../data/all-subscriptions.js";
import { ApiError } from "../data/api.js";
import { useSurroundings } from "../data/context.js";
import { bytes } from "../data/format.js";
import { useLoad } from "../data/use-load.js";
import { go } from "../data/use-route.js";

/** How long functions go on with the configuration that they have read: 10 s, and the way there. */
const knownAfterMs = 11_000;

/** Shows what would be sent and where to, before a delivery is replayed. */
export function ReplayDelivery({
  delivery,
  onClose,
}: {
  readonly delivery: DeliveryView;
  readonly onClose: () => void;
}) {
  const { api } = useSurroundings();
  const { deliveryId, eventId, sourceId, subscriptionId } = delivery;
  // One key for this dialog: pressing twice, or again after a lost answer, is one replay.
  const [idempotencyKey] = useState(() => crypto.randomUUID());
  const [target, setTarget] = useState(subscriptionId);
  const look = useLoad(deliveryId, async () => {
    const [event, subscriptions] = await Promise.all([
      api.get<EventView>(`/events/${encodeURIComponent(eventId)}`),
      subscriptionsOf(api, sourceId).catch(noneIfDeleted),
    ]);
    return { event, subscriptions };
  });
  const chosen = look.value?.subscriptions.find((each) => each.subscriptionId === target);
  const replay = async (reason: string) => {
    // A replay right after a change would still go to the old destination.
    if (chosen !== undefined) await new Promise((resolve) => setTimeout(resolve, unknownForMs(chosen)));
    const body = target === subscriptionId ? {} : { subscriptionId: target };
    const path = `/deliveries/${encodeURIComponent(deliveryId)}/replay`;
    const made = await api.write<DeliveryView>("POST", path, { body, idempotencyKey, reason });
    go(["deliveries", made.deliveryId]);
  };
  return (
    <Confirm
      title="Replay this delivery"
      action="Replay"
      possible={chosen !== undefined}
      onConfirm={replay}
      onClose={onClose}
    >
      <p>The same event, byte for byte, as a new delivery with the same webhook-id. Nothing is sent yet:</p>
      {look.error !== null && <Failure error={look.error} />}
      {look.value !== null && (
        <>
          <label class="wide">
            To
            <select value={target} onChange={({ currentTarget }) => setTarget(currentTarget.value)}>
              {chosen === undefined && <option value={target}>{target} (deleted: choose another)</option>}
              {look.value.subscriptions.map((each) => (
                <option key={each.subscriptionId} value={each.subscriptionId}>
                  {each.name ?? each.subscriptionId}
                  {each.subscriptionId === subscriptionId ? " (the same)" : ""}
                </option>
              ))}
            </select>
          </label>
          <Fields
            of={[
              ["Destination", chosen === undefined ? null : <Foreign text={chosen.url} code />],
              ["Gate", chosen === undefined ? null : <GateLine subscription={chosen} />],
              ["Then", chosen === undefined ? null : expectation(chosen)],
              ["Body", `${bytes(look.value.event.bodyBytes)}${look.value.event.erasedAt === null ? "" : ", erased"}`],
              ["Replays so far", String(delivery.replayedAs.length)],
            ]}
          />
        </>
      )}
    </Confirm>
  );
}

/** Milliseconds until a change that was just made is known everywhere; clocks may differ. */
const unknownForMs = ({ updatedAt }: SubscriptionView): number =>
  Math.min(Math.max(0, Date.parse(updatedAt) + knownAfterMs - Date.now()), knownAfterMs);

function expectation(subscription: SubscriptionView): string {
  const { status, gate } = subscription;
  if (status !== "active") return `the subscription is ${status}: the replay is parked until it is resumed`;
  if (gate.circuit !== "closed") return "the circuit is not closed: the replay is parked until a probe succeeds";
  if (gate.heldUntil !== null) return "the destination asked for a pause: the replay is parked until it is over";
  if (unknownForMs(subscription) > 0) return "it is sent within 10 s, once the change just made is known everywhere";
  return "it is sent at once";
}

function noneIfDeleted(error: unknown): readonly SubscriptionView[] {
  if (error instanceof ApiError && error.status === 404) return [];
  throw error;
}

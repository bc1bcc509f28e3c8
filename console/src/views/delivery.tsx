import { useState } from "preact/hooks";
import { duration } from "../../../cli/text.js";
import type { DeliveryView, SubscriptionView } from "../../../functions/app/admin/view-schemas.js";
import { Attempt } from "../components/attempt.js";
import { Empty } from "../components/empty.js";
import { type Field, Fields } from "../components/fields.js";
import { Foreign } from "../components/foreign.js";
import { Loading } from "../components/loading.js";
import { Panel } from "../components/panel.js";
import { Status } from "../components/status.js";
import { Time } from "../components/time.js";
import { Timeline } from "../components/timeline.js";
import { useSurroundings } from "../data/context.js";
import { hrefOf } from "../data/route.js";
import { useLoad } from "../data/use-load.js";
import { useSubscriptions } from "../data/use-subscriptions.js";
import { deadLetterReasons, deliveryStatus } from "../data/words.js";
import { CancelDelivery } from "./cancel-delivery.js";
import { EventContent } from "./event-content.js";
import { ReplayDelivery } from "./replay-delivery.js";

const openRefreshMs = 2_000;

const isFinal = ({ status }: DeliveryView): boolean => status === "delivered" || status === "dead_lettered";

/** One delivery: why it stands as it does, every attempt, and the event itself. */
export function Delivery({ deliveryId }: { readonly deliveryId: string }) {
  const { api } = useSurroundings();
  const path = `/deliveries/${encodeURIComponent(deliveryId)}`;
  const [open, setOpen] = useState(true);
  const loaded = useLoad(
    deliveryId,
    async () => {
      const found = await api.get<DeliveryView>(path);
      setOpen(!isFinal(found));
      return found;
    },
    open ? openRefreshMs : null,
  );
  return (
    <Loading of={loaded}>{(delivery) => <Shown key={deliveryId} delivery={delivery} reload={loaded.reload} />}</Loading>
  );
}

function Shown({ delivery, reload }: { readonly delivery: DeliveryView; readonly reload: () => void }) {
  const [asking, setAsking] = useState<"replay" | "cancel" | null>(null);
  const close = () => {
    setAsking(null);
    reload();
  };
  const { deliveryId, eventId, sourceId, subscriptionId, status, attempts, attemptsDropped } = delivery;
  const subscription = useSubscriptions([sourceId]).get(subscriptionId);
  return (
    <>
      <div class="headline">
        <h1>Delivery</h1>
        <Status is={deliveryStatus[status]} />
        {isFinal(delivery) ? (
          <button type="button" class="primary" onClick={() => setAsking("replay")}>
            Replay…
          </button>
        ) : (
          <button type="button" onClick={() => setAsking("cancel")}>
            Cancel…
          </button>
        )}
      </div>
      <p class="id">{deliveryId}</p>
      <Fields of={fieldsOf(delivery, subscription)} />
      <Panel title="Attempts" aside={<span class="quiet">{attempts.length > 1 && "to scale, since receipt"}</span>}>
        <Timeline delivery={delivery} />
        {attempts.length === 0 ? (
          <Empty>{status === "parked" ? "None yet: it waits at a closed gate." : "None yet."}</Empty>
        ) : (
          <ol class="attempts">
            {attempts.map((attempt) => (
              <Attempt key={attempt.number} attempt={attempt} />
            ))}
          </ol>
        )}
        {attemptsDropped > 0 && (
          <p class="quiet">{attemptsDropped} between the first 5 and the last 95 are not kept.</p>
        )}
      </Panel>
      <EventContent eventId={eventId} />
      {asking === "replay" && <ReplayDelivery delivery={delivery} onClose={close} />}
      {asking === "cancel" && <CancelDelivery deliveryId={deliveryId} onClose={close} />}
    </>
  );
}

function fieldsOf(delivery: DeliveryView, subscription: SubscriptionView | undefined): readonly Field[] {
  const { deadLetterReason, sourceId, subscriptionId, eventId, receivedAt, updatedAt } = delivery;
  const { nextAttemptAt, nextDelaySeconds, attemptsStarted, replayOf, replayedAs, erasedAt, currentAttempt } = delivery;
  const deliveryLink = (id: string) => (
    <a key={id} class="id" href={hrefOf(["deliveries", id])}>
      {id}
    </a>
  );
  return [
    ["Reason", deadLetterReason === null ? null : `${deadLetterReason}: ${deadLetterReasons[deadLetterReason]}`],
    [
      "Source",
      <a key="s" href={hrefOf(["sources", sourceId])}>
        <Foreign text={sourceId} />
      </a>,
    ],
    [
      "Subscription",
      <span key="s" class="ids">
        {subscription !== undefined && subscription.name !== null && (
          <a href={hrefOf(["subscriptions", subscriptionId])}>
            <Foreign text={subscription.name} />
          </a>
        )}
        <a class="id" href={hrefOf(["subscriptions", subscriptionId])}>
          {subscriptionId}
        </a>
      </span>,
    ],
    [
      "Event",
      <a key="e" class="id" href={hrefOf(["events", eventId])}>
        {eventId}
      </a>,
    ],
    ["Received", <Time key="t" at={receivedAt} full />],
    ["Changed", <Time key="t" at={updatedAt} full />],
    ["Attempts", String(attemptsStarted)],
    ["Under way", currentAttempt === null ? null : `attempt ${currentAttempt.number}`],
    ["Next attempt", nextAttemptAt === null ? null : nextText(nextAttemptAt, nextDelaySeconds)],
    ["Replay of", replayOf === null ? null : deliveryLink(replayOf)],
    ["Replayed as", replayedAs.length === 0 ? null : <span class="ids">{replayedAs.map(deliveryLink)}</span>],
    ["Erased", erasedAt === null ? null : <Time at={erasedAt} full />],
  ];
}

const nextText = (at: string, delaySeconds: number | null) => (
  <>
    <Time at={at} full />
    {delaySeconds !== null && `, ${duration(delaySeconds)} after the last`}
  </>
);

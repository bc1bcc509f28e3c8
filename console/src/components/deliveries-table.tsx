import type { DeliveryView } from "../../../functions/app/admin/view-schemas.js";
import { hrefOf } from "../data/route.js";
import { type SubscriptionsById, useSubscriptions } from "../data/use-subscriptions.js";
import { answerText, deliveryStatus } from "../data/words.js";
import { Foreign } from "./foreign.js";
import { Status } from "./status.js";
import { type Column, Table } from "./table.js";
import { Time } from "./time.js";

/** Deliveries, one a row: how each stands, and what the destination said last. */
export function DeliveriesTable({ label, rows }: { readonly label: string; readonly rows: readonly DeliveryView[] }) {
  const subscriptions = useSubscriptions(rows.map(({ sourceId }) => sourceId));
  return <Table label={label} rows={rows} columns={columnsOf(subscriptions)} keyOf={({ deliveryId }) => deliveryId} />;
}

const columnsOf = (subscriptions: SubscriptionsById): ReadonlyArray<Column<DeliveryView>> => [
  {
    title: "Delivery",
    cell: ({ deliveryId, replayOf }) => (
      <>
        <a class="id" href={hrefOf(["deliveries", deliveryId])}>
          {deliveryId}
        </a>
        {replayOf !== null && <span class="quiet"> replay</span>}
      </>
    ),
  },
  { title: "Status", cell: ({ status }) => <Status is={deliveryStatus[status]} /> },
  { title: "Last answer", cell: ({ attempts }) => lastAnswer(attempts.at(-1)) },
  { title: "Attempts", number: true, cell: ({ attemptsStarted }) => attemptsStarted },
  {
    title: "Destination",
    cell: ({ sourceId, subscriptionId }) => (
      <Foreign text={`${sourceId}/${subscriptions.get(subscriptionId)?.name ?? "…"}`} />
    ),
  },
  { title: "Received", cell: ({ receivedAt }) => <Time at={receivedAt} /> },
  {
    title: "Next",
    cell: ({ status, nextAttemptAt }) =>
      status === "retry_scheduled" && nextAttemptAt !== null ? <Time at={nextAttemptAt} /> : "",
  },
];

const lastAnswer = (attempt: DeliveryView["attempts"][number] | undefined): string =>
  attempt === undefined ? "none yet" : answerText(attempt);

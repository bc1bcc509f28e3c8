import { useState } from "preact/hooks";
import type { SubscriptionView, TestEventView } from "../../../functions/app/admin/view-schemas.js";
import { Confirm } from "../components/confirm.js";
import { type Field, Fields } from "../components/fields.js";
import { Foreign } from "../components/foreign.js";
import { GateLine } from "../components/gate-line.js";
import { Loading } from "../components/loading.js";
import { Time } from "../components/time.js";
import { useSurroundings } from "../data/context.js";
import { hrefOf } from "../data/route.js";
import { useLoad } from "../data/use-load.js";
import { go } from "../data/use-route.js";
import { ChangeDestination } from "./change-destination.js";
import { GatePanel } from "./gate-panel.js";
import { PolicyPanel } from "./policy-panel.js";

const refreshMs = 5_000;

/** One subscription: where it delivers to, what its gate does, when it retries. */
export function Subscription({ subscriptionId }: { readonly subscriptionId: string }) {
  const { api } = useSurroundings();
  const path = `/subscriptions/${encodeURIComponent(subscriptionId)}`;
  const loaded = useLoad(subscriptionId, () => api.get<SubscriptionView>(path), refreshMs);
  return (
    <Loading of={loaded}>
      {(subscription) => <Shown subscription={subscription} path={path} reload={loaded.reload} />}
    </Loading>
  );
}

type Asking = "pause" | "resume" | "test" | "destination" | null;

function Shown({
  subscription,
  path,
  reload,
}: {
  readonly subscription: SubscriptionView;
  readonly path: string;
  readonly reload: () => void;
}) {
  const { api } = useSurroundings();
  const [asking, setAsking] = useState<Asking>(null);
  const { subscriptionId, sourceId, name, status } = subscription;
  const close = () => {
    setAsking(null);
    reload();
  };
  const test = async (reason: string) => {
    const sent = await api.write<TestEventView>("POST", `${path}/test`, { body: {}, reason });
    go(["deliveries", sent.deliveryId]);
  };
  return (
    <>
      <div class="headline">
        <h1>
          Subscription <Foreign text={name ?? ""} />
        </h1>
        <GateLine subscription={subscription} />
      </div>
      <p class="id">{subscriptionId}</p>
      <div class="actions">
        <button type="button" onClick={() => setAsking("destination")}>
          Change destination…
        </button>
        {status === "active" && (
          <button type="button" onClick={() => setAsking("pause")}>
            Pause…
          </button>
        )}
        {isHeld(subscription) && (
          <button type="button" onClick={() => setAsking("resume")}>
            Resume…
          </button>
        )}
        <button type="button" onClick={() => setAsking("test")}>
          Send a test event…
        </button>
        <a class="button" href={hrefOf(["deliveries"], { subscriptionId, sourceId })}>
          Deliveries
        </a>
        <a class="button" href={hrefOf(["deliveries"], { subscriptionId, status: "parked" })}>
          Parked
        </a>
        <a class="button" href={hrefOf(["deliveries"], { subscriptionId, status: "dead_lettered" })}>
          Dead letters
        </a>
      </div>
      <Fields of={fieldsOf(subscription)} />
      <GatePanel subscription={subscription} />
      <PolicyPanel subscription={subscription} />
      {asking === "destination" && <ChangeDestination subscription={subscription} onClose={close} />}
      {asking === "pause" && (
        <Confirm
          title="Pause this subscription"
          action="Pause"
          onClose={close}
          onConfirm={(reason) => api.write("POST", `${path}/pause`, { reason })}
        >
          <p>Its deliveries are parked: no attempt is made, and none is counted, until it is resumed.</p>
        </Confirm>
      )}
      {asking === "resume" && (
        <Confirm
          title="Resume this subscription"
          action="Resume"
          onClose={close}
          onConfirm={(reason) => api.write("POST", `${path}/resume`, { reason })}
        >
          <p>
            It becomes active, what a Retry-After asked for is over, and what is parked goes out in the order of
            receipt, at a growing pace. An open circuit is probed at once instead.
          </p>
        </Confirm>
      )}
      {asking === "test" && (
        <Confirm title="Send a test event" action="Send" onClose={close} onConfirm={test}>
          <p>
            An event of type <code>steadyhook.test</code> goes to this destination alone, signed like any other,
            whatever its types and filter are.
          </p>
        </Confirm>
      )}
    </>
  );
}

/** There is something that a resumption ends. */
const isHeld = ({ status, gate }: SubscriptionView): boolean =>
  status !== "active" || gate.circuit !== "closed" || gate.heldUntil !== null;

function fieldsOf(subscription: SubscriptionView): readonly Field[] {
  const { url, sourceId, description, types, filter, headers, tls, signing, secrets, maxPerSecond } = subscription;
  const { timeouts, forwardSuffix, managedBy, version, updatedAt } = subscription;
  return [
    ["Destination", <Foreign key="u" text={url} code />],
    [
      "Source",
      <a key="s" href={hrefOf(["sources", sourceId])}>
        <Foreign text={sourceId} />
      </a>,
    ],
    ["Description", description === null ? null : <Foreign text={description} />],
    ["Types", types === null ? "all" : <Foreign text={types.join(", ")} code />],
    ["Filter", filter === null ? null : <Foreign text={JSON.stringify(filter)} code />],
    ["Rate", maxPerSecond === null ? "no limit" : `${maxPerSecond} a second`],
    ["Timeouts", `connect ${timeouts.connectSeconds} s, read ${timeouts.readSeconds} s`],
    ["Suffix", forwardSuffix ? "appended to the URL" : null],
    ["Signing", signing === "off" ? "off" : `${signing}: ${secrets.map(({ id }) => id).join(", ")}`],
    ["Own headers", headers === null ? null : <Foreign text={headerText(headers)} code />],
    ["TLS", tls === null ? null : tlsText(tls)],
    ["Managed by", managedBy === null ? null : <Foreign text={managedBy} />],
    ["Changed", <Time key="t" at={updatedAt} full />],
    ["Version", String(version)],
  ];
}

const headerText = (headers: NonNullable<SubscriptionView["headers"]>): string =>
  Object.entries(headers)
    .map(([name, value]) => `${name}: ${typeof value === "string" ? value : "(secret)"}`)
    .join("; ");

const tlsText = ({ certificateExpiresAt, ca }: NonNullable<SubscriptionView["tls"]>) => (
  <>
    {certificateExpiresAt !== undefined && (
      <>
        client certificate until <Time at={certificateExpiresAt} full />
      </>
    )}
    {ca !== undefined && " own authorities"}
  </>
);

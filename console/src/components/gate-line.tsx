import type { SubscriptionView } from "../../../functions/app/admin/view-schemas.js";
import { circuits, subscriptionStatus } from "../data/words.js";
import { Status } from "./status.js";
import { Time } from "./time.js";

/** What a gate does now, in one line. */
export function GateLine({ subscription: { status, gate, slowUntil } }: { readonly subscription: SubscriptionView }) {
  const { circuit, nextProbeAt, heldUntil, release } = gate;
  return (
    <span class="gate-line">
      <Status is={subscriptionStatus[status]} />
      {circuit !== "closed" && <Status is={[`circuit ${circuits[circuit][0]}`, circuits[circuit][1]]} />}
      {circuit === "open" && nextProbeAt !== null && (
        <span class="quiet">
          probe <Time at={nextProbeAt} />
        </span>
      )}
      {heldUntil !== null && <Status is={["held: Retry-After", "warn"]} />}
      {release !== null && <Status is={[`releasing, ${release.perSecond}/s`, "info"]} />}
      {slowUntil !== null && <Status is={["slow lane", "warn"]} />}
    </span>
  );
}

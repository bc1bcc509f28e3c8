import { duration } from "../../../cli/text.js";
import type { SubscriptionView } from "../../../functions/app/admin/view-schemas.js";
import { Fields } from "../components/fields.js";
import { Panel } from "../components/panel.js";
import { Status } from "../components/status.js";
import { Time } from "../components/time.js";
import { circuits } from "../data/words.js";

/** What the gate does, and how far a release has come. */
export function GatePanel({ subscription }: { readonly subscription: SubscriptionView }) {
  const { gate, circuit, statusReason, slowUntil } = subscription;
  const time = (at: string | null) => (at === null ? null : <Time at={at} full />);
  const { failureThreshold, failureRate, minimumAttempts, cooldownSeconds, maxCooldownSeconds } = circuit;
  return (
    <Panel title="Gate">
      <Fields
        of={[
          ["Circuit", <Status key="c" is={circuits[gate.circuit]} />],
          ["Not active because", statusReason],
          ["Opened", time(gate.openedAt)],
          ["Next probe", time(gate.nextProbeAt)],
          ["Probes so far", gate.openedAt === null ? null : String(gate.probes)],
          ["Failures in a row", `${gate.failuresInARow} of ${failureThreshold}`],
          [
            "Opens also at",
            failureRate === null ? null : `${failureRate * 100}% failures in a minute of ${minimumAttempts} attempts`,
          ],
          ["Cooldown", `${duration(cooldownSeconds)} to ${duration(maxCooldownSeconds)}`],
          ["Held until", time(gate.heldUntil)],
          ["Slow lane until", time(slowUntil)],
          ["Parked", gate.holdsParked ? "some deliveries may be" : "none"],
          ["Release", gate.release === null ? null : releaseText(gate.release)],
        ]}
      />
    </Panel>
  );
}

const releaseText = ({ startedAt, released, perSecond }: NonNullable<SubscriptionView["gate"]["release"]>) => (
  <>
    {released.toLocaleString("en")} let go since <Time at={startedAt} />, now {perSecond} a second
  </>
);

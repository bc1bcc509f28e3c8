import { useState } from "preact/hooks";
import type { EventView, VerificationReport } from "../../../functions/app/admin/view-schemas.js";
import { Confirm } from "../components/confirm.js";
import { Failure } from "../components/failure.js";
import { Fields } from "../components/fields.js";
import { Foreign } from "../components/foreign.js";
import { Panel } from "../components/panel.js";
import { Status } from "../components/status.js";
import { Time } from "../components/time.js";
import { useSurroundings } from "../data/context.js";
import { hrefOf } from "../data/route.js";

/** Why an event was not verified, step by step; and the release of one that is genuine all the same. */
export function QuarantinePanel({ event, reload }: { readonly event: EventView; readonly reload: () => void }) {
  const { api } = useSurroundings();
  const [report, setReport] = useState<VerificationReport | null>(null);
  const [error, setError] = useState<Error | null>(null);
  const [releasing, setReleasing] = useState(false);
  const { eventId, quarantine } = event;
  if (quarantine === null) return null;
  const { reason, releasedAt, releasedBy, releasedAs } = quarantine;
  const path = `/events/${encodeURIComponent(eventId)}`;
  const verify = () => {
    setError(null);
    api.write<VerificationReport>("POST", `${path}/verify`).then(setReport, setError);
  };
  const release = async (why: string) => {
    await api.write("POST", `${path}/release`, { reason: why });
    reload();
  };
  return (
    <Panel
      title="Quarantine"
      aside={
        releasedAs === null && (
          <span class="actions">
            <button type="button" onClick={verify}>
              Verify again
            </button>
            <button type="button" onClick={() => setReleasing(true)}>
              Release…
            </button>
          </span>
        )
      }
    >
      <Fields
        of={[
          ["Not verified", <Foreign key="r" text={reason} />],
          ["Released", releasedAt === null ? null : <Time at={releasedAt} full />],
          ["By", releasedBy === null ? null : <Foreign text={releasedBy} />],
          [
            "As",
            releasedAs === null ? null : (
              <a class="id" href={hrefOf(["events", releasedAs])}>
                {releasedAs}
              </a>
            ),
          ],
        ]}
      />
      {error !== null && <Failure error={error} />}
      {report !== null && <Report report={report} />}
      {releasing && (
        <Confirm
          title="Release this event"
          action="Release"
          dangerous
          onConfirm={release}
          onClose={() => setReleasing(false)}
        >
          <p>It is delivered as genuine, although its sender could not be verified. That cannot be taken back.</p>
        </Confirm>
      )}
    </Panel>
  );
}

function Report({ report: { verified, reason, scheme, steps } }: { readonly report: VerificationReport }) {
  return (
    <div role="status">
      <p>
        With today's secrets, at the time of its receipt{scheme !== null && ` (${scheme})`}:{" "}
        <Status is={verified ? ["verified", "good"] : ["not verified", "bad"]} />{" "}
        {!verified && reason !== null && <Foreign text={reason} />}
      </p>
      <ol class="steps">
        {steps.map(({ step, ok, detail }) => (
          <li key={step + detail}>
            <Status is={ok ? ["ok", "good"] : ["no", "bad"]} /> <b>{step}</b> <Foreign text={detail} />
          </li>
        ))}
      </ol>
    </div>
  );
}

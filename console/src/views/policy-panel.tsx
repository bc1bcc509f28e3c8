import { duration } from "../../../cli/text.js";
import type { SubscriptionView } from "../../../functions/app/admin/view-schemas.js";
import type { PolicyPreview } from "../../../functions/core/policy-preview.js";
import { Fields } from "../components/fields.js";
import { Ladder } from "../components/ladder.js";
import { Loading } from "../components/loading.js";
import { Panel } from "../components/panel.js";
import { useSurroundings } from "../data/context.js";
import { useLoad } from "../data/use-load.js";

/** When the subscription's policy retries, if every attempt fails. */
export function PolicyPanel({ subscription: { policy } }: { readonly subscription: SubscriptionView }) {
  const { api } = useSurroundings();
  const loaded = useLoad(JSON.stringify(policy), () =>
    api.write<PolicyPreview>("POST", "/policy/preview", { body: { policy } }),
  );
  return (
    <Panel title="Retry policy" aside={<span class="quiet">if every attempt fails</span>}>
      <Loading of={loaded}>
        {(preview) => (
          <>
            <Ladder preview={preview} />
            <Fields
              of={[
                ["Preset", policy.preset],
                ["Gives up", endText(preview)],
                ["Jitter", `±${Math.round(policy.jitter * 100)}%`],
                ["Cap", policy.capSeconds === null ? "none" : duration(policy.capSeconds)],
                ["Time budget", policy.maxAgeSeconds === null ? "none" : duration(policy.maxAgeSeconds)],
                ["Retried", ranges(preview.answers.retried)],
                ["Never retried", ranges(preview.answers.never)],
                ["Retry-After", `followed for up to ${duration(preview.longestRetryAfterSeconds)}`],
              ]}
            />
          </>
        )}
      </Loading>
    </Panel>
  );
}

function endText({ end }: PolicyPreview): string {
  const { leastAttempts, mostAttempts, nominalSeconds } = end;
  const attempts = leastAttempts === mostAttempts ? String(mostAttempts) : `${leastAttempts} to ${mostAttempts}`;
  return `after ${attempts} attempts, about ${duration(nominalSeconds)} after receipt`;
}

const ranges = (all: ReadonlyArray<{ readonly from: number; readonly to: number }>): string =>
  all.map(({ from, to }) => (from === to ? String(from) : `${from}–${to}`)).join(", ");

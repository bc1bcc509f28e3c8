import { useState } from "preact/hooks";
import { duration } from "../../../cli/text.js";
import type { ReplayView } from "../../../functions/app/admin/view-schemas.js";
import { Failure } from "../components/failure.js";
import { Fields } from "../components/fields.js";
import { Foreign } from "../components/foreign.js";
import { Loading } from "../components/loading.js";
import { Status } from "../components/status.js";
import { Time } from "../components/time.js";
import { useSurroundings } from "../data/context.js";
import { whole } from "../data/format.js";
import { hrefOf } from "../data/route.js";
import { useLoad } from "../data/use-load.js";
import { replayStates } from "../data/words.js";
import { filterText } from "./replays.js";
import { skippedText } from "./skipped.js";

/** One bulk replay, as it goes on. */
export function Replay({ replayId }: { readonly replayId: string }) {
  const { api } = useSurroundings();
  const path = `/replays/${encodeURIComponent(replayId)}`;
  const loaded = useLoad(replayId, () => api.get<ReplayView>(path), 2_000);
  const [error, setError] = useState<Error | null>(null);
  const change = (method: string, body?: unknown) => () => {
    setError(null);
    api.write(method, path, body === undefined ? {} : { body }).then(loaded.reload, setError);
  };
  return (
    <Loading of={loaded}>
      {(replay) => (
        <>
          <div class="headline">
            <h1>Bulk replay</h1>
            <Status is={replayStates[replay.state]} />
            {replay.state === "running" && (
              <button type="button" onClick={change("PATCH", { state: "paused" })}>
                Pause
              </button>
            )}
            {replay.state === "paused" && (
              <button type="button" onClick={change("PATCH", { state: "running" })}>
                Go on
              </button>
            )}
            {replay.endedAt === null && (
              <button type="button" class="danger" onClick={change("DELETE")}>
                Cancel the rest
              </button>
            )}
          </div>
          <p class="id">{replayId}</p>
          {error !== null && <Failure error={error} />}
          <progress aria-label="Replayed so far" max={Math.max(1, replay.estimate.toReplay)} value={replay.replayed} />
          <Fields
            of={[
              [
                "Replayed",
                `${whole(replay.replayed)} of ${whole(replay.estimate.toReplay)}${replay.estimate.atLeast ? " or more" : ""}`,
              ],
              [
                "Left",
                replay.secondsLeft === null
                  ? null
                  : `about ${duration(replay.secondsLeft)}, at ${replay.perSecond} a second`,
              ],
              ["Skipped", skippedText(replay.skipped)],
              ["What", <Foreign key="f" text={filterText(replay)} />],
              [
                "To",
                replay.subscriptionId === null ? (
                  "each to its own subscription"
                ) : (
                  <a class="id" href={hrefOf(["subscriptions", replay.subscriptionId])}>
                    {replay.subscriptionId}
                  </a>
                ),
              ],
              ["Failed because", replay.failure],
              ["By", <Foreign key="b" text={replay.by} />],
              ["Why", replay.reason === null ? null : <Foreign text={replay.reason} />],
              ["Started", <Time key="s" at={replay.startedAt} full />],
              ["Ended", replay.endedAt === null ? null : <Time at={replay.endedAt} full />],
            ]}
          />
        </>
      )}
    </Loading>
  );
}

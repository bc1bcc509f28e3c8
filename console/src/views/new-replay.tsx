import { useState } from "preact/hooks";
import type { DryRunView, ReplayView } from "../../../functions/app/admin/view-schemas.js";
import { Failure } from "../components/failure.js";
import { useSurroundings } from "../data/context.js";
import { whole } from "../data/format.js";
import { hrefOf, type Query } from "../data/route.js";
import { go } from "../data/use-route.js";
import { DryRun } from "./dry-run.js";

const reasons = ["permanent", "exhausted", "max_age", "retention", "blocked"] as const;

type Draft = Readonly<Record<string, string>>;

/** What the relay is asked: empty fields take any. */
function requestOf(draft: Draft, dryRun: boolean) {
  const { status, sourceId, subscriptionId, reason, since, until, statusCode, perSecond } = draft;
  const given = { status, sourceId, subscriptionId, reason, since, until };
  const filter: Record<string, string | number> = {};
  for (const [name, value] of Object.entries(given)) if (value !== undefined && value !== "") filter[name] = value;
  if (statusCode) filter["statusCode"] = Number(statusCode);
  return { filter, dryRun, perSecond: Number(perSecond || "10"), includeReplayed: draft["includeReplayed"] === "yes" };
}

/** A bulk replay: first a look at what it would do, then the replay of exactly that. */
export function NewReplay({ query }: { readonly query: Query }) {
  const { api } = useSurroundings();
  const [draft, setDraft] = useState<Draft>({ status: "dead_lettered", perSecond: "10", ...query });
  const [look, setLook] = useState<{ readonly of: Draft; readonly found: DryRunView } | null>(null);
  const [why, setWhy] = useState("");
  const [error, setError] = useState<Error | null>(null);
  const [busy, setBusy] = useState(false);
  const attempt = (work: Promise<void>) => {
    setBusy(true);
    setError(null);
    work.catch(setError).finally(() => setBusy(false));
  };
  const dryRun = async () => {
    setLook(null);
    setLook({ of: draft, found: await api.write<DryRunView>("POST", "/replays", { body: requestOf(draft, true) }) });
  };
  const begin = async () => {
    const made = await api.write<ReplayView>("POST", "/replays", { body: requestOf(draft, false), reason: why });
    go(["replays", made.replayId]);
  };
  const field = (name: string) => ({
    value: draft[name] ?? "",
    onInput: ({ currentTarget }: { currentTarget: HTMLInputElement | HTMLSelectElement }) => {
      setDraft({ ...draft, [name]: currentTarget.value.trim() });
      setLook(null);
    },
  });
  return (
    <>
      <h1>New bulk replay</h1>
      <p class="quiet">
        Final deliveries become new ones of the same events. Look first: nothing is sent until you say so.{" "}
        <a href={hrefOf(["replays"])}>Earlier replays</a>
      </p>
      <form
        class="filter"
        aria-label="Which deliveries"
        onSubmit={(submitted) => {
          submitted.preventDefault();
          attempt(dryRun());
        }}
      >
        <label>
          Status
          <select data-filter {...field("status")}>
            <option value="dead_lettered">dead letter</option>
            <option value="delivered">delivered</option>
          </select>
        </label>
        <label>
          Reason
          <select {...field("reason")}>
            <option value="">any</option>
            {reasons.map((reason) => (
              <option key={reason} value={reason}>
                {reason}
              </option>
            ))}
          </select>
        </label>
        <label>
          Last HTTP status
          <input type="number" min={100} max={599} placeholder="any" {...field("statusCode")} />
        </label>
        <label>
          Source
          <input type="text" autocomplete="off" spellcheck={false} placeholder="any" {...field("sourceId")} />
        </label>
        <label>
          Subscription
          <input type="text" autocomplete="off" spellcheck={false} placeholder="any" {...field("subscriptionId")} />
        </label>
        <label>
          Since (UTC)
          <input type="text" autocomplete="off" placeholder="2026-01-31T12:00:00Z" {...field("since")} />
        </label>
        <label>
          Until (UTC)
          <input type="text" autocomplete="off" placeholder="now" {...field("until")} />
        </label>
        <label>
          A second
          <input type="number" min={1} max={100} {...field("perSecond")} />
        </label>
        <label>
          Replayed before
          <select {...field("includeReplayed")}>
            <option value="">leave out</option>
            <option value="yes">once more</option>
          </select>
        </label>
        <button type="submit" class={look === null ? "primary" : ""} disabled={busy}>
          Look first (dry run)
        </button>
      </form>
      {error !== null && <Failure error={error} />}
      {look !== null && (
        <DryRun found={look.found}>
          <label class="wide">
            Why <span class="quiet">(optional, kept in the audit trail)</span>
            <input
              type="text"
              maxLength={200}
              value={why}
              onInput={({ currentTarget }) => setWhy(currentTarget.value)}
            />
          </label>
          <button
            type="button"
            class="primary"
            disabled={busy || look.found.replay === 0}
            onClick={() => attempt(begin())}
          >
            Replay {whole(look.found.replay)}
            {look.found.atLeast ? " or more" : ""} {look.found.replay === 1 ? "delivery" : "deliveries"}
          </button>
        </DryRun>
      )}
    </>
  );
}

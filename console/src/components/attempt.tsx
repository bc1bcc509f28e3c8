import { duration } from "../../../cli/text.js";
import type { AttemptView } from "../../../functions/app/admin/view-schemas.js";
import { foreign } from "../data/format.js";
import { answerText, outcomes } from "../data/words.js";
import { type Field, Fields } from "./fields.js";
import { Foreign } from "./foreign.js";
import { Phases } from "./phases.js";
import { Status } from "./status.js";
import { Time } from "./time.js";

/** One attempt: what it was answered with, where its time went, what the destination said. */
export function Attempt({ attempt }: { readonly attempt: AttemptView }) {
  const { number, startedAt, delaySeconds, outcome, preview } = attempt;
  return (
    <li class="attempt" id={`attempt-${number}`} tabIndex={-1}>
      <header>
        <h3>Attempt {number}</h3>
        <b class="answer">{answerText(attempt)}</b>
        <Status is={outcomes[outcome]} />
        <span class="quiet">
          <Time at={startedAt} />
          {delaySeconds > 0 && `, after a wait of ${duration(delaySeconds)}`}
        </span>
      </header>
      <Phases {...attempt} />
      <Fields of={detailsOf(attempt)} />
      {preview !== undefined && <Preview preview={preview} />}
    </li>
  );
}

function detailsOf(attempt: AttemptView): readonly Field[] {
  const { errorDetail, retryAfterSeconds, retryAfterText, retryAfterClamped, address, location, requestId } = attempt;
  const asked =
    retryAfterSeconds === null ? null : `${duration(retryAfterSeconds)}${retryAfterClamped ? ", capped" : ""}`;
  return [
    ["Detail", errorDetail === undefined ? null : <Foreign text={errorDetail} />],
    ["Retry-After", asked ?? (retryAfterText === undefined ? null : <Foreign text={`${retryAfterText} (not used)`} />)],
    ["Redirects to", location === undefined ? null : <Foreign text={location} code />],
    ["Address", address === undefined ? null : <Foreign text={address} code />],
    ["Request id", requestId === undefined ? null : <Foreign text={requestId} code />],
  ];
}

function Preview({ preview: { text, cut, lossy } }: { readonly preview: NonNullable<AttemptView["preview"]> }) {
  if (text === "") return null;
  const marks = [cut ? "cut: there was more" : "", lossy ? "lossy: not quite the bytes" : ""].filter(
    (mark) => mark !== "",
  );
  return (
    <figure class="preview">
      <figcaption>It answered {marks.length > 0 && <span class="quiet">({marks.join("; ")})</span>}</figcaption>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <pre tabIndex={0}>{foreign(text, true)}</pre>
    </figure>
  );
}

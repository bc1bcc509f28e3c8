import { duration } from "../../../cli/text.js";
import type { AttemptView, DeliveryView } from "../../../functions/app/admin/view-schemas.js";
import { timeAxis } from "../../../functions/core/time-axis.js";
import { answerText, outcomes } from "../data/words.js";
import { Axis, percentOn } from "./axis.js";

/** When each attempt was made, to scale since the event's receipt, and when the next one is due. */
export function Timeline({ delivery }: { readonly delivery: DeliveryView }) {
  const { attempts, receivedAt, nextAttemptAt } = delivery;
  const since = (iso: string): number => Math.max(0, (Date.parse(iso) - Date.parse(receivedAt)) / 1_000);
  const next = nextAttemptAt === null ? [] : [since(nextAttemptAt)];
  const moments = [...attempts.map(({ startedAt }) => since(startedAt)), ...next];
  const axis = moments.length < 2 ? null : timeAxis([{ attempts: moments.map(asPreview) }]);
  if (axis === null) return null;
  return (
    <div class="ladder timeline">
      <div class="track">
        <span class="mark received" style={{ left: `${percentOn(axis, 0)}%` }} title="received" />
        {attempts.map((attempt) => (
          <a
            key={attempt.number}
            class={`mark ${outcomes[attempt.outcome][1]}`}
            style={{ left: `${percentOn(axis, since(attempt.startedAt))}%` }}
            href={`#attempt-${attempt.number}`}
            onClick={(clicked) => showAttempt(clicked, attempt)}
            title={`attempt ${attempt.number}: ${answerText(attempt)}, ${duration(since(attempt.startedAt))} after receipt`}
          >
            {attempt.number}
          </a>
        ))}
        {next.map((seconds) => (
          <span
            key="next"
            class="mark due"
            style={{ left: `${percentOn(axis, seconds)}%` }}
            title="next attempt is due"
          >
            {attempts.length + 1}
          </span>
        ))}
      </div>
      <Axis axis={axis} />
    </div>
  );
}

/** The fragment is the route's: an attempt is scrolled to instead. */
function showAttempt(clicked: Event, { number }: AttemptView): void {
  clicked.preventDefault();
  const element = document.getElementById(`attempt-${number}`);
  element?.scrollIntoView({ block: "nearest" });
  element?.focus();
}

function asPreview(seconds: number, index: number) {
  const band = { earliestSeconds: seconds, nominalSeconds: seconds, latestSeconds: seconds };
  return { number: index + 1, delay: band, at: band, capped: false, certain: true };
}

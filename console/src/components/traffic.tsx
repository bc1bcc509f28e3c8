import type { StatsView } from "../../../functions/app/admin/view-schemas.js";
import { hrefOf } from "../data/route.js";
import { Empty } from "./empty.js";
import { Panel } from "./panel.js";
import { Plot } from "./plot.js";

/** What came in and went out, and what failed, over the last hour or day. */
export function Traffic({ stats, span }: { readonly stats: StatsView; readonly span: "1h" | "24h" }) {
  const choice = (
    <nav class="choice" aria-label="Span of the plots">
      {(["1h", "24h"] as const).map((each) => (
        <a key={each} href={hrefOf([], { span: each })} aria-current={each === span ? "true" : undefined}>
          {each}
        </a>
      ))}
    </nav>
  );
  const { series } = stats;
  if (series === null || series === undefined) {
    return (
      <Panel title="Traffic" aside={choice}>
        <Empty>The metrics cannot be read just now; everything else on this page comes from the table.</Empty>
      </Panel>
    );
  }
  const { counts, startsAt, stepSeconds } = series;
  const per = stepSeconds === 60 ? "per minute" : `per ${stepSeconds / 60} minutes`;
  return (
    <div class="pair">
      <Panel title={`Deliveries ${per}`} aside={choice}>
        <Plot
          label={`Deliveries ${per}`}
          startsAt={startsAt}
          stepSeconds={stepSeconds}
          series={[
            { label: "delivered", values: counts.delivered, colour: "good" },
            { label: "accepted", values: counts.accepted, colour: "info", dash: [5, 4] },
          ]}
        />
      </Panel>
      <Panel title={`Failures ${per}`}>
        <Plot
          label={`Failures ${per}`}
          startsAt={startsAt}
          stepSeconds={stepSeconds}
          series={[
            { label: "dead letters", values: counts.deadLettered, colour: "bad" },
            { label: "retried", values: counts.retried, colour: "warn", dash: [5, 4] },
            { label: "refused", values: counts.refused, colour: "quiet", dash: [1, 3] },
          ]}
        />
      </Panel>
    </div>
  );
}

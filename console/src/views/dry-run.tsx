import type { ComponentChildren } from "preact";
import { duration } from "../../../cli/text.js";
import type { DryRunView } from "../../../functions/app/admin/view-schemas.js";
import { Empty } from "../components/empty.js";
import { Fields } from "../components/fields.js";
import { Foreign } from "../components/foreign.js";
import { Panel } from "../components/panel.js";
import { type Column, Table } from "../components/table.js";
import { whole } from "../data/format.js";
import { hrefOf } from "../data/route.js";
import { skippedText } from "./skipped.js";

/** What a bulk replay would do; `children` begin it. */
export function DryRun({ found, children }: { readonly found: DryRunView; readonly children: ComponentChildren }) {
  const { matched, atLeast, replay, skipped, seconds, bySubscription } = found;
  if (matched === 0)
    return <Empty>Nothing fits: no delivery would be replayed. Take something out of the filter.</Empty>;
  return (
    <Panel title="What would happen">
      <div role="status">
        <Fields
          of={[
            ["Fit", `${whole(matched)}${atLeast ? " or more" : ""}`],
            ["Would be replayed", `${whole(replay)}${atLeast ? " or more" : ""}`],
            ["Would be skipped", skippedText(skipped)],
            ["Takes", `about ${duration(seconds)}`],
          ]}
        />
      </div>
      <Table
        label="By subscription"
        rows={bySubscription}
        columns={columns}
        keyOf={({ subscriptionId }) => subscriptionId}
      />
      {children}
    </Panel>
  );
}

const columns: ReadonlyArray<Column<DryRunView["bySubscription"][number]>> = [
  { title: "Source", cell: ({ sourceId }) => <Foreign text={sourceId} /> },
  {
    title: "Subscription",
    cell: ({ subscriptionId }) => (
      <a class="id" href={hrefOf(["subscriptions", subscriptionId])}>
        {subscriptionId}
      </a>
    ),
  },
  { title: "Fit", number: true, cell: ({ matched }) => whole(matched) },
  { title: "Replayed", number: true, cell: ({ replay }) => whole(replay) },
  { title: "Skipped", cell: ({ skipped }) => skippedText(skipped) ?? "none" },
];

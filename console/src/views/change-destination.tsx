import { useState } from "preact/hooks";
import type { SubscriptionView } from "../../../functions/app/admin/view-schemas.js";
import { Confirm } from "../components/confirm.js";
import { useSurroundings } from "../data/context.js";

/** Another URL for a subscription; refused when somebody changed it meanwhile. */
export function ChangeDestination({
  subscription: { subscriptionId, url, version, managedBy },
  onClose,
}: {
  readonly subscription: SubscriptionView;
  readonly onClose: () => void;
}) {
  const { api } = useSurroundings();
  const [draft, setDraft] = useState(url);
  // The version that was looked at: the page goes on to refresh behind the dialog.
  const [seen] = useState(version);
  const change = (reason: string) =>
    api.write("PATCH", `/subscriptions/${encodeURIComponent(subscriptionId)}`, {
      body: { url: draft.trim() },
      version: seen,
      reason,
    });
  return (
    <Confirm
      title="Change the destination"
      action="Save"
      possible={draft.trim() !== "" && draft.trim() !== url}
      onConfirm={change}
      onClose={onClose}
    >
      <label class="wide">
        URL
        <input
          type="url"
          required
          spellcheck={false}
          value={draft}
          onInput={({ currentTarget }) => setDraft(currentTarget.value)}
        />
      </label>
      <p class="quiet">
        Retries of earlier events go to the new URL, too; an open circuit is probed at once.
        {managedBy !== null && " This subscription is kept by a file: apply will put its own URL back."}
      </p>
    </Confirm>
  );
}

import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { Dialog } from "./dialog.js";
import { Failure } from "./failure.js";

/** Asks before something is done, and shows why it was refused. */
export function Confirm({
  title,
  action,
  dangerous = false,
  possible = true,
  children,
  onConfirm,
  onClose,
}: {
  readonly title: string;
  /** What the button says. */
  readonly action: string;
  readonly dangerous?: boolean;
  /** False: there is nothing to confirm yet. */
  readonly possible?: boolean;
  readonly children?: ComponentChildren;
  /** Does it; `reason` is for the audit trail. */
  readonly onConfirm: (reason: string) => Promise<unknown>;
  readonly onClose: () => void;
}) {
  const [reason, setReason] = useState("");
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<Error | null>(null);
  const confirm = (submitted: Event) => {
    submitted.preventDefault();
    setBusy(true);
    setError(null);
    onConfirm(reason.trim()).then(onClose, (refused: unknown) => {
      setError(refused as Error);
      setBusy(false);
    });
  };
  return (
    <Dialog title={title} onClose={onClose}>
      <form onSubmit={confirm}>
        {children}
        <label class="wide">
          Why <span class="quiet">(optional, kept in the audit trail)</span>
          <input
            type="text"
            maxLength={200}
            autocomplete="off"
            value={reason}
            onInput={({ currentTarget }) => setReason(currentTarget.value)}
          />
        </label>
        {error !== null && <Failure error={error} />}
        <footer>
          <button type="submit" class={dangerous ? "danger" : "primary"} disabled={busy || !possible}>
            {busy ? "Working…" : action}
          </button>
          <button type="button" onClick={onClose}>
            Not now
          </button>
        </footer>
      </form>
    </Dialog>
  );
}

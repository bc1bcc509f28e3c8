import { Confirm } from "../components/confirm.js";
import { useSurroundings } from "../data/context.js";

/** Ends a delivery that is still open. */
export function CancelDelivery({ deliveryId, onClose }: { readonly deliveryId: string; readonly onClose: () => void }) {
  const { api } = useSurroundings();
  const cancel = (reason: string) =>
    api.write("POST", `/deliveries/${encodeURIComponent(deliveryId)}/cancel`, { reason });
  return (
    <Confirm title="Cancel this delivery" action="Cancel the delivery" dangerous onConfirm={cancel} onClose={onClose}>
      <p>
        No further attempt is made, and bulk replays leave it out. An attempt that is under way comes to its end. It can
        still be replayed by itself.
      </p>
    </Confirm>
  );
}

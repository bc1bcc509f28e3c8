import type { TickSender } from "../ticks.js";
import type { AdminContext } from "./context.js";

/** What moves gates, over the store of the subscriptions that they belong to. That of a deleted one is not found. */
export function gateMover({ subscriptions, control, now }: AdminContext): TickSender {
  return {
    gates: {
      find: async (subscriptionId) => (await subscriptions.findSubscription(subscriptionId))?.gate ?? null,
      replaceGate: (previous, next) => subscriptions.moveGate(previous, next),
    },
    control,
    now,
  };
}

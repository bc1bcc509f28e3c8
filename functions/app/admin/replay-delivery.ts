import { isFinal } from "../../core/delivery.js";
import { freshId, replayIdOf } from "../../core/ids.js";
import type { Delivery } from "../../core/model.js";
import { mostReplays, whyNotReplayable } from "../../core/replay.js";
import { type ReplayTarget, sendStored, storeReplay } from "../replays/make-replay.js";
import type { AdminContext } from "./context.js";
import { deliveryView } from "./delivery-views.js";
import type { JsonObject } from "./merge-patch.js";
import { parse } from "./parse.js";
import { invalidRequest, refusal, unknown } from "./problem.js";
import { replayInputSchema } from "./replay-schemas.js";
import type { DeliveryView } from "./view-schemas.js";

/** Longest key that a caller may name a replay by, in characters. */
const longestKey = 256;

/**
 * Replays a final delivery: a new one of the same event, to the same subscription or to another. `key` names the replay:
 * whoever asks again with it gets the one that there is. Without a key every call makes another.
 */
export async function replayDelivery(
  context: AdminContext,
  deliveryId: string,
  body: JsonObject,
  key: string | null,
): Promise<DeliveryView> {
  const original = await context.deliveries.findDelivery(deliveryId);
  if (original === null) throw unknown("unknown_delivery", deliveryId);
  const { subscriptionId } = parse(replayInputSchema, body);
  const replayId = idOf(context, deliveryId, key);
  const known = key === null ? null : await context.deliveries.findDelivery(replayId);
  if (known !== null) return again(context, known, subscriptionId ?? original.subscriptionId);
  await requireReplayable(context, original);
  const target = await targetOf(context, original, subscriptionId);
  const replay = await storeReplay(context, original, replayId, target);
  await sendStored(context, [replay]);
  return deliveryView(replay);
}

function idOf({ now, entropy }: AdminContext, deliveryId: string, key: string | null): string {
  if (key === null) return freshId("dlv", now(), entropy(10));
  if (key !== "" && key.length <= longestKey) return replayIdOf(deliveryId, key);
  throw invalidRequest([{ field: "idempotency-key", reason: `must have 1 to ${longestKey} characters` }]);
}

/** The answer of the first call once more. Its message may be what was lost. */
async function again(context: AdminContext, replay: Delivery, subscriptionId: string): Promise<DeliveryView> {
  if (replay.subscriptionId !== subscriptionId) {
    const where = `replay "${replay.deliveryId}" to subscription "${replay.subscriptionId}"`;
    throw refusal(409, "idempotency_key_used", `The Idempotency-Key names ${where}: choose another key.`);
  }
  await sendStored(context, [replay]);
  return deliveryView(replay);
}

async function requireReplayable(context: AdminContext, original: Delivery): Promise<void> {
  const { deliveryId, eventId, status } = original;
  if (!isFinal(original)) {
    const fix = "wait for its end, or cancel it first";
    throw refusal(409, "not_final", `Delivery "${deliveryId}" is ${status}: ${fix}.`);
  }
  const reason = whyNotReplayable(original, context.retentionDays, context.now());
  if (reason === "too_many_replays") {
    const fix = "replay one of its replays";
    throw refusal(409, "too_many_replays", `Delivery "${deliveryId}" has ${mostReplays} replays: ${fix}.`);
  }
  const stored = reason === null ? await context.events.findEvent(eventId) : null;
  if (reason === "erased" || stored?.erasedAtMs !== undefined) {
    throw refusal(410, "erased", `Event "${eventId}" was erased: there is nothing left to send.`);
  }
  if (stored === null) {
    throw refusal(410, "content_expired", `Event "${eventId}" has expired, or does so before a replay could end.`);
  }
}

/** Any live subscription will do: the event goes where the operator says, whatever its types and filter are. */
async function targetOf(
  { subscriptions }: AdminContext,
  original: Delivery,
  asked: string | undefined,
): Promise<ReplayTarget> {
  const found = await subscriptions.findSubscription(asked ?? original.subscriptionId);
  if (found !== null) return found.record;
  if (asked !== undefined) throw unknown("unknown_subscription", asked);
  const fix = "name another one in subscriptionId";
  throw refusal(409, "target_deleted", `Subscription "${original.subscriptionId}" is deleted: ${fix}.`);
}

import type { Sabotage } from "./relay.js";
import { bound, forget, inDelivery, inWrites, overwriting, through } from "./sabotage.js";

/** Bugs in how deliveries are claimed, attempted, recorded and announced. */
export const deliveryBugs: Readonly<Record<string, Sabotage>> = {
  "the claim's condition is skipped": overwriting((_previous, next) => next.status === "attempting"),
  "a late record overwrites newer state": overwriting((previous) => previous?.status === "attempting"),
  "a message is acknowledged before its work is done": { poller: "ack_first" },
  "a failed message is acknowledged all the same": { poller: "drop_failures" },
  "the next attempt is not announced, and nobody sweeps": {
    ...inDelivery(({ queue }) => ({ queue: { ...bound(queue), sendDeliveries: async () => {} } })),
    noSweeps: true,
  },
  "lost schedules are nobody's business": { noSweeps: true },
  "the guard is forgotten: no message may repair": inWrites((_previous, next) =>
    next.claim === null ? next : { ...next, claim: { ...next.claim, guard: "nobody" } },
  ),
  "every message is a guard: copies repair, too": inDelivery(({ deliveries }) => ({
    deliveries: {
      ...through(deliveries),
      findDelivery: async (id) => {
        const found = await deliveries.findDelivery(id);
        return found?.status === "attempting" && found.claim !== null
          ? { ...found, claim: { ...found.claim, leaseUntilMs: 0 } }
          : found;
      },
    },
  })),
  "our own lost answer is taken for a lost claim": inDelivery(({ deliveries }) => ({
    deliveries: {
      ...through(deliveries),
      replaceDelivery: async (previous, next) => (await deliveries.replaceDelivery(previous, next)) && false,
      findDelivery: async (id) => {
        const found = await deliveries.findDelivery(id);
        return found?.claim ? { ...found, claim: { ...found.claim, token: "another" } } : found;
      },
    },
  })),
  "the lease ends with the claim": inWrites((_previous, next) =>
    next.claim === null ? next : { ...next, claim: { ...next.claim, leaseUntilMs: 0 } },
  ),
  "an open delivery expires": inDelivery(({ deliveries }) => ({
    deliveries: {
      ...through(deliveries),
      replaceDelivery: async (previous, next) => {
        const written = await deliveries.replaceDelivery(previous, next);
        if (next.status === "retry_scheduled" && next.attemptsStarted === 2) forget(deliveries, next.deliveryId);
        return written;
      },
    },
  })),
  "a record is said to be made, and is not": inWrites((previous, next) =>
    next.status === "retry_scheduled" && previous?.attemptsStarted === 2 ? null : next,
  ),
  "the event is not stored": inDelivery(({ events }) => ({
    events: { ...bound(events), storeEvent: async (stored) => stored },
  })),
  "the dead letter is not sent": inDelivery(() => ({ deadLetters: { sendDeadLetter: async () => {} } })),
  "a dead letter is sent for every failure": inDelivery(({ deadLetters, queue }) => ({
    queue: {
      ...bound(queue),
      sendDeliveries: async (messages, delaySeconds) => {
        for (const { deliveryId, eventId, sourceId, subscriptionId } of messages) {
          const letter = { deliveryId, eventId, sourceId, subscriptionId, reason: "exhausted", attempts: 1 } as const;
          await deadLetters.sendDeadLetter({
            ...letter,
            v: 1,
            kind: "dead_letter",
            lastOutcome: null,
            deadLetteredAt: "",
          });
        }
        await queue.sendDeliveries(messages, delaySeconds);
      },
    },
  })),
  "one attempt too many is made": inWrites((_previous, next) =>
    next.status === "dead_lettered" && next.deadLetterReason === "exhausted"
      ? { ...next, status: "retry_scheduled", deadLetterReason: null, nextAttemptAtMs: next.updatedAtMs + 1000 }
      : next,
  ),
  "retries come at once": inWrites((_previous, next) =>
    next.nextAttemptAtMs === null ? next : { ...next, nextAttemptAtMs: next.updatedAtMs, nextDelaySeconds: 0 },
  ),
  "what is handed over to the slow lane loses its name": inDelivery(({ queue }) => ({
    queue: {
      ...bound(queue),
      sendDeliveries: (messages, delaySeconds, lane) =>
        queue.sendDeliveries(
          messages.map(({ as: _name, ...message }) => message),
          delaySeconds,
          lane,
        ),
    },
  })),
  "what is handed over to the slow lane comes by the fast one again": inDelivery(({ queue }) => ({
    queue: {
      ...bound(queue),
      sendDeliveries: (messages, delaySeconds) => queue.sendDeliveries(messages, delaySeconds, "fast"),
    },
  })),
  "what a newer version wrote is taken for absent": inDelivery(({ deliveries }) => ({
    deliveries: {
      ...through(deliveries),
      findDelivery: async (id) => {
        const found = await deliveries.findDelivery(id);
        return found !== null && "addedLater" in found ? null : found;
      },
    },
  })),
  "an attempt is not recorded": inWrites((previous, next) =>
    previous?.status === "attempting" ? { ...next, attempts: next.attempts.slice(1) } : next,
  ),
  "a success is not believed": inWrites((_previous, next) =>
    next.status === "delivered"
      ? { ...next, status: "retry_scheduled", nextAttemptAtMs: next.updatedAtMs + 5000 }
      : next,
  ),
  "a parked delivery is attempted after its wait": inDelivery(({ deliveries }) => ({
    deliveries: {
      ...through(deliveries),
      findDelivery: async (id) => {
        const found = await deliveries.findDelivery(id);
        return found?.status === "parked" ? { ...found, receivedAtMs: found.receivedAtMs + 3_600_000 } : found;
      },
    },
  })),
  "faults are dropped": {
    sweeper: (context) => ({ ...context, faults: { ...bound(context.faults), storeFault: async () => {} } }),
  },
};

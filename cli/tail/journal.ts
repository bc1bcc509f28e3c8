import type { DeliveryView } from "../../functions/app/admin/view-schemas.js";
import { allOf, linesSince, type TailLine, type Told } from "./tail-line.js";

/** What the journal remembers of a delivery. */
interface Entry extends Told {
  readonly createdMs: number;
  readonly progress: number;
  /** When to look at it again; null: it is final, nothing happens to it any more. */
  readonly lookAtMs: number | null;
  /** Looks in a row that found nothing new. */
  readonly looksInVain: number;
}

/** Open deliveries that are followed at once: some 3 MB. */
const mostFollowed = 10_000;

/**
 * What has been told of which delivery, so that nothing is told twice, and when to look at the open ones again. It
 * remembers what may still be listed again, and what is open.
 */
export class Journal {
  readonly #entries = new Map<string, Entry>();

  constructor(private readonly most = mostFollowed) {}

  /** Takes a delivery as it stands: nothing is told of what was before. */
  adopt(delivery: DeliveryView, nowMs: number): void {
    this.#remember(delivery, nowMs, 0);
  }

  /** What is new of a delivery. */
  take(delivery: DeliveryView, nowMs: number): TailLine[] {
    const before = this.#entries.get(delivery.deliveryId);
    const progress = progressOf(delivery);
    // A list may be behind what was seen already.
    if (before !== undefined && progress < before.progress) return [];
    this.#remember(delivery, nowMs, progress === before?.progress ? before.looksInVain + 1 : 0);
    return linesSince(delivery, before);
  }

  /** The relay has no such delivery any more. */
  drop(deliveryId: string): void {
    this.#entries.delete(deliveryId);
  }

  /**
   * Forgets what is final and is not listed again, since it was created before. Gives how many of the open ones are not
   * followed any further because there are too many: those that have longest to wait.
   */
  forgetBefore(createdMs: number): number {
    for (const [deliveryId, entry] of this.#entries) {
      if (entry.lookAtMs === null && entry.createdMs < createdMs) this.#entries.delete(deliveryId);
    }
    const surplus = this.#followed(createdMs).slice(this.most);
    for (const { deliveryId } of surplus) this.#entries.delete(deliveryId);
    return surplus.length;
  }

  /** At most `most` that are to be looked at by now, the most urgent first; what is listed anyway is left to the list. */
  due(nowMs: number, listedFromMs: number, most: number): readonly string[] {
    const due = this.#followed(listedFromMs).filter(({ lookAtMs }) => lookAtMs <= nowMs);
    return due.slice(0, most).map(({ deliveryId }) => deliveryId);
  }

  /** When the next look is due; Infinity: nothing is followed. */
  nextLookMs(listedFromMs: number): number {
    return this.#followed(listedFromMs)[0]?.lookAtMs ?? Number.POSITIVE_INFINITY;
  }

  #followed(listedFromMs: number): ReadonlyArray<{ readonly deliveryId: string; readonly lookAtMs: number }> {
    const open = [...this.#entries].flatMap(([deliveryId, { createdMs, lookAtMs }]) =>
      lookAtMs === null || createdMs >= listedFromMs ? [] : [{ deliveryId, lookAtMs }],
    );
    return open.sort((one, other) => one.lookAtMs - other.lookAtMs);
  }

  #remember(delivery: DeliveryView, nowMs: number, looksInVain: number): void {
    this.#entries.set(delivery.deliveryId, {
      ...allOf(delivery),
      createdMs: Date.parse(delivery.createdAt),
      progress: progressOf(delivery),
      lookAtMs: nextLook(delivery, nowMs, looksInVain, this.#entries.size),
      looksInVain,
    });
  }
}

const ranks: Readonly<Record<DeliveryView["status"], number>> = {
  pending: 0,
  attempting: 0,
  retry_scheduled: 0,
  parked: 1,
  delivered: 2,
  dead_lettered: 2,
};

/**
 * How far a delivery has come: grows with whatever happens to it. A claim and a record add one each; between two claims it
 * may be parked, once, or end. Times say less: clocks differ.
 */
const progressOf = ({ attemptsStarted, attempts, status }: DeliveryView): number =>
  3 * (attemptsStarted + (attempts.at(-1)?.number ?? 0)) + ranks[status];

/** Between two looks at a delivery that may change at any time, at most. */
const longestMs = 15_000;
/** Between two at one that waits for its retry: only an operator changes it before. */
const longestWaitMs = 300_000;
/** With many, so long for each of them: four looks a second. */
const perFollowedMs = 250;
/** The relay takes a moment from a due time to the attempt's end. */
const graceMs = 500;

/** When to look again, in steps that double while nothing happens; null: never. */
function nextLook(
  { status, nextAttemptAt }: DeliveryView,
  nowMs: number,
  looksInVain: number,
  followed: number,
): number | null {
  if (status === "delivered" || status === "dead_lettered") return null;
  const dueMs = status === "retry_scheduled" && nextAttemptAt !== null ? Date.parse(nextAttemptAt) + graceMs : 0;
  if (dueMs > nowMs) return Math.min(dueMs, nowMs + Math.max(longestWaitMs, followed * perFollowedMs));
  const longest = Math.max(longestMs, followed * perFollowedMs);
  return nowMs + Math.min(longest, 1_000 * 2 ** looksInVain);
}

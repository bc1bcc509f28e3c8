import type { LocalClock } from "../clock.js";
import { DueHeap } from "../due-heap.js";
import type { MessageState, QueuedMessage } from "./message.js";
import type { QueueSettings } from "./queue-attributes.js";
import { ReadyList } from "./ready-list.js";
import { Waiters } from "./waiters.js";

/** What a queue tells its owner, which keeps the disk in step. */
export interface QueueEvents {
  /** Received as often as the redrive policy allows: true when the owner takes it over and the queue gives it up. */
  exhausted(queue: Queue, message: QueuedMessage): boolean;
  /** Past its retention; the queue no longer holds it. */
  expired(queue: Queue, message: QueuedMessage): void;
}

/** One long or short receive, as the queue serves it. */
export interface Taking {
  readonly max: number;
  readonly visibilityTimeoutMs: number;
  /** Message groups that stay where they are for now. Whoever changes the answer calls {@link Queue.lookAgain}. */
  readonly passesOver?: ((groupId: string) => boolean) | undefined;
}

export interface QueueDefinition {
  readonly name: string;
  settings: QueueSettings;
  tags: Readonly<Record<string, string>>;
  readonly createdAtMs: number;
  modifiedAtMs: number;
}

/**
 * A standard queue in memory: what is visible, and two heaps for what changes by time (delays and visibility
 * timeouts, retention). No operation scans the messages. One timer, for the earliest of both heaps.
 */
export class Queue {
  readonly #messages = new Map<number, QueuedMessage>();
  readonly #ready = new ReadyList<QueuedMessage>();
  readonly #due = new DueHeap<QueuedMessage>();
  readonly #expiry = new DueHeap<QueuedMessage>();
  readonly #waiters: Waiters<MessageState[]>;
  readonly #counts = { delayed: 0, visible: 0, in_flight: 0, gone: 0 };
  #timer: { readonly atMs: number; readonly cancel: () => void } | null = null;

  constructor(
    readonly definition: QueueDefinition,
    private readonly clock: LocalClock,
    private readonly events: QueueEvents,
  ) {
    this.#waiters = new Waiters(clock);
  }

  get name(): string {
    return this.definition.name;
  }

  get settings(): QueueSettings {
    return this.definition.settings;
  }

  /** Approximate only in name. */
  counts(): { readonly visible: number; readonly inFlight: number; readonly delayed: number } {
    this.#advance();
    return { visible: this.#counts.visible, inFlight: this.#counts.in_flight, delayed: this.#counts.delayed };
  }

  /** Puts a message in: visible, or delayed while its delay lasts. */
  add(state: MessageState): void {
    const message: QueuedMessage = { ...state, place: "gone", due: null, expiry: null };
    this.#messages.set(message.sequence, message);
    message.expiry = this.#expiry.push(message.sentAtMs + this.settings.retentionMs, message);
    if (message.delayedUntilMs > this.clock.now()) this.#wait(message, "delayed", message.delayedUntilMs);
    else this.#show(message);
    this.#serve();
  }

  /** Undefined once it was deleted, expired or moved away. */
  find(sequence: number): QueuedMessage | undefined {
    this.#advance();
    return this.#messages.get(sequence);
  }

  remove(message: QueuedMessage): void {
    this.#moveTo(message, "gone");
    if (message.expiry !== null) this.#expiry.remove(message.expiry);
    this.#messages.delete(message.sequence);
  }

  /** Removes and returns everything, in the order of sending. */
  clear(): QueuedMessage[] {
    const messages = [...this.#messages.values()];
    for (const message of messages) this.remove(message);
    this.#ready.clear();
    return messages;
  }

  /** Up to `count` visible messages as they stand, without receiving them: for a move to another queue. */
  removeVisible(count: number): QueuedMessage[] {
    this.#advance();
    const removed: QueuedMessage[] = [];
    while (removed.length < count) {
      const message = this.#nextVisible();
      if (message === undefined) break;
      this.remove(message);
      removed.push(message);
    }
    return removed;
  }

  /** A message in flight becomes visible again at this time; now or earlier: at once. */
  setVisibleAt(message: QueuedMessage, atMs: number): void {
    if (atMs > this.clock.now()) this.#wait(message, "in_flight", atMs);
    else this.#show(message);
    this.#serve();
  }

  /**
   * Copies of messages that are in flight from now on, each as this receive has it: those at hand, or else the first that come within `waitMs`. Empty when
   * the wait ends, or `signal` ends it.
   */
  take(taking: Taking, waitMs: number, signal?: AbortSignal): Promise<MessageState[]> {
    this.#advance();
    const messages = this.#takeNow(taking);
    if (messages.length > 0 || waitMs <= 0 || signal?.aborted === true) return Promise.resolve(messages);
    return this.#waiters.wait({
      untilMs: this.clock.now() + waitMs,
      signal,
      attempt: () => {
        const found = this.#takeNow(taking);
        return found.length > 0 ? found : null;
      },
      otherwise: [],
    });
  }

  /** What waits may be taken now, since other groups are passed over. */
  lookAgain(): void {
    this.#serve();
  }

  /** Applies changed settings to what is held: retention counts from the time of sending. */
  applySettings(settings: QueueSettings): void {
    this.definition.settings = settings;
    this.#expiry.clear();
    for (const message of this.#messages.values()) {
      message.expiry = this.#expiry.push(message.sentAtMs + settings.retentionMs, message);
    }
    this.#arm();
  }

  /** Ends every wait and the timer. */
  close(): void {
    this.#timer?.cancel();
    this.#timer = null;
    this.#waiters.close();
  }

  #takeNow(taking: Taking): MessageState[] {
    const limit = this.settings.redrivePolicy?.maxReceiveCount ?? Number.POSITIVE_INFINITY;
    const taken: MessageState[] = [];
    while (taken.length < taking.max) {
      const message = this.#nextVisible(taking.passesOver);
      if (message === undefined) break;
      if (message.receiveCount >= limit && this.events.exhausted(this, message)) {
        this.remove(message);
        continue;
      }
      message.receiveCount += 1;
      message.firstReceivedAtMs ??= this.clock.now();
      taken.push({ ...message });
      // Also with a timeout of 0: visible again only after this receive, which would take it twice otherwise.
      this.#wait(message, "in_flight", this.clock.now() + taking.visibilityTimeoutMs);
    }
    return taken;
  }

  /** The ready list may still hold messages that were removed: they are passed over. */
  #nextVisible(passesOver?: Taking["passesOver"]): QueuedMessage | undefined {
    for (;;) {
      const message = this.#ready.shift(passesOver);
      if (message === undefined || message.place === "visible") return message;
    }
  }

  #show(message: QueuedMessage): void {
    this.#moveTo(message, "visible");
    this.#ready.push(message);
  }

  #wait(message: QueuedMessage, place: "delayed" | "in_flight", untilMs: number): void {
    this.#moveTo(message, place);
    message.due = this.#due.push(untilMs, message);
    this.#arm();
  }

  #moveTo(message: QueuedMessage, place: QueuedMessage["place"]): void {
    if (message.due !== null) this.#due.remove(message.due);
    message.due = null;
    this.#counts[message.place] -= 1;
    this.#counts[place] += 1;
    message.place = place;
  }

  #advance(): void {
    const nowMs = this.clock.now();
    for (let message = this.#expiry.popDue(nowMs); message !== undefined; message = this.#expiry.popDue(nowMs)) {
      this.remove(message);
      this.events.expired(this, message);
    }
    for (let message = this.#due.popDue(nowMs); message !== undefined; message = this.#due.popDue(nowMs)) {
      this.#show(message);
    }
  }

  #serve(): void {
    if (this.#counts.visible > 0) this.#waiters.serve();
    this.#arm();
  }

  #arm(): void {
    const nextMs = Math.min(this.#due.peek()?.dueAtMs ?? Infinity, this.#expiry.peek()?.dueAtMs ?? Infinity);
    if (nextMs === Infinity || (this.#timer !== null && this.#timer.atMs <= nextMs)) return;
    this.#timer?.cancel();
    const cancel = this.clock.at(nextMs, () => {
      this.#timer = null;
      this.#advance();
      this.#serve();
    });
    this.#timer = { atMs: nextMs, cancel };
  }
}

import { CliError } from "../../../cli/cli-error.js";
import type { CallOptions, Page, RelayClient } from "../../../cli/relay-client.js";
import type { AttemptView, DeliveryView } from "../../../functions/app/admin/view-schemas.js";

/** What happens to a delivery, and so many milliseconds after its creation. */
export interface Happening {
  readonly afterMs: number;
  readonly kind: "claim" | "fail" | "deliver" | "die" | "cancel" | "park";
}

export interface Life {
  readonly deliveryId: string;
  readonly createdMs: number;
  /** How long lists do not have it yet. */
  readonly lagMs: number;
  readonly happenings: readonly Happening[];
}

/** A relay whose deliveries live as written, seen through the routes that `tail` calls. */
export class ModelledRelay implements Pick<RelayClient, "call"> {
  /** The next calls that fail. */
  failures = 0;
  calls = 0;

  constructor(
    private readonly lives: readonly Life[],
    private readonly now: () => number,
    private readonly mostOnPage: number,
  ) {}

  async call<Answer>(_method: string, path: string, { query = {} }: CallOptions = {}): Promise<Answer> {
    this.calls += 1;
    if (this.failures > 0) {
      this.failures -= 1;
      throw new CliError("No relay answers.");
    }
    return (path === "/deliveries" ? this.#list(query) : this.#one(path.split("/")[2])) as Answer;
  }

  #one(deliveryId: string | undefined): DeliveryView {
    const life = this.lives.find((each) => each.deliveryId === deliveryId);
    if (life === undefined) throw new CliError("unknown", { code: "unknown_delivery" });
    return viewAt(life, this.now());
  }

  #list({ since, until, status, limit, cursor }: NonNullable<CallOptions["query"]>): Page<DeliveryView> {
    const [fromMs, endMs] = [since ? Date.parse(since) : 0, until ? Date.parse(until) : Number.POSITIVE_INFINITY];
    const listed = this.lives
      .filter(({ createdMs, lagMs }) => createdMs + lagMs <= this.now() && createdMs >= fromMs && createdMs < endMs)
      .sort((one, other) => place(other).localeCompare(place(one)))
      .filter((life) => cursor === undefined || place(life) < cursor);
    const most = Math.min(Number(limit), this.mostOnPage);
    const page = listed.slice(0, most);
    const last = page.at(-1);
    return {
      items: page
        .map((life) => viewAt(life, this.now()))
        .filter((view) => status === undefined || view.status === status),
      cursor: listed.length > most && last !== undefined ? place(last) : null,
    };
  }
}

const isoTime = (ms: number): string => new Date(ms).toISOString();

const place = ({ createdMs, deliveryId }: Life): string => `${isoTime(createdMs)}#${deliveryId}`;

/** A delivery as it stood at a time. */
export function viewAt({ deliveryId, createdMs, happenings }: Life, nowMs: number): DeliveryView {
  const attempts: AttemptView[] = [];
  let [status, startedMs, updatedMs]: [DeliveryView["status"], number, number] = ["pending", 0, createdMs];
  let attemptsStarted = 0;
  let cancelled = false;
  for (const [at, { afterMs, kind }] of happenings.entries()) {
    const atMs = createdMs + afterMs;
    if (atMs > nowMs) break;
    updatedMs = atMs;
    if (kind === "claim") {
      [status, startedMs] = ["attempting", atMs];
      attemptsStarted += 1;
    } else if (kind === "park") status = "parked";
    else if (kind === "cancel") {
      status = "dead_lettered";
      cancelled = true;
    } else {
      const outcome = kind === "deliver" ? "delivered" : kind === "fail" ? "retryable" : "permanent";
      const times = { startedAt: isoTime(startedMs), durationMs: atMs - startedMs, delaySeconds: 0 };
      attempts.push({
        number: attemptsStarted,
        ...times,
        outcome,
        statusCode: 0,
        error: null,
        retryAfterSeconds: null,
      });
      status = kind === "deliver" ? "delivered" : kind === "die" ? "dead_lettered" : "retry_scheduled";
    }
    const next = happenings[at + 1];
    if (status === "retry_scheduled" && next === undefined) throw new Error("a life ends in a final state");
  }
  const next = happenings.find(({ afterMs, kind }) => kind === "claim" && createdMs + afterMs > nowMs);
  return {
    deliveryId,
    eventId: "evt_1",
    sourceId: "src_1",
    subscriptionId: "sub_1",
    status,
    attemptsStarted,
    attemptsDropped: 0,
    attempts,
    currentAttempt: null,
    nextAttemptAt: status === "retry_scheduled" && next ? isoTime(createdMs + next.afterMs) : null,
    nextDelaySeconds: null,
    deadLetterReason: status !== "dead_lettered" ? null : cancelled ? "cancelled" : "permanent",
    receivedAt: isoTime(createdMs),
    createdAt: isoTime(createdMs),
    updatedAt: isoTime(updatedMs),
    replayOf: null,
    replayedAs: [],
    erasedAt: null,
  };
}

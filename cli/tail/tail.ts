import type { DeliveryView } from "../../functions/app/admin/view-schemas.js";
import { CliError } from "../cli-error.js";
import type { Page, RelayClient } from "../relay-client.js";
import { createdIn, type ListCreated } from "./created.js";
import { Horizon } from "./horizon.js";
import { Journal } from "./journal.js";
import type { TailLine } from "./tail-line.js";

/** Whose deliveries are followed. */
export interface TailFilter {
  readonly sourceId: string | undefined;
  readonly subscriptionId: string | undefined;
}

export interface TailSurroundings {
  readonly relay: Pick<RelayClient, "call">;
  readonly now: () => number;
  /** Ends the calls that are under way. */
  readonly signal: AbortSignal;
  /** Gets what happened, in order. */
  readonly tell: (lines: readonly TailLine[]) => void;
  /** Gets what its user has to know besides. */
  readonly warn: (text: string) => void;
}

/** Calls of one poll that look at single deliveries. */
const mostLooks = 20;
/** Of these at the same time. */
const looksAtOnce = 5;
/** Pages of deliveries that were open before, of each state. */
const mostAdoptedPages = 10;
/** A first attempt that began earlier has ended. */
const longestAttemptMs = 120_000;
/** Our clock and the relay's are not further apart: requests would not be accepted. */
const clocksDifferMs = 600_000;

/** Follows what a relay does, by what its admin API shows: what is created from a time on, and what was open before. */
export class Tail {
  readonly #journal = new Journal();
  readonly #horizon: Horizon;
  #hasWarned: boolean = false;

  private constructor(
    private readonly filter: TailFilter,
    private readonly surroundings: TailSurroundings,
    horizon: Horizon,
  ) {
    this.#horizon = horizon;
  }

  /** `sinceMs`: tells of deliveries created from then on; null: of what happens from now on. */
  static async begin(filter: TailFilter, sinceMs: number | null, surroundings: TailSurroundings): Promise<Tail> {
    const nowMs = surroundings.now();
    const newest = (await listed(surroundings, { ...filter, limit: "1" })).items[0];
    const newestMs = newest === undefined ? nowMs - clocksDifferMs : Date.parse(newest.createdAt);
    const tail = new Tail(filter, surroundings, new Horizon(newestMs, nowMs, sinceMs ?? undefined));
    await tail.#adopt(sinceMs ?? newestMs + 1);
    return tail;
  }

  /** When the next look at a delivery is due; Infinity: none is. */
  get nextLookMs(): number {
    return this.#journal.nextLookMs(this.#horizon.coveredMs);
  }

  /** Tells what is new; gives whether there was any. Where it fails, the next one goes on where this one stopped. */
  async poll(): Promise<boolean> {
    const isNewListed = await this.#pollCreated();
    const isNewOpen = await this.#lookAtDue();
    return isNewListed || isNewOpen;
  }

  /** What was created before is followed, without a word about what was. */
  async #adopt(createdBeforeMs: number): Promise<void> {
    const { coveredMs: sinceMs } = this.#horizon;
    if (sinceMs < createdBeforeMs) {
      for await (const { deliveries } of createdIn(this.#list, { sinceMs, untilMs: createdBeforeMs })) {
        this.#adoptAll(deliveries);
      }
    }
    const underWaySince = new Date(createdBeforeMs - longestAttemptMs).toISOString();
    await this.#adoptList({ status: "attempting", since: underWaySince }, createdBeforeMs);
    await this.#adoptList({ status: "retry_scheduled" }, createdBeforeMs);
    await this.#adoptList({ status: "parked" }, createdBeforeMs);
  }

  async #adoptList(query: Query, createdBeforeMs: number): Promise<void> {
    let cursor: string | undefined;
    for (let pages = 0; pages < mostAdoptedPages; pages++) {
      const page = await listed(this.surroundings, { ...this.filter, ...query, cursor });
      this.#adoptAll(page.items.filter(({ createdAt }) => Date.parse(createdAt) < createdBeforeMs));
      if (page.cursor === null) return;
      cursor = page.cursor;
    }
    this.#warnOfTooMany();
  }

  #adoptAll(deliveries: readonly DeliveryView[]): void {
    for (const delivery of deliveries) this.#journal.adopt(delivery, this.surroundings.now());
  }

  async #pollCreated(): Promise<boolean> {
    const askedAtMs = this.surroundings.now();
    let isNew = false;
    const range = { sinceMs: this.#horizon.coveredMs, untilMs: Number.POSITIVE_INFINITY };
    for await (const { deliveries, untilMs } of createdIn(this.#list, range)) {
      const nowMs = this.surroundings.now();
      for (const { createdAt } of deliveries) this.#horizon.shown(Date.parse(createdAt), nowMs);
      isNew = this.#tell(deliveries) || isNew;
      this.#horizon.listed(untilMs, askedAtMs);
      if (this.#journal.forgetBefore(this.#horizon.coveredMs) > 0) this.#warnOfTooMany();
    }
    return isNew;
  }

  async #lookAtDue(): Promise<boolean> {
    const due = this.#journal.due(this.surroundings.now(), this.#horizon.coveredMs, mostLooks);
    let isNew = false;
    for (let first = 0; first < due.length; first += looksAtOnce) {
      const looks = due.slice(first, first + looksAtOnce).map((deliveryId) => this.#lookAt(deliveryId));
      const found = await Promise.all(looks);
      isNew = this.#tell(found.filter((delivery) => delivery !== null)) || isNew;
    }
    return isNew;
  }

  /** Null: it is not kept any more. */
  async #lookAt(deliveryId: string): Promise<DeliveryView | null> {
    const { relay, signal } = this.surroundings;
    try {
      return await relay.call<DeliveryView>("GET", `/deliveries/${encodeURIComponent(deliveryId)}`, { signal });
    } catch (error) {
      if (!(error instanceof CliError) || error.details.code !== "unknown_delivery") throw error;
      this.#journal.drop(deliveryId);
      return null;
    }
  }

  readonly #list: ListCreated = ({ sinceMs, untilMs }, cursor) => {
    const until = untilMs === Number.POSITIVE_INFINITY ? undefined : new Date(untilMs).toISOString();
    return listed(this.surroundings, { ...this.filter, since: new Date(sinceMs).toISOString(), until, cursor });
  };

  #warnOfTooMany(): void {
    if (this.#hasWarned) return;
    this.#hasWarned = true;
    this.surroundings.warn(
      "More deliveries are open than can be followed: of some, later attempts are not shown. " +
        "--source or --subscription narrow it.",
    );
  }

  #tell(deliveries: readonly DeliveryView[]): boolean {
    const nowMs = this.surroundings.now();
    const lines = deliveries.flatMap((delivery) => this.#journal.take(delivery, nowMs));
    if (lines.length === 0) return false;
    this.surroundings.tell(lines.sort((one, other) => (one.at < other.at ? -1 : Number(one.at > other.at))));
    return true;
  }
}

type Query = Readonly<Record<string, string | undefined>>;

const listed = ({ relay, signal }: TailSurroundings, query: Query): Promise<Page<DeliveryView>> =>
  relay.call<Page<DeliveryView>>("GET", "/deliveries", { query: { limit: "100", ...query }, signal });

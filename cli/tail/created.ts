import type { DeliveryView } from "../../functions/app/admin/view-schemas.js";
import type { Page } from "../relay-client.js";

/** From `since` on, before `until`, as times of creation. */
interface Range {
  readonly sinceMs: number;
  /** Infinity: to the end. */
  readonly untilMs: number;
}

/** A page of the deliveries created in a range, the newest first. */
export type ListCreated = (range: Range, cursor: string | undefined) => Promise<Page<DeliveryView>>;

export interface Slice {
  /** The oldest first. */
  readonly deliveries: readonly DeliveryView[];
  /** All that was created before is in this slice, or was in an earlier one. */
  readonly untilMs: number;
}

/** Deliveries that are held at once: ten calls of full pages. */
const mostHeld = 1_000;

/**
 * Everything in a range, the oldest first, though lists begin with the newest: a range of more than `mostHeld` is cut in
 * two until its older half is few enough to be held. That costs calls and no memory.
 */
export async function* createdIn(list: ListCreated, range: Range, most = mostHeld): AsyncGenerator<Slice> {
  const found: DeliveryView[] = [];
  let cursor: string | undefined;
  do {
    const page = await list(range, cursor);
    found.push(...page.items);
    cursor = page.cursor ?? undefined;
    const middleMs = found.length > most ? middleOf(range, found[0]) : null;
    if (middleMs !== null) {
      yield* createdIn(list, { ...range, untilMs: middleMs }, most);
      yield* createdIn(list, { ...range, sinceMs: middleMs }, most);
      return;
    }
  } while (cursor !== undefined);
  yield { deliveries: found.reverse(), untilMs: range.untilMs };
}

/** Null: a millisecond is not cut any further. */
function middleOf({ sinceMs, untilMs }: Range, newest: DeliveryView | undefined): number | null {
  const endMs = Math.min(untilMs, Date.parse(newest?.createdAt ?? "") + 1);
  const middleMs = Math.floor((sinceMs + endMs) / 2);
  return middleMs > sinceMs ? middleMs : null;
}

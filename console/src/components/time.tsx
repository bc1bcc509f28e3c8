import { relativeTime } from "../../../cli/text.js";
import { utc } from "../data/format.js";

/** A point in time: how long ago, with the time itself beside it or for whoever points at it. */
export function Time({ at, full = false }: { readonly at: string; readonly full?: boolean }) {
  const relative = relativeTime(at, Date.now());
  return (
    <time dateTime={at} title={utc(at)}>
      {full ? (
        <>
          {utc(at)} <span class="quiet">({relative})</span>
        </>
      ) : (
        relative
      )}
    </time>
  );
}

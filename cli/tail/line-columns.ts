import type { Column } from "../table.js";
import { absoluteTime, relativeTime } from "../text.js";
import type { TailLine } from "./tail-line.js";

/** A line as text: the same columns whatever is in them, since the next line is not known yet. */
export const lineColumns = (nowMs: number): readonly Column<TailLine>[] => [
  { title: "AT", value: ({ at }) => absoluteTime(at), width: 20, rank: 1 },
  { title: "STATUS", value: ({ status }) => status, width: 15 },
  { title: "RESULT", value: resultOf, width: 8 },
  { title: "TOOK", value: tookText, width: 7, rank: 3 },
  { title: "#", value: ({ attempt }) => (attempt === null ? "" : String(attempt)), width: 2, rank: 5 },
  { title: "DELIVERY", value: ({ deliveryId }) => deliveryId, width: 30 },
  { title: "THEN", value: (line) => thenText(line, nowMs), width: 10, rank: 2 },
  { title: "SOURCE", value: ({ sourceId }) => sourceId, width: 12, rank: 4 },
  { title: "SUBSCRIPTION", value: ({ subscriptionId }) => subscriptionId, width: 30, rank: 6 },
];

/** `503`, or the typed error of an attempt that got no answer. */
const resultOf = ({ statusCode, error, outcome }: TailLine): string => String(statusCode ?? error ?? outcome ?? "");

const tookText = ({ durationMs }: TailLine): string => (durationMs === null ? "" : `${Math.round(durationMs)}ms`);

/** When the next attempt is, or why there is none. */
const thenText = ({ nextAttemptAt, deadLetterReason }: TailLine, nowMs: number): string =>
  nextAttemptAt === null ? (deadLetterReason ?? "") : relativeTime(nextAttemptAt, nowMs);

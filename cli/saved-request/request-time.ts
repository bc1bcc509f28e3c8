import { headerValue } from "../../functions/core/header-list.js";
import type { SavedRequest } from "./saved-request.js";

/** When a saved request is judged to have come, and how that is known. */
export interface JudgedTime {
  readonly atMs: number;
  readonly from: string;
}

/** As its record says, its Date header, the time that it was signed at; else now. */
export function judgedTime(saved: SavedRequest, nowMs: number): JudgedTime {
  if (saved.atMs !== null) return { atMs: saved.atMs, from: "when it was recorded" };
  const dateMs = Date.parse(headerValue(saved.headers, "date") ?? "");
  if (!Number.isNaN(dateMs)) return { atMs: dateMs, from: "its Date header" };
  const signedMs = signedTime(saved);
  return signedMs === null
    ? { atMs: nowMs, from: "now: it says no time" }
    : { atMs: signedMs, from: "its own timestamp" };
}

/** The time in its signature headers, or in the body of those that sign it there; null when there is none. */
function signedTime({ headers, body }: SavedRequest): number | null {
  const named = headers.filter(([name]) => /timestamp/.test(name)).map(([, value]) => value);
  const listed = headers
    .filter(([name]) => /signature/.test(name))
    .map(([, value]) => /(?:^|[,;]) ?ts?=(\d+)/.exec(value)?.[1]);
  const inBody = /"(?:webhookTimestamp|timestamp)" ?: ?"?(\d{10}|\d{13})\b/.exec(
    body.toString("latin1", 0, 1_000_000),
  )?.[1];
  const [digits] = [...named, ...listed, inBody].filter((each) => each !== undefined && /^(\d{10}|\d{13})$/.test(each));
  if (digits === undefined) return null;
  return digits.length === 10 ? Number(digits) * 1_000 : Number(digits);
}

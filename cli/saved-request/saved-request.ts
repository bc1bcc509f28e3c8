import type { Headers } from "../../functions/core/model.js";

/** A request that somebody saved, whatever it was saved as. */
export interface SavedRequest {
  /** What it was read as, for people. */
  readonly format: string;
  /** Upper-case. */
  readonly method: string;
  /** Path as it was written; begins with `/`. */
  readonly path: string;
  /** Raw query string without `?`. */
  readonly query: string;
  readonly headers: Headers;
  readonly body: Buffer;
  /** When it was recorded, as its format says; null: it does not. */
  readonly atMs: number | null;
  /** Why the bytes may be others than those that came, as sentences. */
  readonly doubts: readonly string[];
}

/** Path and query of a URL or of a request target. */
export function splitTarget(target: string): { readonly path: string; readonly query: string } {
  const [withoutFragment = ""] = target.split("#", 1);
  const afterHost = withoutFragment.replace(/^[A-Za-z][A-Za-z0-9+.-]*:\/\/[^/?]*/, "");
  const at = afterHost.indexOf("?");
  const [path, query] = at < 0 ? [afterHost, ""] : [afterHost.slice(0, at), afterHost.slice(at + 1)];
  return { path: path.startsWith("/") ? path : `/${path}`, query };
}

/** Lower-case names, repeated headers joined by comma, as the gateway hands them over. */
export function asHeaders(pairs: Iterable<readonly [name: string, value: string]>): Headers {
  const joined = new Map<string, string>();
  for (const [name, value] of pairs) {
    const key = name.trim().toLowerCase();
    const before = joined.get(key);
    joined.set(key, before === undefined ? value.trim() : `${before},${value.trim()}`);
  }
  return [...joined];
}

import { useEffect, useState } from "preact/hooks";
import { hrefOf, parseRoute, type Route } from "./route.js";

/** The route of the URL, followed as it changes. */
export function useRoute(): Route {
  const [hash, setHash] = useState(window.location.hash);
  useEffect(() => {
    const follow = () => setHash(window.location.hash);
    window.addEventListener("hashchange", follow);
    return () => window.removeEventListener("hashchange", follow);
  }, []);
  return parseRoute(hash);
}

/** Goes there, as a step that "back" takes back. */
export function go(path: readonly string[], query?: Readonly<Record<string, string | undefined>>): void {
  window.location.hash = hrefOf(path, query);
}

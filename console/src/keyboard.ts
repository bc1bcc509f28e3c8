import { go } from "./data/use-route.js";

/** Where `g` and a letter lead. */
export const places: ReadonlyArray<readonly [key: string, path: string, title: string]> = [
  ["o", "", "Overview"],
  ["d", "deliveries", "Deliveries"],
  ["e", "events", "Events"],
  ["s", "sources", "Sources"],
  ["q", "quarantine", "Quarantine"],
  ["f", "faults", "Faults"],
  ["r", "replays", "Replays"],
  ["a", "audit", "Audit"],
];

/** Longest wait for the letter after `g`. */
const sequenceMs = 1_500;

/** Listens for keys that mean something wherever the focus is, unless somebody writes. Gives the end of it. */
export function listenToKeys(onHelp: () => void): () => void {
  let goSinceMs = -Infinity;
  const onKey = (pressed: KeyboardEvent): void => {
    if (pressed.ctrlKey || pressed.metaKey || pressed.altKey || isWriting(pressed.target)) return;
    const isSecond = performance.now() - goSinceMs < sequenceMs;
    goSinceMs = -Infinity;
    const place = isSecond ? places.find(([key]) => key === pressed.key) : undefined;
    if (place !== undefined) go(place[1] === "" ? [] : [place[1]]);
    else if (pressed.key === "g") goSinceMs = performance.now();
    else if (pressed.key === "?") onHelp();
    else if (pressed.key === "/") focusFilter();
    else return;
    pressed.preventDefault();
  };
  window.addEventListener("keydown", onKey);
  return () => window.removeEventListener("keydown", onKey);
}

function isWriting(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest("input, select, textarea, dialog") !== null;
}

/** The view's own filter, or the search by id. */
function focusFilter(): void {
  const field = document.querySelector<HTMLElement>("main [data-filter], [data-find]");
  const own = document.querySelector<HTMLElement>("main [data-filter]");
  (own ?? field)?.focus();
}

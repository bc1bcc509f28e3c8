import { useCallback, useEffect, useRef, useState } from "preact/hooks";

export interface Loaded<Value> {
  /** The last answer, also while a newer one is on its way; null: none yet. */
  readonly value: Value | null;
  readonly error: Error | null;
  readonly busy: boolean;
  /** Asks again. */
  readonly reload: () => void;
}

/**
 * Asks when `key` changes, and every `everyMs` while the page is seen (null: not again). An answer to an older question
 * is dropped.
 */
export function useLoad<Value>(key: string, load: () => Promise<Value>, everyMs: number | null = null): Loaded<Value> {
  const [state, setState] = useState<{ key: string; value: Value | null; error: Error | null; busy: boolean }>({
    key,
    value: null,
    error: null,
    busy: true,
  });
  const asked = useRef(0);
  const loader = useRef(load);
  loader.current = load;

  const ask = useCallback(() => {
    asked.current += 1;
    const mine = asked.current;
    setState((before) => ({ ...before, key, value: before.key === key ? before.value : null, busy: true }));
    loader.current().then(
      (value) => mine === asked.current && setState({ key, value, error: null, busy: false }),
      (error: unknown) =>
        mine === asked.current && setState((before) => ({ ...before, error: error as Error, busy: false })),
    );
  }, [key]);

  useEffect(() => {
    ask();
    return () => {
      asked.current += 1;
    };
  }, [ask]);
  useEffect(() => {
    if (everyMs === null) return;
    const timer = setInterval(() => {
      if (document.visibilityState === "visible") ask();
    }, everyMs);
    return () => clearInterval(timer);
  }, [ask, everyMs]);

  const { value, error, busy } = state.key === key ? state : { value: null, error: null, busy: true };
  return { value, error, busy, reload: ask };
}

import type { ComponentChildren } from "preact";
import type { Loaded } from "../data/use-load.js";
import { Failure } from "./failure.js";

/** A value that comes from the relay: the wait, the failure, or what `children` make of it. */
export function Loading<Value>({
  of: { value, error, reload },
  children,
}: {
  readonly of: Loaded<Value>;
  readonly children: (value: Value) => ComponentChildren;
}) {
  return (
    <>
      {error !== null && <Failure error={error} retry={reload} />}
      {value !== null ? children(value) : error === null && <p class="quiet loading">Loading…</p>}
    </>
  );
}

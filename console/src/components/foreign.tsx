import { foreign } from "../data/format.js";

/** Text that somebody else wrote: text and nothing else, and it cannot turn round what stands beside it. */
export function Foreign({ text, code = false }: { readonly text: string; readonly code?: boolean }) {
  const shown = foreign(text);
  return code ? <code dir="ltr">{shown}</code> : <bdi>{shown}</bdi>;
}

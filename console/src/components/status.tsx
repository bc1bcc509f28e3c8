import type { Tone } from "../data/words.js";

/** How something stands, as text with a mark and a colour. */
export function Status({ is: [text, tone] }: { readonly is: readonly [text: string, tone: Tone] }) {
  return <span class={`status ${tone}`}>{text}</span>;
}

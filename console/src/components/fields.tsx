import type { ComponentChildren } from "preact";

export type Field = readonly [name: string, value: ComponentChildren];

/** Names and values; null is left out. */
export function Fields({ of }: { readonly of: readonly Field[] }) {
  return (
    <dl class="fields">
      {of
        .filter(([, value]) => value !== null && value !== undefined && value !== "")
        .map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
    </dl>
  );
}

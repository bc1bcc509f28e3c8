import type { ComponentChildren } from "preact";

/** A part of a view, with its heading. */
export function Panel({
  title,
  aside,
  children,
}: {
  readonly title: string;
  /** Beside the heading. */
  readonly aside?: ComponentChildren;
  readonly children: ComponentChildren;
}) {
  return (
    <section class="panel">
      <header>
        <h2>{title}</h2>
        {aside}
      </header>
      {children}
    </section>
  );
}

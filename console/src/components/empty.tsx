import type { ComponentChildren } from "preact";

/** Nothing is here: why that is so, and what to do next. */
export function Empty({ children, command }: { readonly children: ComponentChildren; readonly command?: string }) {
  return (
    <div class="empty">
      <p>{children}</p>
      {command !== undefined && (
        <pre class="command">
          <code>{command}</code>
        </pre>
      )}
    </div>
  );
}

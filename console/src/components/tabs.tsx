import type { ComponentChildren } from "preact";
import { useId } from "preact/hooks";

/** Several ways to look at the same: arrow keys go from one to the next. */
export function Tabs<Name extends string>({
  label,
  names,
  chosen,
  choose,
  children,
}: {
  readonly label: string;
  readonly names: readonly Name[];
  readonly chosen: Name;
  readonly choose: (name: Name) => void;
  readonly children: ComponentChildren;
}) {
  const id = useId();
  const step = (pressed: KeyboardEvent) => {
    const by = { ArrowRight: 1, ArrowLeft: -1 }[pressed.key];
    if (by === undefined) return;
    const next = names[(names.indexOf(chosen) + by + names.length) % names.length] as Name;
    choose(next);
    document.getElementById(`${id}-${next}`)?.focus();
  };
  return (
    <div class="tabs">
      <div role="tablist" aria-label={label} onKeyDown={step}>
        {names.map((name) => (
          <button
            type="button"
            role="tab"
            key={name}
            id={`${id}-${name}`}
            aria-selected={name === chosen}
            aria-controls={`${id}-panel`}
            tabIndex={name === chosen ? 0 : -1}
            onClick={() => choose(name)}
          >
            {name}
          </button>
        ))}
      </div>
      <div role="tabpanel" id={`${id}-panel`} aria-labelledby={`${id}-${chosen}`}>
        {children}
      </div>
    </div>
  );
}

import { places } from "../keyboard.js";
import { Dialog } from "./dialog.js";

/** The keys. */
export function Help({ onClose }: { readonly onClose: () => void }) {
  const keys: ReadonlyArray<readonly [readonly string[], string]> = [
    [["/"], "Go to the filter"],
    ...places.map(([key, , title]) => [["g", key], title] as const),
    [["?"], "This sheet"],
    [["Esc"], "Close a dialog"],
  ];
  return (
    <Dialog title="Keys" onClose={onClose}>
      <dl class="keys">
        {keys.map(([pressed, title]) => (
          <div key={title}>
            <dt>
              {pressed.map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dt>
            <dd>{title}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}

import { useState } from "preact/hooks";
import { go } from "../data/use-route.js";
import { pathOfId } from "../find.js";

/** From an id in a log line or a ticket to its page. */
export function Finder() {
  const [text, setText] = useState("");
  const [unknown, setUnknown] = useState(false);
  return (
    <form
      class="finder"
      aria-label="Find by id"
      onSubmit={(submitted) => {
        submitted.preventDefault();
        const path = pathOfId(text);
        setUnknown(path === null && text.trim() !== "");
        if (path !== null) {
          setText("");
          go(path);
        }
      }}
    >
      <input
        data-find
        type="search"
        aria-label="Find by id"
        placeholder="Find dlv_… evt_… sub_…"
        autocomplete="off"
        spellcheck={false}
        value={text}
        aria-invalid={unknown}
        onInput={({ currentTarget }) => {
          setText(currentTarget.value);
          setUnknown(false);
        }}
      />
      {unknown && <p role="alert">No id of this relay.</p>}
    </form>
  );
}

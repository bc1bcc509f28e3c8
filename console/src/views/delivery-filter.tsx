import { useEffect, useState } from "preact/hooks";
import type { Query } from "../data/route.js";
import { go } from "../data/use-route.js";
import { deliveryStatus } from "../data/words.js";

const hourMs = 3_600_000;
const spans = [
  ["1 h", hourMs],
  ["24 h", 24 * hourMs],
  ["7 d", 168 * hourMs],
] as const;

/** What the list of deliveries is narrowed by; each change is a step of the browser's history. */
export function DeliveryFilter({ query }: { readonly query: Query }) {
  const key = JSON.stringify(query);
  const [written, setWritten] = useState<{ readonly key: string; readonly fields: Query }>({ key, fields: query });
  // What was written at another address is over. Effects come late: what is written here before this one stays.
  const draft = written.key === key ? written.fields : query;
  useEffect(() => setWritten((before) => (before.key === key ? before : { key, fields: query })), [key]);
  const apply = (changes: Readonly<Record<string, string>>) => {
    const { cursor: _cursor, ...rest } = { ...draft, ...changes } as Record<string, string>;
    go(["deliveries"], rest);
  };
  const field = (name: string) => ({
    value: draft[name] ?? "",
    onInput: ({ currentTarget }: { currentTarget: HTMLInputElement }) =>
      setWritten({ key, fields: { ...draft, [name]: currentTarget.value.trim() } }),
    onChange: ({ currentTarget }: { currentTarget: HTMLInputElement }) => apply({ [name]: currentTarget.value.trim() }),
  });
  return (
    <form
      class="filter"
      aria-label="Filter deliveries"
      onSubmit={(submitted) => {
        submitted.preventDefault();
        apply({});
      }}
    >
      <label>
        Status
        <select
          data-filter
          value={draft["status"] ?? ""}
          onChange={({ currentTarget }) => apply({ status: currentTarget.value })}
        >
          <option value="">any</option>
          {Object.entries(deliveryStatus).map(([status, [text]]) => (
            <option key={status} value={status}>
              {text}
            </option>
          ))}
        </select>
      </label>
      <label>
        Source
        <input type="text" autocomplete="off" spellcheck={false} placeholder="any" {...field("sourceId")} />
      </label>
      <label>
        Subscription
        <input type="text" autocomplete="off" spellcheck={false} placeholder="sub_…" {...field("subscriptionId")} />
      </label>
      <TimeField label="Since" value={query["since"]} onChange={(since) => apply({ since })} />
      <TimeField label="Until" value={query["until"]} onChange={(until) => apply({ until })} />
      <div class="spans">
        {spans.map(([text, ms]) => (
          <button
            type="button"
            key={text}
            onClick={() => apply({ since: new Date(Date.now() - ms).toISOString(), until: "" })}
          >
            {text}
          </button>
        ))}
        <button type="button" onClick={() => go(["deliveries"])} disabled={Object.keys(query).length === 0}>
          Clear
        </button>
      </div>
    </form>
  );
}

/** A time in the browser's zone; in the URL it is one of UTC. */
function TimeField({
  label,
  value,
  onChange,
}: {
  readonly label: string;
  readonly value: string | undefined;
  readonly onChange: (iso: string) => void;
}) {
  return (
    <label>
      {label}
      <input
        type="datetime-local"
        step={1}
        value={value === undefined ? "" : localTime(value)}
        onChange={({ currentTarget }) =>
          onChange(currentTarget.value === "" ? "" : new Date(currentTarget.value).toISOString())
        }
      />
    </label>
  );
}

function localTime(iso: string): string {
  const ms = Date.parse(iso);
  if (Number.isNaN(ms)) return "";
  return new Date(ms - new Date(ms).getTimezoneOffset() * 60_000).toISOString().slice(0, 19);
}

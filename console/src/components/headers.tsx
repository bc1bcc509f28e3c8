import { Foreign } from "./foreign.js";

/** Headers as they came. */
export function Headers({ of }: { readonly of: Readonly<Record<string, string>> }) {
  const entries = Object.entries(of);
  if (entries.length === 0) return <p class="quiet">No headers are kept.</p>;
  return (
    <dl class="fields headers">
      {entries.map(([name, value]) => (
        <div key={name}>
          <dt>
            <Foreign text={name} code />
          </dt>
          <dd>
            <Foreign text={value} code />
          </dd>
        </div>
      ))}
    </dl>
  );
}

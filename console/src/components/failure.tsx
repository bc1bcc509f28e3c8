import { ApiError } from "../data/api.js";
import { foreign } from "../data/format.js";

/** What went wrong, field by field where the relay says so. */
export function Failure({ error, retry }: { readonly error: Error; readonly retry?: () => void }) {
  const fields = error instanceof ApiError ? error.fields : [];
  return (
    <div class="failure" role="alert">
      <p>{foreign(error.message)}</p>
      {fields.length > 0 && (
        <ul>
          {fields.map(({ field, reason, fix }) => (
            <li key={`${field} ${reason}`}>
              {field !== "" && <code>{foreign(field)}</code>} {foreign(reason)}
              {fix !== undefined && ` → ${foreign(fix)}`}
            </li>
          ))}
        </ul>
      )}
      {retry !== undefined && (
        <button type="button" onClick={retry}>
          Try again
        </button>
      )}
    </div>
  );
}

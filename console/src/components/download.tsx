import { useState } from "preact/hooks";
import { useSurroundings } from "../data/context.js";
import { Failure } from "./failure.js";

/** A link to a body's bytes: a file, whatever is in it. */
export function Download({ eventId }: { readonly eventId: string }) {
  const { api } = useSurroundings();
  const [error, setError] = useState<Error | null>(null);
  const path = `/events/${encodeURIComponent(eventId)}/body`;
  const name = `${eventId}.body`;
  if (!api.needsToken) {
    return (
      <a href={`/admin${path}`} download={name}>
        Download the body
      </a>
    );
  }
  // A link cannot carry the token: the bytes are fetched, and saved from here.
  const save = () => {
    setError(null);
    api.bytes(path).then((bytes) => {
      const url = URL.createObjectURL(new Blob([bytes], { type: "application/octet-stream" }));
      const link = document.createElement("a");
      link.href = url;
      link.download = name;
      link.click();
      setTimeout(() => URL.revokeObjectURL(url), 10_000);
    }, setError);
  };
  return (
    <>
      <button type="button" class="link" onClick={save}>
        Download the body
      </button>
      {error !== null && <Failure error={error} />}
    </>
  );
}

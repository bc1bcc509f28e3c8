import { useState } from "preact/hooks";
import { useSurroundings } from "../data/context.js";
import { bytes as byteText, foreign } from "../data/format.js";
import { hexDump } from "../data/hex.js";
import { indentJson } from "../data/indent-json.js";
import { useLoad } from "../data/use-load.js";
import { Download } from "./download.js";
import { Loading } from "./loading.js";
import { Tabs } from "./tabs.js";

/** More is not fetched to be looked at: above this the relay answers with a link. */
const mostFetchedBytes = 4_000_000;
const mostTextBytes = 64 * 1024;
const mostHexBytes = 4 * 1024;

/** An event's body as it came: as JSON where it is some, as text, as bytes. Never as a page. */
export function BodyView({ eventId, bodyBytes }: { readonly eventId: string; readonly bodyBytes: number }) {
  if (bodyBytes === 0) return <p class="quiet">The body is empty.</p>;
  if (bodyBytes > mostFetchedBytes) {
    return (
      <p>
        {byteText(bodyBytes)}: too large to show. <Download eventId={eventId} />
      </p>
    );
  }
  return <FetchedBody eventId={eventId} />;
}

function FetchedBody({ eventId }: { readonly eventId: string }) {
  const { api } = useSurroundings();
  const loaded = useLoad(eventId, () => api.bytes(`/events/${encodeURIComponent(eventId)}/body`));
  return <Loading of={loaded}>{(bytes) => <Shown eventId={eventId} bytes={bytes} />}</Loading>;
}

type Way = "JSON" | "Text" | "Hex";

function Shown({ eventId, bytes }: { readonly eventId: string; readonly bytes: Uint8Array }) {
  const text = new TextDecoder().decode(bytes);
  const json = bytes.length <= 1_048_576 ? indentJson(text) : null;
  const ways: readonly Way[] = json === null ? ["Text", "Hex"] : ["JSON", "Text", "Hex"];
  const [chosen, choose] = useState<Way>(ways[0] as Way);
  const views: Readonly<Record<Way, readonly [shown: string, whole: boolean]>> = {
    JSON: cut(json ?? "", mostTextBytes),
    Text: cut(text, mostTextBytes),
    Hex: [hexDump(bytes.subarray(0, mostHexBytes)), bytes.length <= mostHexBytes],
  };
  const [shown, isWhole] = views[chosen];
  return (
    <>
      <Tabs label="Views of the body" names={ways} chosen={chosen} choose={choose}>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
        <pre class="body" tabIndex={0}>
          {foreign(shown, true)}
        </pre>
      </Tabs>
      <p class="quiet">
        {byteText(bytes.length)}
        {!isWhole && ", cut here"}. <Download eventId={eventId} />
      </p>
    </>
  );
}

const cut = (text: string, most: number): readonly [string, boolean] => [text.slice(0, most), text.length <= most];

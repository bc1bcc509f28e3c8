/** Where the console is: kept in the URL's fragment, so that reload, back and a copied link show the same. */
export interface Route {
  /** Decoded; empty for the overview. */
  readonly path: readonly string[];
  readonly query: Query;
}

export type Query = Readonly<Record<string, string | undefined>>;

/** `#/deliveries/dlv_1?tab=hex`. What is no route is the overview. */
export function parseRoute(hash: string): Route {
  const [path = "", search = ""] = splitOnce(hash.replace(/^#/, ""), "?");
  const segments = path.split("/").filter((segment) => segment !== "");
  return { path: segments.map(decoded), query: Object.fromEntries(new URLSearchParams(search)) };
}

/** The fragment of a route; parameters that are empty or undefined are left out. */
export function hrefOf(path: readonly string[], query: Readonly<Record<string, string | undefined>> = {}): string {
  const given = Object.entries(query).filter((entry): entry is [string, string] => (entry[1] ?? "") !== "");
  const search = new URLSearchParams(given).toString();
  return `#/${path.map(encodeURIComponent).join("/")}${search === "" ? "" : `?${search}`}`;
}

function splitOnce(text: string, mark: string): readonly string[] {
  const index = text.indexOf(mark);
  return index < 0 ? [text] : [text.slice(0, index), text.slice(index + 1)];
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

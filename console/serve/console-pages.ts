import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pageHeaders } from "./page-headers.js";

export interface PageAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/** What the page is told of the relay that it stands before. */
export interface RelayInfo {
  /** A few words, such as `local relay` or `stack Hooks`. */
  readonly label: string;
  /** What providers post to, followed by `/{sourceId}`. */
  readonly ingressUrl: string;
  /** The command line with what it needs to reach this relay. */
  readonly command: string;
}

const types: Readonly<Record<string, string>> = {
  html: "text/html; charset=utf-8",
  js: "text/javascript; charset=utf-8",
  css: "text/css; charset=utf-8",
};

/** Below this path the console is served, by whoever serves it. */
const place = "/console";

/** The console's files, read when they are first asked for: those of the build's manifest and nothing else. */
export class ConsolePages {
  readonly #folder: string;
  #files: ReadonlyMap<string, Buffer> | null = null;

  /** `folder`: dist/console of the package. */
  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Null: the path is not the console's. */
  answer(method: string, path: string, relay: RelayInfo): PageAnswer | null {
    if (path !== place && !path.startsWith(`${place}/`)) return null;
    if (method !== "GET" && method !== "HEAD") return said(405, "The console is only read.", { allow: "GET, HEAD" });
    if (path === place) return said(308, "", { location: `${place}/` });
    const name = path.slice(place.length + 1);
    if (name === "relay.json") return found("application/json", "no-store", Buffer.from(JSON.stringify(relay)));
    const body = this.#read().get(name === "" ? "index.html" : name);
    if (body === undefined) return said(404, "The console has no such file.");
    // The page names its assets by the hashes of their contents: they never change.
    if (name === "" || name === "index.html") return found(types["html"] as string, "no-cache", body);
    const type = types[name.slice(name.lastIndexOf(".") + 1)] ?? "application/octet-stream";
    return found(type, "public, max-age=31536000, immutable", body);
  }

  #read(): ReadonlyMap<string, Buffer> {
    if (this.#files !== null) return this.#files;
    const { files } = JSON.parse(readFileSync(join(this.#folder, "manifest.json"), "utf8")) as { files: string[] };
    this.#files = new Map(files.map((name) => [name, readFileSync(join(this.#folder, name))]));
    return this.#files;
  }
}

const found = (type: string, cacheControl: string, body: Buffer): PageAnswer => ({
  status: 200,
  headers: { ...pageHeaders, "content-type": type, "cache-control": cacheControl },
  body,
});

const said = (status: number, text: string, headers: Readonly<Record<string, string>> = {}): PageAnswer => ({
  status,
  headers: { ...pageHeaders, ...headers, "content-type": "text/plain; charset=utf-8", "cache-control": "no-store" },
  body: Buffer.from(text),
});

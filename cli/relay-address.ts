/** A request before it is signed. */
export interface OutgoingRequest {
  readonly method: string;
  readonly url: URL;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | undefined;
  /** Ends the wait for an answer when it is aborted. */
  readonly signal?: AbortSignal | undefined;
}

/** Gives the headers that a request goes out with. */
export type Signer = (request: OutgoingRequest) => Promise<Record<string, string>>;

/** Where a relay is, and how its calls are signed. */
export interface RelayAddress {
  /** Without a slash at the end; `/admin` and `/publish` follow. */
  readonly baseUrl: string;
  /** What providers post to, followed by `/{sourceId}`. */
  readonly ingressUrl: string;
  /** Null: calls are not signed, as a local relay takes them. */
  readonly sign: Signer | null;
}

export const isLoopback = (url: string): boolean =>
  /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(new URL(url).hostname);

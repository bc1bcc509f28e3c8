import { CliError } from "./cli-error.js";
import { exchange, type RelayAnswer } from "./exchange.js";
import { refused } from "./refusals.js";
import type { OutgoingRequest, RelayAddress } from "./relay-address.js";

export interface CallOptions {
  readonly query?: Readonly<Record<string, string | undefined>>;
  /** JSON. */
  readonly body?: unknown;
  /** Version that a change is made to; the relay refuses it when there is a newer one. */
  readonly ifMatch?: number | undefined;
  /** Idempotency-Key. */
  readonly key?: string | undefined;
  /** Ends the call when it is aborted. */
  readonly signal?: AbortSignal;
}

export interface ForwardedCall {
  readonly method: string;
  /** From `/admin/` on, escaped. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | undefined;
}

/** Calls of one relay's HTTP API. Every refusal and every failure is a {@link CliError} that says what to do. */
export class RelayClient {
  /** `reason`: what the writes are for, for the audit trail. */
  constructor(
    readonly address: RelayAddress,
    private readonly reason?: string,
  ) {}

  /** A call of the admin API; undefined where the answer has no body. */
  async call<Answer>(method: string, path: string, options: CallOptions = {}): Promise<Answer> {
    const { query, body, ifMatch, key, signal } = options;
    const headers: Record<string, string> = { accept: "application/json" };
    // Each write is marked as JSON, also one without a body: a browser could not send it from another site.
    if (method !== "GET") headers["content-type"] = method === "PATCH" ? mergePatchType : jsonType;
    if (ifMatch !== undefined) headers["if-match"] = `"${ifMatch}"`;
    if (key !== undefined) headers["idempotency-key"] = key;
    if (method !== "GET" && this.reason !== undefined) headers["steadyhook-reason"] = encodeURIComponent(this.reason);
    const bytes = body === undefined ? undefined : Buffer.from(JSON.stringify(body));
    const answer = await this.#send({ method, url: this.#url(`/admin${path}`, query), headers, body: bytes, signal });
    return parseAnswer<Answer>(answer);
  }

  /** Every item of a list, page after page. */
  async all<Item>(path: string, query: CallOptions["query"] = {}): Promise<Item[]> {
    const items: Item[] = [];
    let cursor: string | undefined;
    do {
      const page = await this.call<Page<Item>>("GET", path, { query: { limit: "100", ...query, cursor } });
      items.push(...page.items);
      cursor = page.cursor ?? undefined;
    } while (cursor !== undefined);
    return items;
  }

  async publish(sourceId: string, body: Buffer, headers: Readonly<Record<string, string>>): Promise<PublishAnswer> {
    const url = this.#url(`/publish/${encodeURIComponent(sourceId)}`);
    return parseAnswer<PublishAnswer>(await this.#send({ method: "POST", url, headers, body }));
  }

  /** Bytes; an answer that says where they are instead is followed, without our signature. */
  async download(path: string): Promise<Buffer> {
    const answer = await this.#send({ method: "GET", url: this.#url(`/admin${path}`), headers: {}, body: undefined });
    const { location } = answer.headers;
    if (answer.status !== 302 || location === undefined) return answer.body;
    const elsewhere = { method: "GET", url: new URL(location, this.address.baseUrl), headers: {}, body: undefined };
    return requireSuccess(await exchange(elsewhere, {}, this.address), this.address).body;
  }

  /**
   * Passes a call on as it came, and back whatever is answered, refusals too: for the console. An answer that says where
   * bytes are is followed, without our signature.
   */
  async forward({ method, path, query, headers, body }: ForwardedCall): Promise<RelayAnswer> {
    const request = { method, url: this.#url(path, Object.fromEntries(query)), headers, body };
    const signed = this.address.sign === null ? headers : await this.address.sign(request);
    const answer = await exchange(request, signed, this.address);
    const { location } = answer.headers;
    if (answer.status !== 302 || location === undefined) return answer;
    const elsewhere = { method: "GET", url: new URL(location, this.address.baseUrl), headers: {}, body: undefined };
    return exchange(elsewhere, {}, this.address);
  }

  #url(path: string, query: CallOptions["query"] = {}): URL {
    const url = new URL(this.address.baseUrl + path);
    const given = Object.entries(query).filter((entry): entry is [string, string] => entry[1] !== undefined);
    url.search = given.map((pair) => pair.map(escaped).join("=")).join("&");
    return url;
  }

  async #send(request: OutgoingRequest): Promise<RelayAnswer> {
    const headers = this.address.sign === null ? request.headers : await this.address.sign(request);
    return requireSuccess(await exchange(request, headers, this.address), this.address);
  }
}

/** Escaped as a signature's canonical query is: URLSearchParams would make a space a plus sign. */
const escaped = (text: string): string =>
  encodeURIComponent(text).replaceAll(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );

export interface Page<Item> {
  readonly items: readonly Item[];
  readonly cursor: string | null;
}

interface PublishAnswer {
  readonly eventId: string;
}

const jsonType = "application/json";
const mergePatchType = "application/merge-patch+json";

function requireSuccess(answer: RelayAnswer, address: RelayAddress): RelayAnswer {
  if (answer.status < 400) return answer;
  throw refused(answer, address);
}

function parseAnswer<Answer>({ status, headers, body }: RelayAnswer): Answer {
  if (status === 204) return undefined as Answer;
  const isJson = /^application\/([a-z.-]+\+)?json\b/i.test(headers["content-type"] ?? "");
  if (status < 300 && isJson) return JSON.parse(body.toString("utf8")) as Answer;
  throw new CliError(`The answer is not one of a Steadyhook relay (status ${status}).`, {
    code: "not_a_relay",
    fix: "--url is a relay's base URL, such as http://127.0.0.1:8787.",
  });
}

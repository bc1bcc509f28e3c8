import http from "node:http";
import https from "node:https";
import { buffer } from "node:stream/consumers";
import { CliError, type WrongField } from "./cli-error.js";

/** A request before it is signed. */
export interface OutgoingRequest {
  readonly method: string;
  readonly url: URL;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | undefined;
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

export interface CallOptions {
  readonly query?: Readonly<Record<string, string | undefined>>;
  /** JSON. */
  readonly body?: unknown;
  /** Version that a change is made to; the relay refuses it when there is a newer one. */
  readonly ifMatch?: number | undefined;
}

/** The gateway's limit is 30 s: later nothing comes. */
const answerWithinMs = 35_000;

/** Calls of one relay's HTTP API. Every refusal and every failure is a {@link CliError} that says what to do. */
export class RelayClient {
  constructor(readonly address: RelayAddress) {}

  /** A call of the admin API; undefined where the answer has no body. */
  async call<Answer>(method: string, path: string, { query, body, ifMatch }: CallOptions = {}): Promise<Answer> {
    const headers: Record<string, string> = { accept: "application/json" };
    // Each write is marked as JSON, also one without a body: a browser could not send it from another site.
    if (method !== "GET") headers["content-type"] = method === "PATCH" ? mergePatchType : jsonType;
    if (ifMatch !== undefined) headers["if-match"] = `"${ifMatch}"`;
    const bytes = body === undefined ? undefined : Buffer.from(JSON.stringify(body));
    const answer = await this.#send({ method, url: this.#url(`/admin${path}`, query), headers, body: bytes });
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

interface RelayAnswer {
  readonly status: number;
  readonly headers: http.IncomingHttpHeaders;
  readonly body: Buffer;
}

async function exchange(
  request: OutgoingRequest,
  headers: Readonly<Record<string, string>>,
  address: RelayAddress,
): Promise<RelayAnswer> {
  try {
    return await send(request, headers);
  } catch (error) {
    throw unreachable(error as NodeJS.ErrnoException, request.url, address);
  }
}

/** Not `fetch`: it refuses ports, and follows what is to be followed without our signature. */
function send({ method, url, body }: OutgoingRequest, headers: Readonly<Record<string, string>>): Promise<RelayAnswer> {
  const { request } = url.protocol === "https:" ? https : http;
  return new Promise((resolve, reject) => {
    const signal = AbortSignal.timeout(answerWithinMs);
    const outgoing = request(url, { method, headers, signal }, (incoming) => {
      buffer(incoming).then(
        (bytes) => resolve({ status: incoming.statusCode ?? 0, headers: incoming.headers, body: bytes }),
        reject,
      );
    });
    outgoing.on("error", reject).end(body);
  });
}

function unreachable(error: NodeJS.ErrnoException, { origin }: URL, { sign }: RelayAddress): CliError {
  const code = "not_reachable";
  if (error.name === "AbortError") {
    const fix = "Try again; the relay's log says more.";
    return new CliError(`${origin} did not answer within ${answerWithinMs / 1_000} s.`, { code, fix });
  }
  const why = error.code === "ECONNREFUSED" ? "nothing listens there" : error.message || (error.code ?? error.name);
  const fix =
    sign === null
      ? "Start the local relay with `npm start`, or name another one with --url URL or --stack NAME."
      : "Check the URL, the region and the network.";
  return new CliError(`No relay answers at ${origin}: ${why}.`, { code, fix });
}

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

interface ProblemDocument {
  readonly code?: string;
  readonly detail?: string;
  /** The gateway's own answers have nothing else. */
  readonly message?: string;
  readonly errors?: readonly WrongField[];
}

function refused({ status, body }: RelayAnswer, address: RelayAddress): CliError {
  const document = jsonOf(body);
  const { code, detail, message, errors } = document;
  const said = detail ?? message ?? `The relay answered with status ${status}.`;
  const fix =
    (code === undefined ? undefined : fixes[code]) ?? (code === undefined ? gatewayFix(status, address) : undefined);
  return new CliError(said, { status, code, fix, fields: errors ?? [] });
}

function jsonOf(body: Buffer): ProblemDocument {
  try {
    const value: unknown = JSON.parse(body.toString("utf8"));
    return typeof value === "object" && value !== null ? value : {};
  } catch {
    return {};
  }
}

/** What the relay cannot know: how its caller comes on with this tool. */
const fixes: Readonly<Record<string, string>> = {
  unknown_source: "`steadyhook sources list` shows those that exist.",
  unknown_subscription: "`steadyhook subscriptions list` shows those that exist.",
  unknown_delivery: "`steadyhook deliveries list` shows those that are kept.",
  not_yet_processed: "Right after it was accepted: try again in a moment.",
  version_mismatch: "Somebody changed it meanwhile: look at it again, then repeat the change.",
  changed_meanwhile: "Try again.",
  has_subscriptions: "`steadyhook subscriptions list SOURCE` shows them.",
  invalid_cursor: "Leave --cursor out, and keep the filters of the page that it came from.",
  unverified: "Only signed requests may call this.",
  internal_error: "The log of the admin function says more.",
};

/** Answers of the gateway in front of the functions. */
function gatewayFix(status: number, { sign, baseUrl }: RelayAddress): string | undefined {
  if (status === 403 && sign !== null) {
    return (
      "The credentials may not call this API, or belong to another account: check --profile and --region; the role " +
      "needs what grantRead, grantOperate, grantPublish or grantAdmin of the construct give."
    );
  }
  if (status === 403 && !isLoopback(baseUrl)) {
    return "A relay on AWS takes signed calls only: name it with --stack NAME, or pass --region with --url.";
  }
  if (status === 404) return "Is this a relay's base URL? This version of the relay may also not know the call yet.";
  if (status >= 500) return "Try again; the relay's log says more.";
  return undefined;
}

export const isLoopback = (url: string): boolean =>
  /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(new URL(url).hostname);

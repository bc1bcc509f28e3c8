import type { Problem } from "../../../functions/app/admin/view-schemas.js";

/** What the relay refused, or could not be asked: everything that a person has to read. */
export class ApiError extends Error {
  override readonly name = "ApiError";

  constructor(
    readonly status: number,
    readonly code: string | null,
    detail: string,
    readonly fields: NonNullable<Problem["errors"]> = [],
  ) {
    super(detail);
  }
}

export interface WriteOptions {
  readonly body?: unknown;
  /** Version that is changed: somebody else's change meanwhile is refused, not overwritten. */
  readonly version?: number;
  readonly idempotencyKey?: string;
  /** For the audit trail. */
  readonly reason?: string;
}

type Parameters = Readonly<Record<string, string | undefined>>;

/** Calls of the admin API, from the page's own origin. */
export class Api {
  readonly #token: string | null;

  constructor(token: string | null) {
    this.#token = token;
  }

  /** The page's server wants a token with every call: a plain link to a body would be refused. */
  get needsToken(): boolean {
    return this.#token !== null;
  }

  async get<Answer>(path: string, parameters: Parameters = {}): Promise<Answer> {
    const given = Object.entries(parameters).filter((entry): entry is [string, string] => (entry[1] ?? "") !== "");
    const search = new URLSearchParams(given).toString();
    const response = await this.#fetch(`/admin${path}${search === "" ? "" : `?${search}`}`, {});
    return (await response.json()) as Answer;
  }

  async write<Answer>(method: string, path: string, options: WriteOptions = {}): Promise<Answer> {
    const { body, version, idempotencyKey, reason } = options;
    const type = method === "PATCH" && version !== undefined ? "application/merge-patch+json" : "application/json";
    const headers: Record<string, string> = { "content-type": type };
    if (version !== undefined) headers["if-match"] = `"${version}"`;
    if (idempotencyKey !== undefined) headers["idempotency-key"] = idempotencyKey;
    if (reason !== undefined && reason !== "") headers["steadyhook-reason"] = encodeURIComponent(reason);
    const init = { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) };
    const response = await this.#fetch(`/admin${path}`, init);
    return (response.status === 204 ? undefined : await response.json()) as Answer;
  }

  async bytes(path: string): Promise<Uint8Array<ArrayBuffer>> {
    return new Uint8Array(await (await this.#fetch(`/admin${path}`, {})).arrayBuffer());
  }

  /** What this page's server says of the relay behind it. */
  async relay(): Promise<RelayInfo> {
    return (await (await this.#fetch("/console/relay.json", {})).json()) as RelayInfo;
  }

  async #fetch(url: string, init: RequestInit): Promise<Response> {
    const headers = new Headers(init.headers);
    headers.set("accept", "application/json");
    if (this.#token !== null) headers.set("x-steadyhook-console", this.#token);
    let response: Response;
    try {
      response = await fetch(url, {
        ...init,
        headers,
        credentials: "omit",
        cache: "no-store",
        referrerPolicy: "no-referrer",
      });
    } catch {
      throw new ApiError(0, "not_reachable", "The relay does not answer: is it still running?");
    }
    if (response.ok) return response;
    throw await errorOf(response);
  }
}

/** Where providers post to, and how the command line names the same relay. */
export interface RelayInfo {
  readonly label: string;
  readonly ingressUrl: string;
  /** The command with what it needs to reach this relay. */
  readonly command: string;
}

async function errorOf(response: Response): Promise<ApiError> {
  const said = (await response.json().catch(() => ({}))) as Partial<Problem> & { readonly message?: string };
  const detail = said.detail ?? said.message ?? `The relay answered with status ${response.status}.`;
  return new ApiError(response.status, said.code ?? null, detail, said.errors ?? []);
}

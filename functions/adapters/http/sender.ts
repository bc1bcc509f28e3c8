import type { Clock, OutboundRequest, Sender, SendResult } from "../../app/ports.js";
import { type GuardOptions, urlProblem, vetAddress } from "../../core/address-guard.js";
import { type Fault, faultFrom, faultOf } from "./errors.js";
import { Exchange, type ExchangeResult } from "./exchange.js";
import { type HostLookup, systemLookup, vettedLookup } from "./lookup.js";
import { headFault, type RequestHead, requestHead } from "./request-head.js";
import { SocketPool } from "./socket-pool.js";

export interface HttpSenderOptions {
  readonly now: Clock;
  /** Lets loopback destinations through; for the local relay only. */
  readonly allowLoopback: boolean;
  /** See {@link GuardOptions}. Default: none. */
  readonly privateCidrs?: readonly string[];
  /** Default: the system's resolver. */
  readonly lookup?: HostLookup;
  /** Certificate authorities to trust instead of the built-in ones (PEM). Default: the built-in ones. */
  readonly ca?: string | Buffer;
  /** Bytes of a response body that are kept. Default 1,024. */
  readonly previewBytes?: number;
  /** How long a response body may take after its headers, in milliseconds. Default 2,000. */
  readonly previewGraceMs?: number;
}

/** Bytes of a response body that are read at all, so that the connection can be used again. */
const maxResponseBytes = 16 * 1024;

const certificateNote = "A client certificate was sent: some servers close the connection when they do not accept it.";

const resentNote = "A kept-alive connection turned out to be closed; the request was sent again on a new one.";

/**
 * Sends one attempt over HTTP/1.1. Redirects are not followed, bodies not inflated, proxy variables not read; every
 * address is vetted and the vetted ones are connected to. Whatever happens is a value: `send` never rejects.
 *
 * A reset on a kept connection before any byte of an answer is not the destination's failure (the connection had died
 * while idle): the request is sent once more on a new connection within the same attempt, and `errorDetail` says so.
 */
export class HttpSender implements Sender {
  readonly #options: HttpSenderOptions;
  readonly #guard: GuardOptions;
  readonly #lookup: HostLookup;
  readonly #pool: SocketPool;

  constructor(options: HttpSenderOptions) {
    this.#options = options;
    this.#guard = { allowLoopback: options.allowLoopback, privateCidrs: options.privateCidrs ?? [] };
    this.#lookup = options.lookup ?? systemLookup();
    this.#pool = new SocketPool(options);
  }

  async send(request: OutboundRequest): Promise<SendResult> {
    const startedAtMs = this.#options.now();
    let result: ExchangeResult;
    const notes: string[] = [];
    try {
      const url = new URL(request.url);
      const refusal = this.#refusal(url);
      if (refusal !== null) return this.#sendResult(startedAtMs, failed(refusal));
      const head = requestHead(request, url);
      result = await this.#exchange(request, head, false);
      if (result.deadConnection) {
        notes.push(resentNote);
        result = await this.#exchange(request, head, true);
      }
    } catch (cause) {
      result = failed(refusedForm(request, cause));
    }
    if (result.fault?.error === "reset" && request.tls?.certificate !== undefined) notes.push(certificateNote);
    return this.#sendResult(startedAtMs, result, notes);
  }

  /** Ends the connections that are kept. The sender stays usable. */
  close(): void {
    this.#pool.close();
  }

  /** What keeps the request from being sent at all. Literal addresses are vetted here: they are never looked up. */
  #refusal(url: URL): Fault | null {
    const problem = urlProblem(url, this.#guard);
    if (problem === null) return null;
    return faultOf(this.#isPortProblem(url) ? "blocked_port" : "blocked_address", problem);
  }

  /** True when the same URL on its scheme's default port would pass. */
  #isPortProblem(url: URL): boolean {
    const withoutPort = new URL(url);
    withoutPort.port = "";
    return urlProblem(withoutPort, this.#guard) === null;
  }

  #exchange(request: OutboundRequest, head: RequestHead, fresh: boolean): Promise<ExchangeResult> {
    const { now } = this.#options;
    const deadlineInMs = request.deadlineMs - now();
    if (deadlineInMs <= 0) return Promise.resolve(failed(faultOf("deadline", "before the request could be sent")));
    const vet = (ip: string): string | null => vetAddress(ip, this.#guard);
    this.#pool.dropStale();
    return Exchange.run({
      agent: this.#pool.agent(head.scheme, fresh),
      tls: this.#tls(request),
      head,
      body: request.body,
      lookup: (onResolved) => vettedLookup(this.#lookup, vet, onResolved),
      limits: {
        connectMs: request.timeouts.connectSeconds * 1000,
        readMs: request.timeouts.readSeconds * 1000,
        deadlineInMs,
        graceMs: this.#options.previewGraceMs ?? 2_000,
      },
      previewBytes: this.#options.previewBytes ?? 1_024,
      maxResponseBytes,
      now,
    });
  }

  /** The subscription's own authorities take the place of all others. */
  #tls({ tls = {} }: OutboundRequest): Parameters<typeof Exchange.run>[0]["tls"] {
    const ca = tls.ca ?? this.#options.ca;
    return {
      ...(ca === undefined ? {} : { ca }),
      ...(tls.certificate === undefined ? {} : { cert: tls.certificate }),
      ...(tls.key === undefined ? {} : { key: tls.key }),
    };
  }

  #sendResult(startedAtMs: number, result: ExchangeResult, notes: readonly string[] = []): SendResult {
    const detail = [result.fault?.detail, ...notes].filter((text) => text !== undefined).join(" ");
    return {
      statusCode: result.answer?.statusCode ?? null,
      error: result.fault?.error ?? null,
      ...(detail === "" ? {} : { errorDetail: detail }),
      responseHeaders: result.answer?.headers ?? [],
      startedAtMs,
      durationMs: Math.max(0, this.#options.now() - startedAtMs),
      ...(result.address === undefined ? {} : { address: result.address }),
      timings: result.timings,
      preview: result.answer?.preview ?? Buffer.alloc(0),
      previewCut: result.answer?.previewCut ?? false,
    };
  }
}

function failed(fault: Fault): ExchangeResult {
  return { answer: null, fault, timings: {}, deadConnection: false };
}

/** What node refuses to send, or what is no request at all: the header or method in question by its name. */
function refusedForm(request: OutboundRequest, cause: unknown): Fault {
  if (!URL.canParse(request.url)) return faultOf("blocked_address", "is not an absolute URL");
  const fault = faultFrom(cause, "exchange");
  return (fault.error === "invalid_header" ? headFault(request) : null) ?? fault;
}

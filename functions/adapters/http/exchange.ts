import type { LookupAddress } from "node:dns";
import { type ClientRequest, type Agent as HttpAgent, request as httpRequest, type IncomingMessage } from "node:http";
import { request as httpsRequest } from "node:https";
import type { LookupFunction, Socket } from "node:net";
import type { Clock } from "../../app/ports.js";
import type { Headers } from "../../core/model.js";
import { writeBody } from "./body-writer.js";
import { type Fault, faultFrom, faultOf, type Phase } from "./errors.js";
import { type Limit, type LimitSettings, Limits, limitFault } from "./limits.js";
import type { RequestHead } from "./request-head.js";
import { headersOf, ResponseReader } from "./response-reader.js";
import { holdWriteErrors } from "./write-errors.js";

interface ExchangeSettings {
  readonly agent: HttpAgent;
  /** Part of the name by which the agent keeps connections: none is shared between identities. */
  readonly tls: { readonly cert?: string; readonly key?: string; readonly ca?: string | Buffer };
  readonly head: RequestHead;
  readonly body: Buffer;
  /** Makes the `lookup` for the socket; the callback hears the vetted addresses. */
  readonly lookup: (onResolved: (addresses: readonly LookupAddress[]) => void) => LookupFunction;
  readonly limits: LimitSettings;
  readonly previewBytes: number;
  readonly maxResponseBytes: number;
  readonly now: Clock;
}

/** What came of one request on one connection. */
export interface ExchangeResult {
  readonly answer: {
    readonly statusCode: number;
    readonly headers: Headers;
    readonly preview: Buffer;
    readonly previewCut: boolean;
  } | null;
  /** Null when there is an answer: once the headers are known, the status decides, whatever becomes of the body. */
  readonly fault: Fault | null;
  readonly address?: string;
  readonly timings: { dnsMs?: number; connectMs?: number; tlsMs?: number; firstByteMs?: number };
  /** A kept connection was closed before a byte of an answer came: the request may go out once more on a new one. */
  readonly deadConnection: boolean;
}

/** Response headers beyond this are refused; node's own default, which a command line flag could change. */
const maxHeaderBytes = 16 * 1024;

/** Longest wait for one of several addresses. Node's 250 ms give up on a healthy host that is far away. */
const maxAddressWaitMs = 2_500;

/** One request and its answer on one connection: from the agent's socket to the end of the preview. */
export class Exchange {
  readonly #settings: ExchangeSettings;
  readonly #timings: ExchangeResult["timings"] = {};
  readonly #limits: Limits;
  readonly #resolve: (result: ExchangeResult) => void;
  readonly #request: ClientRequest;
  #phase: Phase = "resolve";
  #phaseStartedMs: number;
  #addresses: readonly string[] = [];
  #socket: Socket | undefined;
  #address: string | undefined;
  #response: { readonly message: IncomingMessage; readonly reader: ResponseReader } | undefined;
  #bytesCame: boolean = false;
  #settled: boolean = false;

  /** Resolves always; rejects only when node refuses the request's form. */
  static run(settings: ExchangeSettings): Promise<ExchangeResult> {
    return new Promise((resolve) => new Exchange(settings, resolve));
  }

  private constructor(settings: ExchangeSettings, resolve: (result: ExchangeResult) => void) {
    this.#settings = settings;
    this.#resolve = resolve;
    this.#phaseStartedMs = settings.now();
    this.#request = this.#open();
    this.#limits = new Limits(settings.limits, (limit) => this.#onLimit(limit));
    this.#listen();
    writeBody(this.#request, settings.body, () => this.#limits.progressed());
  }

  #open(): ClientRequest {
    const { head, agent, limits } = this.#settings;
    const options = {
      agent,
      host: head.hostname,
      port: head.port,
      method: head.method,
      path: head.target,
      headers: head.headers,
      servername: head.serverName,
      ...this.#settings.tls,
      lookup: this.#settings.lookup((addresses) => this.#onResolved(addresses)),
      autoSelectFamily: true,
      autoSelectFamilyAttemptTimeout: Math.ceil(Math.max(1, Math.min(maxAddressWaitMs, limits.connectMs / 2))),
      maxHeaderSize: maxHeaderBytes,
      insecureHTTPParser: false,
    };
    return head.scheme === "https" ? httpsRequest(options) : httpRequest(options);
  }

  #listen(): void {
    const request = this.#request;
    request.on("socket", (socket) => this.#onSocket(socket));
    request.on("response", (response) => this.#onResponse(response));
    // 101 without having asked for it, and the answer to CONNECT: what follows the headers is not HTTP.
    for (const event of ["upgrade", "connect"] as const) {
      request.on(event, (response, socket) => {
        socket.on("error", () => {});
        this.#onResponse(response);
        socket.destroy();
        this.#settle(null);
      });
    }
    request.on("error", (error) => this.#fail(faultFrom(error, this.#phase)));
    request.on("close", () => this.#fail(faultOf("reset", "closed")));
  }

  #onSocket(socket: Socket): void {
    this.#socket = socket;
    socket.on("data", this.#onData);
    if (this.#request.reusedSocket) {
      this.#onReady();
      return;
    }
    holdWriteErrors(socket);
    // A literal address needs no lookup, and the socket is connecting already.
    if (this.#addresses.length > 0 || this.#isLiteral()) this.#enter("connect");
    socket.once("connect", this.#onConnect);
    socket.once("secureConnect", this.#onSecureConnect);
  }

  readonly #onData = (): void => {
    if (!this.#bytesCame) this.#timings.firstByteMs = this.#sincePhaseStart();
    this.#bytesCame = true;
    this.#limits.progressed();
  };

  #onResolved(addresses: readonly LookupAddress[]): void {
    this.#addresses = addresses.map(({ address }) => address);
    this.#timings.dnsMs = this.#enter("connect");
  }

  readonly #onConnect = (): void => {
    const secure = this.#settings.head.scheme === "https";
    this.#address = this.#socket?.remoteAddress;
    this.#timings.connectMs = this.#enter(secure ? "tls" : "exchange");
    if (!secure) this.#onReady();
  };

  readonly #onSecureConnect = (): void => {
    this.#timings.tlsMs = this.#enter("exchange");
    this.#onReady();
  };

  #onReady(): void {
    this.#address ??= this.#socket?.remoteAddress;
    if (this.#phase !== "exchange") this.#enter("exchange");
    this.#limits.connected();
  }

  #onResponse(message: IncomingMessage): void {
    if ((message.statusCode ?? 0) < 100) {
      this.#fail(faultOf("protocol", `status ${message.statusCode}`));
      return;
    }
    this.#limits.answered();
    const reader = new ResponseReader(message, {
      previewBytes: this.#settings.previewBytes,
      maxBytes: this.#settings.maxResponseBytes,
      onEnd: (complete) => this.#settle(null, complete),
    });
    this.#response = { message, reader };
  }

  #onLimit(limit: Limit): void {
    this.#fail(limitFault(limit, this.#phase, this.#settings.limits, this.#addresses));
  }

  /** Ends with the answer if its headers are known, else with the fault. */
  #fail(fault: Fault): void {
    this.#settle(this.#response === undefined ? fault : null);
  }

  #settle(fault: Fault | null, complete = false): void {
    if (this.#settled) return;
    this.#settled = true;
    const answer = this.#answer();
    this.#limits.clear();
    this.#release();
    // A connection whose request is still being written, or whose response has more, cannot be used again.
    if (!complete || !this.#request.writableFinished) this.#request.destroy();
    this.#resolve({
      answer,
      fault,
      timings: this.#timings,
      deadConnection: this.#request.reusedSocket && !this.#bytesCame && fault?.error === "reset",
      ...(this.#address === undefined ? {} : { address: this.#address }),
    });
  }

  #answer(): ExchangeResult["answer"] {
    if (this.#response === undefined) return null;
    const { message, reader } = this.#response;
    return { statusCode: message.statusCode ?? 0, headers: headersOf(message), ...reader.preview() };
  }

  /** A kept connection lives on without this request's listeners. */
  #release(): void {
    this.#socket?.off("data", this.#onData);
    this.#socket?.off("connect", this.#onConnect);
    this.#socket?.off("secureConnect", this.#onSecureConnect);
  }

  #isLiteral(): boolean {
    return this.#settings.head.serverName === "";
  }

  /** Starts a phase; returns how long the one before took. */
  #enter(phase: Phase): number {
    const took = this.#sincePhaseStart();
    this.#phase = phase;
    this.#phaseStartedMs = this.#settings.now();
    return took;
  }

  #sincePhaseStart(): number {
    return Math.max(0, this.#settings.now() - this.#phaseStartedMs);
  }
}

import { randomBytes } from "node:crypto";
import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { InvocationResult } from "./function-worker.js";
import { answerOf, type GatewayAnswer, gatewayMessage, internalServerError } from "./gateway-answer.js";
import { gatewayEvent, gatewayRequest, type RequestTarget, requestTarget } from "./gateway-event.js";
import { headerBytes, readBody, writeAnswer } from "./gateway-http.js";
import { accessRefusal } from "./local-access.js";
import { type Route, routeMatcher } from "./routes.js";

/** Quotas of an HTTP API. */
const maxHeaderBytes = 10_240;
const integrationTimeoutMs = 30_000;

/** Where a route leads. */
export interface RouteTarget {
  readonly iam: boolean;
  readonly invoke: (event: unknown) => Promise<InvocationResult>;
}

/** A part of the engine that answers by itself (the console, the sink); null: not its path. */
export type LocalHandler = (
  request: IncomingMessage,
  target: RequestTarget,
  body: Buffer,
) => Promise<GatewayAnswer> | null;

export interface GatewayRoutes {
  readonly routes: ReadonlyArray<Route<RouteTarget>>;
  readonly local: LocalHandler;
}

export interface GatewayOptions {
  /** 0: a free one. */
  readonly port: number;
  /** Gets a line for every answer that the gateway gives in a function's place. */
  readonly onProblem: (text: string) => void;
  /** Default 30 s, the gateway's; tests lower it. */
  readonly integrationTimeoutMs?: number;
}

/** The HTTP API front: one server on 127.0.0.1. Until `serve` is called it answers 503. */
export class Gateway {
  readonly #options: GatewayOptions;
  readonly #server: Server;
  #local: LocalHandler = () => null;
  #state: "starting" | "serving" | "ending" = "starting";
  #match: ReturnType<typeof routeMatcher<RouteTarget>> = () => null;

  /** Binds the port; rejects with the system's error when it is taken. */
  static async open(options: GatewayOptions): Promise<Gateway> {
    const gateway = new Gateway(options);
    await new Promise<void>((resolve, reject) => {
      gateway.#server.once("error", reject);
      gateway.#server.listen(options.port, "127.0.0.1", resolve);
    });
    return gateway;
  }

  private constructor(options: GatewayOptions) {
    this.#options = options;
    // Node's own limit only has to be above the gateway's, which is counted below.
    this.#server = createServer({ maxHeaderSize: 128 * 1024, keepAliveTimeout: 60_000 }, (request, response) => {
      void this.#answer(request).then(
        (answer) => writeAnswer(request, response, answer),
        // An incomplete request: the sender went away while its body was read, there is nobody to answer.
        () => (request.complete ? writeAnswer(request, response, internalServerError) : request.destroy()),
      );
    });
    // Node drops what is beyond the thousandth header without a word; here their bytes count.
    this.#server.maxHeadersCount = 0;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  serve(routes: GatewayRoutes): void {
    this.#match = routeMatcher(routes.routes);
    this.#local = routes.local;
    this.#state = "serving";
  }

  /** From now on functions get nothing new (503); local parts still answer, for what is under way. */
  drain(): void {
    this.#state = "ending";
  }

  /** Takes no new connection; requests under way may finish within `graceMs`. */
  async close(graceMs: number): Promise<void> {
    const closed = new Promise<void>((resolve) => {
      this.#server.close(() => resolve());
    });
    this.#server.closeIdleConnections();
    const timer = setTimeout(() => this.#server.closeAllConnections(), graceMs);
    await closed;
    clearTimeout(timer);
  }

  async #answer(request: IncomingMessage): Promise<GatewayAnswer> {
    const body = await readBody(request);
    if (headerBytes(request) > maxHeaderBytes) return gatewayMessage(431, "Request Header Fields Too Large");
    if (body === null) return gatewayMessage(413, "Request Entity Too Large");
    // RFC 9112 §3.2: which of two hosts is meant would be anybody's guess.
    if ((request.headersDistinct["host"]?.length ?? 0) > 1) return gatewayMessage(400, "Bad Request");
    const target = requestTarget(request.url ?? "/");
    if (target === null) return gatewayMessage(400, "Bad Request");
    const refusal = accessRefusal(request, target.rawPath, this.port);
    if (refusal !== null) return gatewayMessage(403, refusal);
    const local = this.#local(request, target, body);
    if (local !== null) return local;
    if (this.#state !== "serving") return gatewayMessage(503, `The relay is ${this.#state}`);
    return this.#integrate(request, target, body);
  }

  async #integrate(request: IncomingMessage, target: RequestTarget, body: Buffer): Promise<GatewayAnswer> {
    const match = this.#match(request.method ?? "GET", target.rawPath);
    if (match === null) return gatewayMessage(404, "Not Found");
    const nowMs = Date.now();
    const event = gatewayEvent(
      gatewayRequest(request, target, body),
      { routeKey: match.routeKey, pathParameters: match.pathParameters, iam: match.target.iam },
      `${randomBytes(11).toString("base64url")}=`,
      `Root=1-${Math.floor(nowMs / 1000).toString(16)}-${randomBytes(12).toString("hex")}`,
      nowMs,
    );
    const result = await withinLimit(match.target.invoke(event), this.#options.integrationTimeoutMs);
    if (result === null)
      return this.#problem(match.routeKey, gatewayMessage(503, "Service Unavailable"), "no answer in time");
    if (result.ok) {
      const answer = answerOf(result.payload);
      return answer === internalServerError ? this.#problem(match.routeKey, answer, "malformed answer") : answer;
    }
    if (result.errorType === "RequestTooLarge") return gatewayMessage(413, "Request Too Long");
    return this.#problem(match.routeKey, internalServerError, `${result.errorType}: ${result.errorMessage}`);
  }

  #problem(routeKey: string, answer: GatewayAnswer, why: string): GatewayAnswer {
    this.#options.onProblem(`${routeKey} → ${answer.status}: ${why}`);
    return answer;
  }
}

async function withinLimit<T>(work: Promise<T>, limitMs = integrationTimeoutMs): Promise<T | null> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<null>((resolve) => {
    timer = setTimeout(() => resolve(null), limitMs);
  });
  try {
    return await Promise.race([work, limit]);
  } finally {
    clearTimeout(timer);
  }
}

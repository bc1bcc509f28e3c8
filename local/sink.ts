import type { IncomingMessage } from "node:http";
import { setTimeout as wait } from "node:timers/promises";
import { type GatewayAnswer, gatewayMessage } from "./gateway-answer.js";
import type { RequestTarget } from "./gateway-event.js";
import { type SinkScript, sinkScript } from "./sink-script.js";

/** A request as the sink shows it. */
export interface SinkRequest {
  readonly receivedAt: string;
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly bodyBytes: number;
  /** Text when the body is UTF-8 and small, else its start in base64. */
  readonly body: string;
  readonly answeredStatus: number;
}

/** Kept in memory only; older ones are dropped. */
const keptRequests = 100;
const keptBodyBytes = 4_096;
const keptCounters = 10_000;

/** The built-in destination at `/sink`: answers as its query says and shows what arrived at `GET /sink/requests`. */
export class Sink {
  readonly #requests: SinkRequest[] = [];
  readonly #failuresGiven = new Map<string, number>();
  readonly #onRequest: (request: SinkRequest) => void;

  constructor(onRequest: (request: SinkRequest) => void = () => {}) {
    this.#onRequest = onRequest;
  }

  /** Null when the path is not the sink's. */
  handle(request: IncomingMessage, target: RequestTarget, body: Buffer): Promise<GatewayAnswer> | null {
    const { rawPath, rawQueryString } = target;
    if (rawPath !== "/sink" && !rawPath.startsWith("/sink/")) return null;
    if (request.method === "GET" && rawPath === "/sink/requests") return Promise.resolve(this.#list());
    const script = sinkScript(rawQueryString);
    if ("parameter" in script) {
      return Promise.resolve(gatewayMessage(400, `Query parameter ${script.parameter} ${script.reason}`));
    }
    return this.#follow(script, request, target, body);
  }

  async #follow(
    script: SinkScript,
    request: IncomingMessage,
    target: RequestTarget,
    body: Buffer,
  ): Promise<GatewayAnswer> {
    const scripted = this.#countsAsScripted(script, `${request.headers["webhook-id"] ?? ""} ${target.rawQueryString}`);
    if (script.delaySeconds > 0) await wait(script.delaySeconds * 1000);
    const status = scripted ? script.status : 200;
    this.#keep(request, target, body, status);
    const text = script.body ?? JSON.stringify({ received: status < 300, bytes: body.length });
    const type = script.body === null ? "application/json" : "text/plain;charset=UTF-8";
    const retryAfter: Record<string, string> =
      scripted && script.retryAfterSeconds !== null ? { "retry-after": String(script.retryAfterSeconds) } : {};
    return { status, headers: { "content-type": type, ...retryAfter }, cookies: [], body: Buffer.from(text) };
  }

  /** Counts the request against `times`; requests at the same moment count one by one. */
  #countsAsScripted(script: SinkScript, key: string): boolean {
    if (script.times === null) return true;
    const given = this.#failuresGiven.get(key) ?? 0;
    if (given >= script.times) return false;
    this.#failuresGiven.set(key, given + 1);
    if (this.#failuresGiven.size > keptCounters) this.#failuresGiven.delete(oldestKey(this.#failuresGiven));
    return true;
  }

  #keep(request: IncomingMessage, target: RequestTarget, body: Buffer, answeredStatus: number): void {
    const start = body.subarray(0, keptBodyBytes);
    const text = start.toString("utf8");
    const kept: SinkRequest = {
      receivedAt: new Date().toISOString(),
      method: request.method ?? "",
      path: target.rawPath,
      query: target.rawQueryString,
      headers: request.headers,
      bodyBytes: body.length,
      body: Buffer.from(text).equals(start) ? text : `base64:${start.toString("base64")}`,
      answeredStatus,
    };
    this.#requests.unshift(kept);
    this.#requests.length = Math.min(this.#requests.length, keptRequests);
    this.#onRequest(kept);
  }

  #list(): GatewayAnswer {
    const body = Buffer.from(JSON.stringify({ items: this.#requests }, null, 2));
    return { status: 200, headers: { "content-type": "application/json" }, cookies: [], body };
  }
}

function oldestKey(map: ReadonlyMap<string, unknown>): string {
  return map.keys().next().value as string;
}

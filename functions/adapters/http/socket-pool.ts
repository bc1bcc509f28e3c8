import { type AgentOptions, Agent as HttpAgent } from "node:http";
import { Agent as HttpsAgent } from "node:https";
import type { Duplex } from "node:stream";
import type { Clock } from "../../app/ports.js";

/**
 * How long an idle connection is kept: long enough for the next batch, shorter than the five seconds after which many
 * servers close theirs.
 */
const maxIdleMs = 4_000;

/** Idle connections kept per host: a batch has ten deliveries. */
const maxIdlePerHost = 10;

interface Agents {
  readonly http: HttpAgent;
  readonly https: HttpsAgent;
}

/**
 * The connections that are kept between requests. Idle ones never keep the process alive (node unrefs them) and end
 * after {@link maxIdleMs}, by timer and by the wall clock: a function that was frozen in between runs on with timers
 * that have not fired and connections that nobody else remembers.
 */
export class SocketPool {
  readonly #now: Clock;
  readonly #kept: Agents;
  readonly #fresh: Agents;
  readonly #idleSinceMs = new WeakMap<Duplex, number>();
  /** Nothing is stale before. */
  #staleFromMs = Number.POSITIVE_INFINITY;

  constructor(options: { readonly now: Clock }) {
    this.#now = options.now;
    // Verification is explicit, so that NODE_TLS_REJECT_UNAUTHORIZED cannot switch it off. Certificates and authorities
    // belong to each request: what an agent has of them would come before a subscription's own.
    const common = { rejectUnauthorized: true };
    const keep: AgentOptions = { keepAlive: true, maxFreeSockets: maxIdlePerHost, timeout: maxIdleMs };
    this.#kept = {
      http: this.#stamped(new HttpAgent(keep)),
      https: this.#stamped(new HttpsAgent({ ...keep, ...common })),
    };
    this.#fresh = { http: new HttpAgent({ keepAlive: false }), https: new HttpsAgent({ keepAlive: false, ...common }) };
  }

  /** An agent that may hand out a kept connection, or with `fresh` one that always opens its own. */
  agent(scheme: "http" | "https", fresh: boolean): HttpAgent | HttpsAgent {
    return (fresh ? this.#fresh : this.#kept)[scheme];
  }

  /** Ends what has been idle for too long by the wall clock. Call before each request. */
  dropStale(): void {
    const nowMs = this.#now();
    if (nowMs <= this.#staleFromMs) return;
    this.#staleFromMs = Number.POSITIVE_INFINITY;
    for (const socket of this.#idle()) {
      const staleFromMs = (this.#idleSinceMs.get(socket) ?? 0) + maxIdleMs;
      if (staleFromMs < nowMs) socket.destroy();
      else this.#staleFromMs = Math.min(this.#staleFromMs, staleFromMs);
    }
  }

  /** Ends all idle connections; those in use end with their request. */
  close(): void {
    for (const socket of this.#idle()) socket.destroy();
  }

  #idle(): Duplex[] {
    return [this.#kept.http, this.#kept.https].flatMap((agent) =>
      Object.values(agent.freeSockets).flatMap((s) => s ?? []),
    );
  }

  #stamped<A extends HttpAgent>(agent: A): A {
    const keep = agent.keepSocketAlive.bind(agent);
    agent.keepSocketAlive = (socket) => {
      const nowMs = this.#now();
      this.#idleSinceMs.set(socket, nowMs);
      this.#staleFromMs = Math.min(this.#staleFromMs, nowMs + maxIdleMs);
      return keep(socket);
    };
    return agent;
  }
}

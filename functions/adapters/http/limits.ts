import { type Fault, faultOf, type Phase } from "./errors.js";

/** Which limit ran out. `grace`: the answer's headers are known, its body took too long for the preview. */
export type Limit = "connect" | "read" | "deadline" | "grace";

export interface LimitSettings {
  /** DNS, TCP and TLS together. */
  readonly connectMs: number;
  /** Longest silence once connected: no byte read, and none of the body taken by the socket. */
  readonly readMs: number;
  /** Time left until the attempt's deadline. */
  readonly deadlineInMs: number;
  /** How long the body may take after the headers. */
  readonly graceMs: number;
}

/** setTimeout takes a longer delay for 1 ms. */
const maxTimerMs = 2 ** 31 - 1;

/** The clocks of one request. Each limit is reported at most once, and none after {@link clear}. */
export class Limits {
  readonly #settings: LimitSettings;
  readonly #onLimit: (limit: Limit) => void;
  readonly #timers = new Map<Limit, NodeJS.Timeout>();

  constructor(settings: LimitSettings, onLimit: (limit: Limit) => void) {
    this.#settings = settings;
    this.#onLimit = onLimit;
    this.#start("connect", settings.connectMs);
    this.#start("deadline", settings.deadlineInMs);
  }

  /** The connection stands: from now on silence counts. */
  connected(): void {
    this.#stop("connect");
    this.#start("read", this.#settings.readMs);
  }

  /** Bytes moved in either direction. */
  progressed(): void {
    this.#timers.get("read")?.refresh();
  }

  /** The headers are known. */
  answered(): void {
    this.#start("grace", this.#settings.graceMs);
  }

  clear(): void {
    for (const limit of this.#timers.keys()) this.#stop(limit);
  }

  #start(limit: Limit, ms: number): void {
    this.#timers.set(limit, setTimeout(this.#onLimit, Math.min(Math.max(ms, 0), maxTimerMs), limit));
  }

  #stop(limit: Limit): void {
    clearTimeout(this.#timers.get(limit));
    this.#timers.delete(limit);
  }
}

const doing: Readonly<Record<Phase, string>> = {
  resolve: "resolving the host name",
  connect: "connecting",
  tls: "in the TLS handshake",
  exchange: "waiting for the answer",
};

/** What to tell the operator when a limit ran out before an answer; `addresses` were being connected to. */
export function limitFault(limit: Limit, phase: Phase, limits: LimitSettings, addresses: readonly string[]): Fault {
  const to = phase === "connect" && addresses.length > 0 ? ` to ${addresses.join(", ")}` : "";
  const where = `${doing[phase]}${to}`;
  if (limit === "connect") return faultOf("connect_timeout", `${limits.connectMs / 1000} s; ${where}`);
  if (limit === "read") return faultOf("read_timeout", `${limits.readMs / 1000} s; ${where}`);
  return faultOf("deadline", where);
}

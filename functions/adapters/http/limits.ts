import { type Fault, faultOf, type Phase } from "./errors.js";

/** Which limit ran out. `grace`: the answer's headers are known, its body took too long for the preview. */
const limits = ["connect", "read", "deadline", "grace"] as const;
export type Limit = (typeof limits)[number];

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

const never = Number.POSITIVE_INFINITY;

/**
 * The clocks of one request, on one timer: it is set for whatever ends first, and looks again when that has moved. Each
 * limit is reported at most once, and none after {@link clear}.
 */
export class Limits {
  readonly #settings: LimitSettings;
  readonly #onLimit: (limit: Limit) => void;
  /** When each one ends, by the monotonic clock. */
  readonly #ends: Record<Limit, number> = { connect: never, read: never, deadline: never, grace: never };
  #timer: NodeJS.Timeout | undefined;
  #timerEnds = never;

  constructor(settings: LimitSettings, onLimit: (limit: Limit) => void) {
    this.#settings = settings;
    this.#onLimit = onLimit;
    this.#start("connect", settings.connectMs);
    this.#start("deadline", settings.deadlineInMs);
  }

  /** The connection stands: from now on silence counts. */
  connected(): void {
    this.#ends.connect = never;
    this.#start("read", this.#settings.readMs);
  }

  /** Bytes moved in either direction. */
  progressed(): void {
    if (this.#ends.read !== never) this.#ends.read = performance.now() + this.#settings.readMs;
  }

  /** The headers are known. */
  answered(): void {
    this.#start("grace", this.#settings.graceMs);
  }

  clear(): void {
    clearTimeout(this.#timer);
    for (const limit of limits) this.#ends[limit] = never;
  }

  #start(limit: Limit, ms: number): void {
    this.#ends[limit] = performance.now() + ms;
    if (this.#ends[limit] < this.#timerEnds) this.#setTimer();
  }

  #setTimer(): void {
    clearTimeout(this.#timer);
    this.#timerEnds = this.#ends[this.#first()];
    if (this.#timerEnds === never) return;
    const leftMs = Math.ceil(this.#timerEnds - performance.now());
    this.#timer = setTimeout(() => this.#look(), Math.min(Math.max(leftMs, 0), maxTimerMs));
  }

  #look(): void {
    const first = this.#first();
    const isOver = this.#ends[first] <= performance.now();
    if (isOver) this.#ends[first] = never;
    this.#setTimer();
    if (isOver) this.#onLimit(first);
  }

  #first(): Limit {
    return limits.reduce((first, limit) => (this.#ends[limit] < this.#ends[first] ? limit : first));
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

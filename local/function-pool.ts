import { type FunctionDefinition, FunctionWorker, type InvocationResult } from "./function-worker.js";
import { standstillBefore } from "./standstill.js";

/** Lambda's limit for the payload of a synchronous invocation and for its response: 6 MB. */
const maxPayloadBytes = 6 * 1024 * 1024;

/** An environment that nobody needs for this long is ended, all but the last: each holds some 40 MB. */
const defaultIdleMs = 60_000;

const ending: InvocationResult = {
  ok: false,
  errorType: "Runtime.Shutdown",
  errorMessage: "the local engine is ending",
};

export interface FunctionPoolOptions {
  readonly workerFile: string;
  /** Gets each line that the function writes to stdout or stderr. */
  readonly onLine: (line: string) => void;
  /** How long an environment beyond the first may be idle. Default 60 s. */
  readonly idleMs?: number;
}

interface Waiting {
  readonly given: Promise<FunctionWorker>;
  readonly give: (worker: FunctionWorker) => void;
}

/** All execution environments of one function: grows on demand up to the limit, then invocations wait in order. */
export class FunctionPool {
  readonly definition: FunctionDefinition;
  readonly #options: FunctionPoolOptions;
  readonly #workers = new Set<FunctionWorker>();
  /** The one used last is at the end, and is used next. */
  readonly #idle: Array<{ readonly worker: FunctionWorker; readonly sinceMs: number }> = [];
  readonly #waiting: Waiting[] = [];
  readonly #running = new Set<Promise<InvocationResult>>();
  readonly #shrinking: NodeJS.Timeout;
  #growing: boolean = false;
  #closed: boolean = false;

  constructor(definition: FunctionDefinition, options: FunctionPoolOptions) {
    this.definition = definition;
    this.#options = options;
    const idleMs = options.idleMs ?? defaultIdleMs;
    this.#shrinking = setInterval(() => this.#shrink(idleMs), idleMs).unref();
  }

  /** Environments that there are now. */
  get size(): number {
    return this.#workers.size;
  }

  /** How long the environments that there are, and this thread, which does their calls of AWS, have worked so far. */
  activeMs(): number {
    const own = performance.eventLoopUtilization().active;
    return [...this.#workers].reduce((sum, worker) => sum + worker.activeMs(), own);
  }

  /** Starts one environment ahead of the first invocation; resolves when its bundle is loaded. */
  async warm(): Promise<InvocationResult | null> {
    const worker = await this.#acquire();
    const failure = await worker.ready();
    this.#release(worker);
    return failure;
  }

  /** Runs the function once. Never rejects: crash, timeout and exception are results. */
  invoke(event: unknown): Promise<InvocationResult> {
    if (this.#closed) return Promise.resolve(ending);
    const payload = JSON.stringify(event);
    if (Buffer.byteLength(payload) > maxPayloadBytes) {
      const errorMessage = `Request must be smaller than ${maxPayloadBytes} bytes for the InvokeFunction operation`;
      return Promise.resolve({ ok: false, errorType: "RequestTooLarge", errorMessage });
    }
    const running = this.#run(payload);
    this.#running.add(running);
    void running.finally(() => this.#running.delete(running));
    return running;
  }

  /** Waits up to `graceMs` for what is running, then ends every thread. */
  async close(graceMs: number): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const grace = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, graceMs);
    });
    await Promise.race([Promise.all(this.#running), grace]);
    clearTimeout(timer);
    this.#closed = true;
    clearInterval(this.#shrinking);
    await Promise.all([...this.#workers].map((worker) => worker.end()));
  }

  async #run(payload: string): Promise<InvocationResult> {
    const worker = await this.#acquire();
    const result = await worker.run(payload);
    this.#release(worker);
    if (!result.ok || Buffer.byteLength(result.payload) <= maxPayloadBytes) return result;
    const errorMessage = `Response payload size exceeded maximum allowed payload size (${maxPayloadBytes} bytes)`;
    return { ok: false, errorType: "Function.ResponseSizeTooLarge", errorMessage };
  }

  #acquire(): Promise<FunctionWorker> {
    for (let idle = this.#idle.pop(); idle !== undefined; idle = this.#idle.pop()) {
      if (idle.worker.alive) return Promise.resolve(idle.worker);
      this.#workers.delete(idle.worker);
    }
    if (this.#workers.size < this.definition.eagerWorkers) return Promise.resolve(this.#start());
    let give: Waiting["give"] = () => {};
    const given = new Promise<FunctionWorker>((resolve) => {
      give = resolve;
    });
    this.#waiting.push({ given, give });
    void this.#grow();
    return given;
  }

  /** Gives who waits longest an environment of its own when nobody else works either. */
  async #grow(): Promise<void> {
    if (this.#growing) return;
    this.#growing = true;
    for (let first = this.#waiting[0]; first !== undefined && this.#mayGrow(); first = this.#waiting[0]) {
      const needed = await standstillBefore(first.given, () => this.activeMs());
      if (needed && this.#mayGrow()) this.#waiting.shift()?.give(this.#start());
    }
    this.#growing = false;
  }

  #mayGrow(): boolean {
    return !this.#closed && this.#workers.size < this.definition.maxWorkers;
  }

  #start(): FunctionWorker {
    const worker = new FunctionWorker(this.definition, this.#options.workerFile, this.#options.onLine);
    this.#workers.add(worker);
    return worker;
  }

  #release(worker: FunctionWorker): void {
    if (!worker.alive) this.#workers.delete(worker);
    const next = this.#waiting.shift();
    // Once closed, who still waits gets the ended worker, which says so.
    if (next !== undefined) next.give(worker.alive || this.#closed ? worker : this.#start());
    else if (worker.alive) this.#idle.push({ worker, sinceMs: Date.now() });
  }

  #shrink(idleMs: number): void {
    while (this.#workers.size > 1) {
      const longest = this.#idle[0];
      if (longest === undefined || longest.sinceMs > Date.now() - idleMs) return;
      this.#idle.shift();
      this.#workers.delete(longest.worker);
      void longest.worker.end();
    }
  }
}

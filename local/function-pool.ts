import { type FunctionDefinition, FunctionWorker, type InvocationResult } from "./function-worker.js";

/** Lambda's limit for the payload of a synchronous invocation and for its response: 6 MB. */
const maxPayloadBytes = 6 * 1024 * 1024;

const ending: InvocationResult = {
  ok: false,
  errorType: "Runtime.Shutdown",
  errorMessage: "the local engine is ending",
};

export interface FunctionPoolOptions {
  readonly workerFile: string;
  /** Gets each line that the function writes to stdout or stderr. */
  readonly onLine: (line: string) => void;
}

/** All execution environments of one function: grows on demand up to the limit, then invocations wait in order. */
export class FunctionPool {
  readonly definition: FunctionDefinition;
  readonly #options: FunctionPoolOptions;
  readonly #workers = new Set<FunctionWorker>();
  readonly #idle: FunctionWorker[] = [];
  readonly #waiting: Array<(worker: FunctionWorker) => void> = [];
  readonly #running = new Set<Promise<InvocationResult>>();
  #closed: boolean = false;

  constructor(definition: FunctionDefinition, options: FunctionPoolOptions) {
    this.definition = definition;
    this.#options = options;
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
      if (idle.alive) return Promise.resolve(idle);
      this.#workers.delete(idle);
    }
    if (this.#workers.size < this.definition.maxWorkers) return Promise.resolve(this.#start());
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
    });
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
    if (next !== undefined) next(worker.alive || this.#closed ? worker : this.#start());
    else if (worker.alive) this.#idle.push(worker);
  }
}

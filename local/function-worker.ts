import { randomUUID } from "node:crypto";
import type { Readable } from "node:stream";
import { Worker } from "node:worker_threads";
import type { RunMessage, WorkerMessage, WorkerSetup } from "./worker-protocol.js";

/** A function as the engine runs it. */
export interface FunctionDefinition extends WorkerSetup {
  /** All that the function sees of the environment. */
  readonly environment: Readonly<Record<string, string>>;
  readonly timeoutSeconds: number;
  /** Most invocations at the same time; each has a thread of its own. */
  readonly maxWorkers: number;
  /** Up to so many threads start as soon as an invocation needs one, the others when no thread works. */
  readonly eagerWorkers: number;
}

/** What an invocation came to. A failing function is a value: it must never end the engine. */
export type InvocationResult =
  | { readonly ok: true; readonly payload: string }
  | { readonly ok: false; readonly errorType: string; readonly errorMessage: string; readonly stack?: string };

/** Loading a bundle takes a fraction of a second; far beyond that the machine is stuck. */
const initTimeoutMs = 30_000;

/** One execution environment: a worker thread that runs one invocation at a time. */
export class FunctionWorker {
  readonly #definition: FunctionDefinition;
  readonly #thread: Worker;
  readonly #ready: Promise<InvocationResult | null>;
  #settle: ((result: InvocationResult) => void) | null = null;
  #settleReady: (failure: InvocationResult | null) => void = () => {};
  #death: InvocationResult | null = null;
  readonly #startedAtMs = performance.now();
  #loadedAtMs: number | null = null;

  constructor(definition: FunctionDefinition, workerFile: string, onLine: (line: string) => void) {
    this.#definition = definition;
    const { handlerFile, handlerName, functionName, functionArn, memoryMb } = definition;
    const setup: WorkerSetup = { handlerFile, handlerName, functionName, functionArn, memoryMb };
    this.#ready = new Promise((resolve) => {
      this.#settleReady = resolve;
    });
    this.#thread = new Worker(workerFile, {
      workerData: setup,
      env: { ...definition.environment },
      execArgv: [],
      stdout: true,
      stderr: true,
      resourceLimits: { maxOldGenerationSizeMb: memoryMb },
    });
    readLines(this.#thread.stdout, onLine);
    readLines(this.#thread.stderr, onLine);
    this.#thread.on("message", (message: WorkerMessage) => this.#receive(message));
    this.#thread.on("error", (error: Error) => this.#die(error.name, error.message, error.stack));
    this.#thread.on("exit", (code) => this.#die("Runtime.ExitError", `Runtime exited with code ${code}`));
  }

  /** False once the thread ended or is being ended: it takes no further invocation. */
  get alive(): boolean {
    return this.#death === null;
  }

  /** How long the thread has worked, and not waited, since its start. */
  activeMs(): number {
    // Its loop does not turn before the bundle is loaded, which is work.
    const loadingMs = (this.#loadedAtMs ?? performance.now()) - this.#startedAtMs;
    return loadingMs + this.#thread.performance.eventLoopUtilization().active;
  }

  /** Null once the bundle is loaded, or why it could not be. */
  async ready(): Promise<InvocationResult | null> {
    const timer = setTimeout(() => {
      this.#die("Runtime.InitError", `not loaded after ${initTimeoutMs / 1000} seconds`);
    }, initTimeoutMs);
    const failure = await this.#ready;
    clearTimeout(timer);
    return failure;
  }

  /** Runs one invocation; the function's timeout ends the thread, as Lambda ends the environment. */
  async run(payload: string): Promise<InvocationResult> {
    const failure = await this.ready();
    if (failure !== null) return failure;
    if (this.#death !== null) return this.#death;
    const { timeoutSeconds } = this.#definition;
    const message: RunMessage = {
      requestId: randomUUID(),
      payload,
      deadlineMs: Date.now() + timeoutSeconds * 1000,
    };
    const result = new Promise<InvocationResult>((resolve) => {
      this.#settle = resolve;
    });
    const timer = setTimeout(() => {
      this.#die("Sandbox.Timedout", `Task timed out after ${timeoutSeconds.toFixed(2)} seconds`);
    }, timeoutSeconds * 1000);
    this.#thread.postMessage(message);
    const settled = await result;
    clearTimeout(timer);
    return settled;
  }

  async end(): Promise<void> {
    this.#die("Runtime.Shutdown", "the local engine is ending");
    await this.#thread.terminate();
  }

  #receive(message: WorkerMessage): void {
    if (message.kind === "ready") {
      this.#loadedAtMs = performance.now();
      this.#settleReady(null);
      return;
    }
    const settle = this.#settle;
    this.#settle = null;
    if (message.kind === "result") {
      settle?.({ ok: true, payload: message.payload });
    } else {
      const { errorType, errorMessage, stack } = message;
      settle?.({ ok: false, errorType, errorMessage, stack });
    }
  }

  #die(errorType: string, errorMessage: string, stack?: string): void {
    const failure: InvocationResult = { ok: false, errorType, errorMessage, ...(stack === undefined ? {} : { stack }) };
    this.#settleReady(failure);
    this.#settle?.(failure);
    this.#settle = null;
    if (this.#death !== null) return;
    this.#death = failure;
    void this.#thread.terminate();
  }
}

function readLines(stream: Readable, onLine: (line: string) => void): void {
  let rest = "";
  stream.setEncoding("utf8").on("data", (text: string) => {
    const lines = (rest + text).split(/\r?\n/);
    rest = lines.pop() as string;
    for (const line of lines) onLine(line);
  });
  stream.once("end", () => rest === "" || onLine(rest));
}

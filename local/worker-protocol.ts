/** What the engine and a function's worker thread say to each other. Payloads travel as JSON text, as on Lambda. */

/** Given to the worker at its start. */
export interface WorkerSetup {
  /** The bundle, e.g. `dist/functions/ingress/index.mjs`. */
  readonly handlerFile: string;
  /** The export, e.g. `handler`. */
  readonly handlerName: string;
  readonly functionName: string;
  readonly functionArn: string;
  readonly memoryMb: number;
}

/** Engine to worker: run the handler once. */
export interface RunMessage {
  readonly requestId: string;
  /** The event as JSON. */
  readonly payload: string;
  /** Epoch milliseconds at which the engine ends the invocation. */
  readonly deadlineMs: number;
}

/** Worker to engine. */
export type WorkerMessage =
  | { readonly kind: "ready" }
  | { readonly kind: "result"; readonly requestId: string; readonly payload: string }
  | {
      readonly kind: "failure";
      readonly requestId: string;
      readonly errorType: string;
      readonly errorMessage: string;
      readonly stack: string;
    };

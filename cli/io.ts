/** What the CLI needs of the process that runs it: handed in, so that tests run `main` without a process. */
export interface Io {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdout: Output;
  readonly stderr: Output;
  readonly stdin: Input;
  /** Waits; true when the user interrupted it (Ctrl-C). */
  readonly pause: (milliseconds: number) => Promise<boolean>;
  /** From the first call on Ctrl-C does not end the process but aborts this; a second one ends it. */
  readonly interruption: () => AbortSignal;
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** Of the package. */
  readonly version: string;
}

export interface Output {
  write(chunk: string | Uint8Array): void;
  readonly isTTY: boolean;
  /** Characters per line; undefined where nobody reads lines (a pipe, a file). */
  readonly columns: number | undefined;
}

export interface Input {
  readonly isTTY: boolean;
  /** Everything, until the end. */
  read(): Promise<Buffer>;
  /** One line, after showing the question on stderr. */
  ask(question: string): Promise<string>;
}

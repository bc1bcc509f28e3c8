/** 0 is success; 1: it was tried and failed; 2: the command line itself is wrong, nothing was tried. */
export type FailureCode = 1 | 2;

/** One wrong field of a request or of a file. */
export interface WrongField {
  readonly field: string;
  readonly reason: string;
  readonly fix?: string | undefined;
}

export interface CliErrorDetails {
  readonly exitCode?: FailureCode;
  /** What to do about it, as a sentence. */
  readonly fix?: string | undefined;
  readonly fields?: readonly WrongField[];
  /** Stable code of the relay's problem document, or of the CLI. */
  readonly code?: string | undefined;
  /** HTTP status of the relay's answer. */
  readonly status?: number;
}

/** Thrown for everything that its user can do something about: shown as a message, never as a stack. */
export class CliError extends Error {
  override readonly name = "CliError";

  constructor(
    message: string,
    readonly details: CliErrorDetails = {},
  ) {
    super(message);
  }

  get exitCode(): FailureCode {
    return this.details.exitCode ?? 1;
  }
}

/** The command line is wrong: exit code 2. */
export const usageError = (message: string, fix?: string): CliError => new CliError(message, { exitCode: 2, fix });

/** Longest text of an error that was not foreseen, in characters: it may hold an answer. */
const longestText = 200;

/** Our own mistake: a sentence as for every other error, and where it happened to whoever sets DEBUG. */
export function unexpected(error: unknown, { DEBUG }: Readonly<Record<string, string | undefined>>): CliError {
  const { message, stack = message } = error instanceof Error ? error : new Error(String(error));
  const fix = DEBUG ? stack : "This is a mistake of steadyhook's: DEBUG=1 shows where it happened.";
  return new CliError(`Something unexpected went wrong: ${message.slice(0, longestText)}`, { code: "unexpected", fix });
}

import { env } from "./env.js";

const levels = ["debug", "info", "warn", "error"] as const;

export type LogLevel = (typeof levels)[number];

/** Names under which a value is never written, should a caller forget; ids of secrets are no secrets. */
const secretName = /secret|authorization|signature|password|token|cookie|credential|api-?key/i;
const idName = /ids?$/i;

/** A stack's first lines name our own code; the rest is the runtime's. */
const stackLines = 8;
/** CloudWatch takes 256 KB an event; nothing that an operator reads is near this. */
const longestText = 4_096;
const deepest = 6;

/**
 * Writes one line of JSON to stdout: `level`, `message`, `time`, then the fields. Nothing below `LOG_LEVEL` (default
 * `info`) is written. Errors are shown with name, message, cause and the first lines of the stack. Keeping secrets and
 * bodies out is the caller's duty; values under a name like `secret` or `authorization` are replaced as a net. Never
 * throws.
 */
export function log(level: LogLevel, message: string, fields: Readonly<Record<string, unknown>> = {}): void {
  if (levels.indexOf(level) < leastLevel()) return;
  const shown = showEntries(fields, 0);
  const line = { level, message: cut(message), time: new Date().toISOString(), ...shown };
  process.stdout.write(`${JSON.stringify(line)}\n`);
}

function leastLevel(): number {
  const named = levels.indexOf((process.env[env.logLevel] ?? "info").toLowerCase() as LogLevel);
  return named < 0 ? levels.indexOf("info") : named;
}

/** A value as JSON can hold it; cycles and deep structures end in a word instead of an exception. */
function show(value: unknown, depth: number): unknown {
  if (typeof value === "string") return cut(value);
  if (typeof value === "bigint" || typeof value === "symbol") return String(value);
  if (typeof value === "function") return "(function)";
  if (typeof value !== "object" || value === null) return value;
  if (value instanceof Error) return showError(value, depth);
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? "(invalid date)" : value.toISOString();
  if (ArrayBuffer.isView(value)) return `(${value.byteLength} bytes)`;
  if (depth >= deepest) return "(deeper)";
  if (Array.isArray(value)) return value.slice(0, 100).map((entry) => show(entry, depth + 1));
  return showEntries(value, depth + 1);
}

function showEntries(fields: object, depth: number): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [name, isSecret(name, value) ? "(redacted)" : show(value, depth)]),
  );
}

const isSecret = (name: string, value: unknown): boolean =>
  secretName.test(name) && !idName.test(name) && (typeof value === "string" || typeof value === "object");

/** What an AWS SDK error adds: a code, and the request id that support asks for. */
interface SdkError {
  readonly code?: unknown;
  readonly $metadata?: { readonly requestId?: string; readonly httpStatusCode?: number };
}

function showError(error: Error & SdkError, depth: number): Record<string, unknown> {
  return {
    name: error.name,
    message: cut(error.message),
    ...(error.code === undefined ? {} : { code: String(error.code) }),
    ...(error.$metadata?.requestId === undefined ? {} : { requestId: error.$metadata.requestId }),
    ...(error.cause === undefined || depth >= deepest ? {} : { cause: show(error.cause, depth + 1) }),
    stack: (error.stack ?? "")
      .split("\n")
      .slice(1, stackLines)
      .map((line) => cut(line.trim())),
  };
}

const cut = (text: string): string => (text.length <= longestText ? text : `${text.slice(0, longestText)}…`);

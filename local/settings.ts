import { isAbsolute, join } from "node:path";
import { StartError } from "./start-error.js";

/** What `npm start` reads from the environment. */
export interface LocalSettings {
  /** `PORT`, default 8787; 0: a free one. */
  readonly port: number;
  /** `STEADYHOOK_DATA`, default `.steadyhook` in the current folder. Absolute. */
  readonly dataDir: string;
  /** `STEADYHOOK_ALLOW_PRIVATE`, default true: destinations on loopback addresses are allowed. */
  readonly allowLoopback: boolean;
  /** `STEADYHOOK_AWS_PORT`; 0 (the default): a free one. */
  readonly awsPort: number;
  /** `LOG_FORMAT=json`: log lines as the functions write them. */
  readonly jsonLogs: boolean;
  /** `STEADYHOOK_CONTEXT`, default none: CDK context, the keys that `cdk deploy -c` takes. */
  readonly context: Readonly<Record<string, unknown>>;
}

/** The environment holds a value that cannot be used; the message is a sentence for the user. */
export class SettingsError extends StartError {
  override readonly name = "SettingsError";
}

type Environment = Readonly<Record<string, string | undefined>>;

/** @throws {SettingsError} naming the variable, its value and what is expected. */
export function readSettings(environment: Environment, folder: string): LocalSettings {
  const dataDir = given(environment, "STEADYHOOK_DATA") ?? ".steadyhook";
  return {
    port: portOf(environment, "PORT", 8787),
    dataDir: isAbsolute(dataDir) ? dataDir : join(folder, dataDir),
    allowLoopback: choiceOf(environment, "STEADYHOOK_ALLOW_PRIVATE", ["true", "false"], "true") === "true",
    awsPort: portOf(environment, "STEADYHOOK_AWS_PORT", 0),
    jsonLogs: choiceOf(environment, "LOG_FORMAT", ["text", "json"], "text") === "json",
    context: objectOf(environment, "STEADYHOOK_CONTEXT"),
  };
}

/** An empty value counts as absent: that is how a shell unsets for one command. */
function given(environment: Environment, name: string): string | undefined {
  const value = environment[name]?.trim();
  return value === "" ? undefined : value;
}

function portOf(environment: Environment, name: string, fallback: number): number {
  const text = given(environment, name);
  if (text === undefined) return fallback;
  const port = Number(text);
  if (/^\d+$/.test(text) && port <= 65_535) return port;
  throw new SettingsError(`${name} is "${text}": it must be a port number up to 65535.`);
}

function choiceOf(environment: Environment, name: string, choices: readonly string[], fallback: string): string {
  const text = given(environment, name);
  if (text === undefined) return fallback;
  if (choices.includes(text)) return text;
  throw new SettingsError(`${name} is "${text}": it must be ${choices.join(" or ")}.`);
}

function objectOf(environment: Environment, name: string): Readonly<Record<string, unknown>> {
  const text = given(environment, name) ?? "{}";
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  } catch {
    // Said below, as for any other value that is not an object.
  }
  throw new SettingsError(`${name} is "${text}": it must be a JSON object, e.g. {"steadyhook:deliverySeconds":30}.`);
}

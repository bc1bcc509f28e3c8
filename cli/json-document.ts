import { readFile } from "node:fs/promises";
import { usageError } from "./cli-error.js";
import type { Io } from "./io.js";
import { readAll } from "./read-input.js";

export type JsonObject = Readonly<Record<string, unknown>>;

/** A JSON object as an option's value: in line, `@FILE` or `-` (stdin). */
export async function readJsonObject(given: string, io: Io): Promise<JsonObject> {
  if (given === "-") return parseObject(await readAll(io, "JSON"), "stdin");
  if (given.startsWith("@")) return parseObject(await readInputFile(given.slice(1)), given.slice(1));
  return parseObject(Buffer.from(given), "the JSON");
}

/** Bytes of a file that a command names. */
export async function readInputFile(path: string): Promise<Buffer> {
  try {
    return await readFile(path);
  } catch (error) {
    throw usageError(`${path} cannot be read: ${(error as NodeJS.ErrnoException).code ?? String(error)}.`);
  }
}

export function parseObject(bytes: Buffer, name: string): JsonObject {
  const value = parseJson(bytes.toString("utf8").replace(/^\ufeff/, ""), name);
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as JsonObject;
  throw usageError(`${name} must hold a JSON object.`);
}

function parseJson(text: string, name: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    // The parser's message quotes the text, which may hold a secret: only the place is told.
    const position = /position (\d+)/.exec((error as Error).message)?.[1];
    throw usageError(`${name} is not JSON${position === undefined ? "" : ` (${place(text, Number(position))})`}.`);
  }
}

function place(text: string, position: number): string {
  const before = text.slice(0, position).split("\n");
  return `line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1}`;
}

/** The fields that have a value; null is one. */
export const given = (fields: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));

import { randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { AwsError } from "./aws-error.js";
import { asObject, type JsonObject } from "./json-input.js";

/** Largest request: the relay's own are a tenth of it. */
const maximumBodyBytes = 64 * 1024 * 1024;

/** The whole body. Rejects when the caller breaks off. @throws {AwsError} `EntityTooLarge`. */
export function readWhole(request: IncomingMessage): Promise<Buffer> {
  // By events: an iterator takes longer than all the rest of reading a small body.
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    request.on("data", (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes <= maximumBodyBytes) chunks.push(chunk);
      else reject(new AwsError("EntityTooLarge", "The request is too large.", { statusCode: 413 }));
    });
    request.once("end", () => resolve(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks)));
    request.once("error", reject);
    // After its end this comes to nothing.
    request.once("close", () => reject(new Error("the caller broke off")));
  });
}

/** A JSON object; an empty body is an empty object. @throws {AwsError} `SerializationException`. */
export function parseInput(body: Buffer): JsonObject {
  if (body.length === 0) return {};
  let value: unknown;
  try {
    value = JSON.parse(body.toString());
  } catch {
    throw new AwsError("SerializationException", "The body is not JSON.");
  }
  return asObject(value, "The body");
}

/** Aborts when the caller goes away before it has its answer. */
export function goneSignal(response: ServerResponse): AbortSignal {
  const controller = new AbortController();
  response.once("close", () => response.writableFinished || controller.abort());
  return controller.signal;
}

/** Sends an answer; a caller that has gone meanwhile is no error. */
export async function reply(
  response: ServerResponse,
  statusCode: number,
  headers: Readonly<Record<string, string>>,
  body: string | Readable,
): Promise<void> {
  if (response.destroyed || response.headersSent) {
    if (body instanceof Readable) body.destroy();
    return;
  }
  response.writeHead(statusCode, { "x-amzn-requestid": randomUUID(), ...headers });
  if (typeof body === "string") response.end(body);
  else await pipeline(body, response).catch(() => response.destroy());
}

import type { IncomingMessage, ServerResponse } from "node:http";
import { type GatewayAnswer, internalServerError } from "./gateway-answer.js";

/** An HTTP API takes bodies up to 10 MB. */
const maxBodyBytes = 10 * 1024 * 1024;

/** A body above the limit is read to its end, so that the sender sees the answer; beyond this it is cut off. */
const maxDrainedBytes = 64 * 1024 * 1024;

/** Request line and headers as they stood on the wire. */
export function headerBytes(request: IncomingMessage): number {
  const requestLine = `${request.method} ${request.url} HTTP/1.1\r\n`.length;
  const headers = request.rawHeaders.reduce((sum, text) => sum + text.length + 2, 0);
  return requestLine + headers;
}

/** The whole body; null when it is above the limit. Rejects when the sender goes away. */
export async function readBody(request: IncomingMessage): Promise<Buffer | null> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes <= maxBodyBytes) chunks.push(chunk);
    if (bytes > maxDrainedBytes) break;
  }
  return bytes > maxBodyBytes ? null : Buffer.concat(chunks);
}

/** Sends the answer; one that HTTP cannot carry becomes a 500. */
export function writeAnswer(request: IncomingMessage, response: ServerResponse, answer: GatewayAnswer): void {
  try {
    for (const [name, value] of Object.entries(answer.headers)) response.setHeader(name, value);
    if (answer.cookies.length > 0) response.setHeader("set-cookie", [...answer.cookies]);
  } catch {
    // A name or value that HTTP cannot carry: the function's answer is malformed.
    for (const name of response.getHeaderNames()) response.removeHeader(name);
    writeAnswer(request, response, internalServerError);
    return;
  }
  response.statusCode = answer.status;
  if (answer.status !== 204 && answer.status !== 304) response.setHeader("content-length", answer.body.length);
  response.end(request.method === "HEAD" ? undefined : answer.body);
}

import type { IncomingMessage } from "node:http";
import type { RelayClient } from "../relay-client.js";
import { answerHeaders, type ConsoleAnswer, problemAnswer } from "./problem-answer.js";

const methods = new Set(["GET", "POST", "PUT", "PATCH", "DELETE"]);

/** What the admin API reads. Everything else stays here, the token and cookies of other local pages first of all. */
const sentHeaders = ["accept", "content-type", "if-match", "if-none-match", "idempotency-key", "steadyhook-reason"];

const answeredHeaders = ["allow", "content-disposition", "content-type", "etag", "location", "retry-after"];

/** As the admin API's own limit, and room for the answer that says so. */
const mostBytes = 1024 * 1024;

/** Passes a call of the admin API on, signed, and its answer back. Nothing but `/admin/*` is reached. */
export async function forwardCall(client: RelayClient, request: IncomingMessage, target: URL): Promise<ConsoleAnswer> {
  if (!target.pathname.startsWith("/admin/")) return problemAnswer(404, "not_found", "There is nothing at this path.");
  const method = request.method ?? "GET";
  if (!methods.has(method)) return problemAnswer(405, "method_not_allowed", `${method} is no method of the admin API.`);
  const body = await readBody(request);
  if (body === null) return problemAnswer(413, "body_too_large", "The body has more than 1 MB.");
  const headers: Record<string, string> = {};
  for (const name of sentHeaders) {
    const value = request.headers[name];
    if (typeof value === "string") headers[name] = value;
  }
  const answer = await client.forward({
    method,
    path: target.pathname,
    query: target.searchParams,
    headers,
    body: body.length === 0 ? undefined : body,
  });
  const shown: Record<string, string> = { ...answerHeaders };
  for (const name of answeredHeaders) {
    const value = answer.headers[name];
    if (typeof value === "string") shown[name] = value;
  }
  return { status: answer.status, headers: shown, body: answer.body };
}

/** Null: larger than anything that the admin API takes. */
async function readBody(request: IncomingMessage): Promise<Buffer | null> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > mostBytes) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

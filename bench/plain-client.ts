import { type Agent, request as httpRequest } from "node:http";
import type { Headers } from "../functions/core/model.js";

/** One request as it goes out, and nothing more. */
export interface PlainRequest {
  readonly url: string;
  readonly method?: string;
  readonly headers: Headers;
  readonly body: Buffer;
}

/** Sends a request with nothing but `node:http` and reads the answer to its end; resolves to status and text. */
export function sendPlainly(
  agent: Agent,
  sent: PlainRequest,
): Promise<{ readonly status: number; readonly text: string }> {
  const { url, method = "POST", headers, body } = sent;
  const flat = Object.fromEntries([...headers, ["content-length", String(body.length)]]);
  return new Promise((resolve, reject) => {
    const request = httpRequest(url, { agent, method, headers: flat }, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("end", () => resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString() }));
      response.on("error", reject);
    });
    request.on("error", reject);
    request.end(body);
  });
}

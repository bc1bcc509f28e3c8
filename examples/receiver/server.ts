import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { HandledOnce } from "./handled-once.js";
import { RefusedRequest, type VerifiedRequest, verify } from "./verify.js";

export interface ReceiverOptions {
  /** `whsec_…`, from the subscription. */
  readonly secret: string;
  /** What is to be done with each event, once. When it fails, the relay sends the event again. */
  readonly handle: (request: VerifiedRequest) => Promise<void>;
}

/** More is no webhook: the relay takes 6 MB at most. */
const largestBody = 10 * 1024 * 1024;

/** A receiver on plain `node:http`. A 2xx is only sent when the work is done: after it the event never comes again. */
export function createReceiver({ secret, handle }: ReceiverOptions): Server {
  const handled = new HandledOnce();
  return createServer((request, response) => {
    receive(request)
      .then(async (body) => {
        const verified = verify(secret, request.headers as Record<string, string | undefined>, body);
        const first = await handled.run(verified.id, () => handle(verified));
        answer(response, 200, first ? "handled" : "handled before");
      })
      .catch((error: unknown) => {
        if (error instanceof RefusedRequest) answer(response, error.status, error.message);
        // Everything else is our own failure: the relay tries again later.
        else answer(response, 500, "failed");
      });
  });
}

/** The raw bytes: what is verified is what came. */
async function receive(request: IncomingMessage): Promise<Buffer> {
  if (request.headers["transfer-encoding"] !== undefined) throw new RefusedRequest(400, "say how long the body is");
  // The relay always says how long a body is.
  const { "content-length": length = "0" } = request.headers;
  if (Number(length) > largestBody) throw new RefusedRequest(413, "the body is too large");
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks);
}

function answer(response: ServerResponse, status: number, text: string): void {
  if (response.destroyed) return;
  response.writeHead(status, { "content-type": "text/plain" }).end(`${text}\n`);
}

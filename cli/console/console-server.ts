import { randomBytes } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { ConsolePages, type RelayInfo } from "../../console/serve/console-pages.js";
import { CliError, usageError } from "../cli-error.js";
import type { RelayClient } from "../relay-client.js";
import { consoleRefusal } from "./console-guard.js";
import { forwardCall } from "./forward-call.js";
import { type ConsoleAnswer, problemAnswer } from "./problem-answer.js";

export interface ConsoleOptions {
  readonly client: RelayClient;
  readonly relay: RelayInfo;
  /** dist/console of the package. */
  readonly folder: string;
  /** 0: a free one. */
  readonly port: number;
}

export interface RunningConsole {
  /** With the token in its fragment, which no browser sends anywhere. */
  readonly url: string;
  close(): Promise<void>;
}

/** Serves the console on 127.0.0.1, and passes its calls on, signed. Each start has a token of its own. */
export async function startConsole({ client, relay, folder, port }: ConsoleOptions): Promise<RunningConsole> {
  const token = randomBytes(24).toString("base64url");
  const pages = new ConsolePages(folder);
  const answer = async (request: IncomingMessage): Promise<ConsoleAnswer> => {
    const target = new URL(request.url ?? "/", "http://127.0.0.1");
    const { port: bound } = server.address() as AddressInfo;
    const refusal = consoleRefusal(request.headers, target.pathname, bound, token);
    if (refusal !== null) return problemAnswer(403, "console_refused", refusal);
    if (target.pathname === "/") return { status: 302, headers: { location: "/console/" }, body: Buffer.alloc(0) };
    const page = pages.answer(request.method ?? "GET", target.pathname, relay);
    return page ?? forwardCall(client, request, target);
  };
  const server = createServer((request, response) => {
    answer(request).then(
      (given) => write(request, response, given),
      (error: unknown) => write(request, response, failureOf(error)),
    );
  });
  await listen(server, port);
  const { port: bound } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${bound}/console/#token=${token}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function write(request: IncomingMessage, response: ServerResponse, { status, headers, body }: ConsoleAnswer): void {
  // A body that was not read to its end is in the way of the next request.
  if (!request.complete) response.setHeader("connection", "close");
  response.writeHead(status, { ...headers, "content-length": body.length });
  response.end(request.method === "HEAD" ? undefined : body);
}

/** What our own side cannot do (no credentials, no network) is told to the page as the relay tells its refusals. */
function failureOf(error: unknown): ConsoleAnswer {
  if (!(error instanceof CliError)) return problemAnswer(500, "internal_error", (error as Error).message);
  const { code = "not_reachable", fix } = error.details;
  return problemAnswer(502, code, fix === undefined ? error.message : `${error.message} ${fix}`);
}

function listen(server: ReturnType<typeof createServer>, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) =>
      reject(
        usageError(
          `The console cannot listen on port ${port}: ${error.code ?? error.message}.`,
          "Give another one with --port, or leave it out for a free one.",
        ),
      ),
    );
    server.listen(port, "127.0.0.1", resolve);
  });
}

import http from "node:http";
import https from "node:https";
import { addAbortSignal } from "node:stream";
import { buffer } from "node:stream/consumers";
import { CliError } from "./cli-error.js";
import type { OutgoingRequest, RelayAddress } from "./relay-address.js";

/** The gateway's limit is 30 s: later nothing comes. */
const answerWithinMs = 35_000;

export interface RelayAnswer {
  readonly status: number;
  readonly headers: http.IncomingHttpHeaders;
  readonly body: Buffer;
}

/** Sends a request; what keeps it from getting an answer is a {@link CliError}. */
export async function exchange(
  request: OutgoingRequest,
  headers: Readonly<Record<string, string>>,
  address: RelayAddress,
): Promise<RelayAnswer> {
  try {
    return await send(request, headers);
  } catch (error) {
    throw unreachable(error as NodeJS.ErrnoException, request.url, address);
  }
}

/** Not `fetch`: it refuses ports, and follows what is to be followed without our signature. */
function send(outgoing: OutgoingRequest, headers: Readonly<Record<string, string>>): Promise<RelayAnswer> {
  const { method, url, body } = outgoing;
  const { request } = url.protocol === "https:" ? https : http;
  return new Promise((resolve, reject) => {
    const signal = AbortSignal.timeout(answerWithinMs);
    const sent = request(url, { method, headers, signal }, (incoming) => {
      buffer(incoming).then(
        (bytes) => resolve({ status: incoming.statusCode ?? 0, headers: incoming.headers, body: bytes }),
        reject,
      );
    });
    if (outgoing.signal !== undefined) addAbortSignal(outgoing.signal, sent);
    sent.on("error", reject).end(body);
  });
}

function unreachable(error: NodeJS.ErrnoException, { origin }: URL, { sign }: RelayAddress): CliError {
  const code = "not_reachable";
  if (error.name === "AbortError") {
    const fix = "Try again; the relay's log says more.";
    return new CliError(`${origin} did not answer within ${answerWithinMs / 1_000} s.`, { code, fix });
  }
  const why = error.code === "ECONNREFUSED" ? "nothing listens there" : error.message || (error.code ?? error.name);
  const fix =
    sign === null
      ? "Start the local relay with `npm start`, or name another one with --url URL or --stack NAME."
      : "Check the URL, the region and the network.";
  return new CliError(`No relay answers at ${origin}: ${why}.`, { code, fix });
}

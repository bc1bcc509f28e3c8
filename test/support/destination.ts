import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { createServer as createTlsServer } from "node:https";
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from "node:net";
import type { SecureContextOptions } from "node:tls";

/** What a destination received, as it was on the wire. */
export interface ReceivedRequest {
  /** From 0, in the order in which the requests were complete. */
  readonly index: number;
  readonly method: string;
  /** Request target as sent: path and query. */
  readonly target: string;
  /** Name and value pairs as sent: case, order and repetitions kept. */
  readonly rawHeaders: ReadonlyArray<readonly [name: string, value: string]>;
  /** Lower-case names; the last of repeated headers. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  /** Hex SHA-256 of the body. */
  readonly sha256: string;
  /** From 0: which connection it came on. */
  readonly connection: number;
}

/**
 * One answer. A number is a status without a body; `hang` never answers; `reset` closes with RST; `close` closes
 * without an answer; `respond` gets node's own response, to do anything else.
 */
export type Answer =
  | number
  | "hang"
  | "reset"
  | "close"
  | {
      readonly status?: number;
      readonly headers?: Readonly<Record<string, string | string[]>>;
      readonly body?: string | Buffer;
    }
  | { readonly respond: (response: ServerResponse, request: ReceivedRequest) => void };

/** One answer for all, a list answered in turn (the last one repeats), or a function of the request. */
export type Script = Answer | readonly Answer[] | ((request: ReceivedRequest) => Answer);

export interface DestinationOptions {
  /** Serve TLS with these; see {@link testCertificate}. Default: plain HTTP. */
  readonly tls?: SecureContextOptions;
  /** Address to bind. Default 127.0.0.1. */
  readonly host?: string;
  /** Port to bind. Default: a free one. */
  readonly port?: number;
  /** How long the server keeps an idle connection. Default 5,000 ms (node's own). */
  readonly keepAliveTimeoutMs?: number;
}

/** A destination that listens on a real socket and does what its script says. Close it in `afterEach`. */
export interface Destination {
  /** Base URL without a trailing slash, e.g. `http://127.0.0.1:40123`. */
  readonly url: string;
  readonly port: number;
  /** Complete requests so far, in order. */
  readonly requests: readonly ReceivedRequest[];
  /** Connections accepted so far. */
  readonly connections: number;
  /** Connections that are open now. */
  readonly openConnections: number;
  /** Replaces the script from the next request on. */
  answer(script: Script): void;
  /** Resolves once `count` requests have been received in total. */
  received(count: number): Promise<readonly ReceivedRequest[]>;
  /** Closes every open connection, e.g. those that are kept alive, with RST. */
  dropConnections(): void;
  close(): Promise<void>;
}

function chooseAnswer(script: Script, request: ReceivedRequest, turn: number): Answer {
  if (Array.isArray(script)) return (script[Math.min(turn, script.length - 1)] as Answer | undefined) ?? 200;
  return typeof script === "function" ? script(request) : (script as Answer);
}

function give(answer: Answer, response: ServerResponse, request: ReceivedRequest): void {
  if (answer === "hang") return;
  if (answer === "reset") response.socket?.resetAndDestroy();
  else if (answer === "close") response.socket?.destroy();
  else if (typeof answer === "number") response.writeHead(answer).end();
  else if ("respond" in answer) answer.respond(response, request);
  else response.writeHead(answer.status ?? 200, answer.headers).end(answer.body);
}

async function readRequest(incoming: IncomingMessage, index: () => number, connection: number) {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  const body = Buffer.concat(chunks);
  const rawHeaders: [string, string][] = [];
  for (let at = 0; at < incoming.rawHeaders.length; at += 2) {
    rawHeaders.push([incoming.rawHeaders[at] ?? "", incoming.rawHeaders[at + 1] ?? ""]);
  }
  return {
    index: index(),
    method: incoming.method ?? "",
    target: incoming.url ?? "",
    rawHeaders,
    headers: Object.fromEntries(rawHeaders.map(([name, value]) => [name.toLowerCase(), value])),
    body,
    sha256: createHash("sha256").update(body).digest("hex"),
    connection,
  } satisfies ReceivedRequest;
}

/** Open connections of a server, and how many there were. */
function trackConnections(server: Server) {
  const open = new Set<Socket>();
  const numbers = new WeakMap<Socket, number>();
  let accepted = 0;
  server.on("connection", (socket: Socket) => {
    numbers.set(socket, accepted++);
    open.add(socket);
    socket.on("close", () => open.delete(socket));
    // A client that breaks off is part of what is tested, never a failure of the test's own server.
    socket.on("error", () => socket.destroy());
  });
  return {
    open,
    accepted: () => accepted,
    numberOf: (port: number | undefined) => {
      for (const socket of open) if (socket.remotePort === port) return numbers.get(socket) ?? -1;
      return -1;
    },
    drop: () => {
      for (const socket of open) socket.resetAndDestroy();
    },
  };
}

async function listen(server: Server, options: DestinationOptions): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(options.port ?? 0, options.host ?? "127.0.0.1", resolve);
  });
  return (server.address() as AddressInfo).port;
}

function baseUrl(scheme: "http" | "https", options: DestinationOptions, port: number): string {
  const host = options.host ?? "127.0.0.1";
  return `${scheme}://${host.includes(":") ? `[${host}]` : host}:${port}`;
}

function closeServer(server: Server, connections: ReturnType<typeof trackConnections>): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  connections.drop();
  return closed;
}

/**
 * A destination on `node:http` (or `node:https` with `tls`) that reads each request whole and then answers by its
 * script. Default: 200 to everything.
 *
 * @example
 * const destination = await startDestination([503, 503, 200]);
 * await send(`${destination.url}/hook`);
 * const [first] = await destination.received(1);
 */
export async function startDestination(script: Script = 200, options: DestinationOptions = {}): Promise<Destination> {
  const requests: ReceivedRequest[] = [];
  const waiting = new Set<() => void>();
  let current = script;
  let turn = 0;

  const onRequest = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    const number = connections.numberOf(incoming.socket.remotePort);
    let request: ReceivedRequest;
    try {
      request = await readRequest(incoming, () => requests.length, number);
    } catch {
      return; // The client broke off while sending: not a complete request.
    }
    requests.push(request);
    const answer = chooseAnswer(current, request, turn++);
    for (const check of waiting) check();
    give(answer, response, request);
  };
  const listener = (incoming: IncomingMessage, response: ServerResponse): void => void onRequest(incoming, response);
  const limits = { keepAliveTimeout: options.keepAliveTimeoutMs ?? 5_000 };
  const server = options.tls
    ? createTlsServer({ ...limits, ...options.tls }, listener)
    : createServer(limits, listener);
  server.on("tlsClientError", () => {});
  server.on("checkContinue", listener);
  const connections = trackConnections(server);
  const port = await listen(server, options);

  return {
    url: baseUrl(options.tls ? "https" : "http", options, port),
    port,
    requests,
    get connections() {
      return connections.accepted();
    },
    get openConnections() {
      return connections.open.size;
    },
    answer(next) {
      current = next;
      turn = 0;
    },
    received: (count) =>
      new Promise((resolve) => {
        const check = (): void => {
          if (requests.length < count) return;
          waiting.delete(check);
          resolve(requests);
        };
        waiting.add(check);
        check();
      }),
    dropConnections: connections.drop,
    close: () => closeServer(server, connections),
  };
}

/** A destination that speaks bytes instead of HTTP: for everything that no proper server would send. */
export interface RawDestination {
  readonly url: string;
  readonly port: number;
  readonly connections: number;
  readonly openConnections: number;
  dropConnections(): void;
  close(): Promise<void>;
}

/**
 * Listens on a raw TCP socket and hands each connection (numbered from 0) to `onConnection`.
 *
 * @example
 * const destination = await startRawDestination((socket) => socket.end("HTTP/0.9 garbage"));
 */
export async function startRawDestination(
  onConnection: (socket: Socket, connection: number) => void,
  options: Omit<DestinationOptions, "tls" | "keepAliveTimeoutMs"> & {
    /** Accept connections that the client has half closed. Default false. */ readonly allowHalfOpen?: boolean;
  } = {},
): Promise<RawDestination> {
  const server = createTcpServer({ allowHalfOpen: options.allowHalfOpen ?? false });
  const connections = trackConnections(server);
  server.on("connection", (socket: Socket) => onConnection(socket, connections.accepted() - 1));
  const port = await listen(server, options);
  return {
    url: baseUrl("http", options, port),
    port,
    get connections() {
      return connections.accepted();
    },
    get openConnections() {
      return connections.open.size;
    },
    dropConnections: connections.drop,
    close: () => closeServer(server, connections),
  };
}

/** A port on 127.0.0.1 that refuses connections: it was free a moment ago. */
export async function closedPort(host = "127.0.0.1"): Promise<number> {
  const server = createTcpServer();
  const port = await listen(server, { host });
  await new Promise<void>((resolve) => server.close(() => resolve()));
  return port;
}

function tlsFile(name: string): Buffer {
  return readFileSync(new URL(`./tls/${name}`, import.meta.url));
}

/** A certificate with its key from `test/support/tls` (`make.sh` there says how they were made). */
export function testCertificate(
  name: "good" | "expired" | "wrong-name" | "self-signed",
): Required<Pick<SecureContextOptions, "key" | "cert">> {
  return { key: tlsFile(`${name}.key`), cert: tlsFile(`${name}.crt`) };
}

/** The authority that signed the test certificates; names: `localhost`, `good.test`, 127.0.0.1, ::1. */
export function testAuthority(): Buffer {
  return tlsFile("ca.crt");
}

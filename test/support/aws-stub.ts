import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";

/** One call that an SDK made. */
export interface AwsCall {
  readonly method: string;
  readonly path: string;
  /** Name of the operation for the JSON protocols (`SendMessage`), else empty. */
  readonly operation: string;
  readonly body: Buffer;
  /** The body as JSON; empty object when it is none. */
  // biome-ignore lint/suspicious/noExplicitAny: each service has its own shape, and tests read into it.
  readonly json: any;
}

export interface AwsAnswer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Buffer | string | object;
}

/** An endpoint that records what the SDK really sends, and answers what a test wants. */
export interface AwsStub {
  readonly endpoint: string;
  readonly calls: AwsCall[];
  /** Settings for an SDK client that talks to this stub, and fails at once where it would retry. */
  readonly clientConfig: {
    readonly endpoint: string;
    readonly region: string;
    readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string };
    readonly maxAttempts: number;
  };
  close(): Promise<void>;
}

/** Starts a stub on a free port of the loopback interface. */
export async function startAwsStub(answer: (call: AwsCall, earlier: number) => AwsAnswer): Promise<AwsStub> {
  const calls: AwsCall[] = [];
  const server = createServer(async (request, response) => {
    const call = await readCall(request);
    const { status = 200, headers = {}, body = "" } = answer(call, calls.length);
    calls.push(call);
    const text = typeof body === "string" || Buffer.isBuffer(body) ? body : JSON.stringify(body);
    response.writeHead(status, { "content-type": "application/x-amz-json-1.0", ...headers }).end(text);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    endpoint,
    calls,
    clientConfig: {
      endpoint,
      region: "us-east-1",
      credentials: { accessKeyId: "test", secretAccessKey: "test" },
      maxAttempts: 1,
    },
    async close() {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

async function readCall(request: IncomingMessage): Promise<AwsCall> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const body = Buffer.concat(chunks);
  return {
    method: request.method ?? "",
    path: request.url ?? "",
    operation: String(request.headers["x-amz-target"] ?? "").replace(/^.*\./, ""),
    body,
    json: body[0] === 0x7b ? JSON.parse(body.toString()) : {},
  };
}

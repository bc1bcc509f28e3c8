import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";

/** A destination in this process, so that what is sent and what arrives is timed by one clock. */
export interface BenchDestination {
  readonly url: string;
  close(): void;
}

/** `answer` sees each request when its body has come, and says the status. */
export async function startBenchDestination(answer: (request: IncomingMessage) => number): Promise<BenchDestination> {
  const server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
    request.resume().on("end", () => response.writeHead(answer(request)).end());
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

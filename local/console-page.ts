import type { IncomingMessage } from "node:http";
import { join } from "node:path";
import { ConsolePages } from "../console/serve/console-pages.js";
import type { GatewayAnswer } from "./gateway-answer.js";
import type { RequestTarget } from "./gateway-event.js";
import { packageRoot } from "./paths.js";

/** The port that the command line takes by itself. */
const defaultPort = "8787";

/** The console at `/console`, before the relay that serves it. */
export class ConsolePage {
  readonly #pages = new ConsolePages(join(packageRoot, "dist/console"));

  /** Null when the path is not the console's. */
  handle(request: IncomingMessage, { rawPath }: RequestTarget): Promise<GatewayAnswer> | null {
    // The gateway lets in names of this machine only.
    const origin = `http://${request.headers.host ?? ""}`;
    const isDefault = origin.endsWith(`:${defaultPort}`);
    const answer = this.#pages.answer(request.method ?? "GET", rawPath, {
      label: "local relay",
      ingressUrl: `${origin}/in`,
      command: isDefault ? "npx steadyhook" : `npx steadyhook --url ${origin}`,
    });
    return answer === null ? null : Promise.resolve({ ...answer, cookies: [] });
  }
}

import { afterEach } from "vitest";
import { HttpSender, type HttpSenderOptions } from "../../functions/adapters/http/sender.js";
import {
  type Destination,
  type DestinationOptions,
  type RawDestination,
  type Script,
  startDestination,
  startRawDestination,
} from "./destination.js";

/** Makes senders and destinations that end with the test, in the reverse order of their making. */
export function senderRig() {
  const endings: (() => void | Promise<void>)[] = [];

  afterEach(async () => {
    for (const end of endings.splice(0).reverse()) await end();
  });

  return {
    /** A sender that may reach loopback, on the real clock. */
    sender(options: Partial<HttpSenderOptions> = {}): HttpSender {
      const sender = new HttpSender({ now: Date.now, allowLoopback: true, ...options });
      endings.push(() => sender.close());
      return sender;
    },
    async destination(script?: Script, options?: DestinationOptions): Promise<Destination> {
      const destination = await startDestination(script, options);
      endings.push(() => destination.close());
      return destination;
    },
    async raw(
      onConnection: Parameters<typeof startRawDestination>[0],
      options?: Parameters<typeof startRawDestination>[1],
    ): Promise<RawDestination> {
      const destination = await startRawDestination(onConnection, options);
      endings.push(() => destination.close());
      return destination;
    },
    /** Answers the first bytes of each connection with `text`, then closes unless `keepOpen`. */
    saying(text: string | Buffer, { keepOpen = false } = {}): Promise<RawDestination> {
      return this.raw((socket) => {
        socket.once("data", () => (keepOpen ? socket.write(text) : socket.end(text)));
      });
    },
  };
}

/** A lookup that knows the given addresses for every name, and records the names that it was asked for. */
export function fixedLookup(...answers: (readonly string[])[]) {
  const asked: string[] = [];
  const lookup = async (hostname: string) => {
    const addresses = answers[Math.min(asked.length, answers.length - 1)] ?? [];
    asked.push(hostname);
    return addresses.map((address) => ({ address, family: address.includes(":") ? 6 : 4 }));
  };
  return { lookup, asked };
}

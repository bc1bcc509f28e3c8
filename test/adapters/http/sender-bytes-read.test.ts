import { subscribe, unsubscribe } from "node:diagnostics_channel";
import type { Socket } from "node:net";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { anOutboundRequest } from "../../support/outbound-request.js";
import { senderRig } from "../../support/sender-rig.js";

/** What is read of a body at all, and what node's HTTP parser takes from the socket at a time. */
const capBytes = 16 * 1024;
const chunkBytes = 64 * 1024;

const rig = senderRig();
let sockets: Socket[] = [];
const onSocket = (message: unknown): void => void sockets.push((message as { readonly socket: Socket }).socket);
beforeEach(() => {
  sockets = [];
  subscribe("net.client.socket", onSocket);
});
afterEach(() => unsubscribe("net.client.socket", onSocket));

/** Writes as fast as the other side takes it, without end. */
function flood(socket: Socket, head: string): void {
  const chunk = Buffer.alloc(chunkBytes, "x");
  socket.write(head);
  const more = (): void => void (socket.destroyed || socket.write(chunk, (error) => error || setImmediate(more)));
  more();
}

describe("an answer that never ends", () => {
  it.each([
    ["with a length of a gigabyte", `HTTP/1.1 200 OK\r\ncontent-length: ${2 ** 30}\r\n\r\n`],
    ["without a length", "HTTP/1.1 200 OK\r\n\r\n"],
    ["in one endless chunk", "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n40000000\r\n"],
    ["as an endless error", "HTTP/1.1 503 Service Unavailable\r\n\r\n"],
    ["with endless headers", "HTTP/1.1 200 OK\r\nx-long: "],
  ])("is read up to the cap, and its connection ended: %s", async (_what, head) => {
    const destination = await rig.raw((socket) => void socket.once("data", () => flood(socket, head)));
    await rig.sender().send(anOutboundRequest({ url: destination.url }));
    const [socket] = sockets.filter(({ remotePort, bytesRead }) => remotePort !== undefined || bytesRead > 0);
    expect(socket?.destroyed).toBe(true);
    expect(socket?.bytesRead).toBeGreaterThan(0);
    // The chunk that goes beyond the cap is in memory, and the one behind it may be.
    expect(socket?.bytesRead).toBeLessThanOrEqual(capBytes + 2 * chunkBytes);
  });
});

import type { Socket } from "node:net";
import { describe, expect, it } from "vitest";
import { testAuthority, testCertificate } from "../../support/destination.js";
import { anOutboundRequest } from "../../support/outbound-request.js";
import { senderRig } from "../../support/sender-rig.js";

const rig = senderRig();
const ok = "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok";

/** Answers the first request on its connection, then does `then` with the second one. */
function answersOnce(then: (socket: Socket) => void): (socket: Socket) => void {
  return (socket) => {
    socket.once("data", () => {
      socket.once("data", () => then(socket));
      socket.write(ok);
    });
  };
}

describe("kept connections", () => {
  it("uses a connection again for the next request to the same host", async () => {
    const destination = await rig.destination();
    const sender = rig.sender();
    for (let n = 0; n < 5; n++) await sender.send(anOutboundRequest({ url: `${destination.url}/${n}` }));
    expect(destination.requests.map(({ connection }) => connection)).toEqual([0, 0, 0, 0, 0]);
  });

  it("uses a TLS connection again and reports no connection times for it", async () => {
    const destination = await rig.destination(200, { tls: testCertificate("good") });
    const sender = rig.sender({ ca: testAuthority() });
    const first = await sender.send(anOutboundRequest({ url: destination.url }));
    const second = await sender.send(anOutboundRequest({ url: destination.url }));
    expect(destination.connections).toBe(1);
    expect(Object.keys(first.timings)).toEqual(["connectMs", "tlsMs", "firstByteMs"]);
    expect(Object.keys(second.timings)).toEqual(["firstByteMs"]);
    expect(second.address).toBe("127.0.0.1");
  });

  it("leaves no listener of a request on a kept connection", async () => {
    const server: Socket[] = [];
    const destination = await rig.raw((socket) => {
      server.push(socket);
      socket.on("data", () => socket.write(ok));
    });
    const sender = rig.sender();
    const warnings: Error[] = [];
    const onWarning = (warning: Error): number => warnings.push(warning);
    process.on("warning", onWarning);
    for (let n = 0; n < 30; n++) await sender.send(anOutboundRequest({ url: destination.url }));
    process.off("warning", onWarning);
    expect(server).toHaveLength(1);
    expect(warnings).toEqual([]);
  });

  it.each<[string, (socket: Socket) => void]>([
    ["reset", (socket) => socket.resetAndDestroy()],
    ["closed", (socket) => socket.destroy()],
  ])("sends again on a new connection when a kept one is %s before any answer, and notes it", async (_how, then) => {
    const destination = await rig.raw(answersOnce(then));
    const sender = rig.sender();
    await sender.send(anOutboundRequest({ url: destination.url }));
    const result = await sender.send(anOutboundRequest({ url: destination.url }));
    expect(result).toMatchObject({ statusCode: 200, error: null });
    expect(result.errorDetail).toContain("sent again");
    expect(destination.connections).toBe(2);
  });

  it("sends again once at most: a reset on the new connection is the destination's", async () => {
    let connections = 0;
    const destination = await rig.raw((socket) => {
      if (connections++ === 0) answersOnce((again) => again.resetAndDestroy())(socket);
      else socket.once("data", () => socket.resetAndDestroy());
    });
    const sender = rig.sender();
    await sender.send(anOutboundRequest({ url: destination.url }));
    const result = await sender.send(anOutboundRequest({ url: destination.url }));
    expect(result).toMatchObject({ statusCode: null, error: "reset" });
    expect(result.errorDetail).toContain("sent again");
    expect(destination.connections).toBe(2);
  });

  it("does not send again when a byte of an answer came on the kept connection", async () => {
    const destination = await rig.raw(answersOnce((socket) => socket.end("HTTP/1.1 5")));
    const sender = rig.sender();
    await sender.send(anOutboundRequest({ url: destination.url }));
    const result = await sender.send(anOutboundRequest({ url: destination.url }));
    expect(result).toMatchObject({ statusCode: null, error: "reset" });
    expect(destination.connections).toBe(1);
  });

  it("does not send again after a timeout on a kept connection", async () => {
    const destination = await rig.raw(answersOnce(() => {}));
    const sender = rig.sender();
    await sender.send(anOutboundRequest({ url: destination.url }));
    const result = await sender.send(anOutboundRequest({ url: destination.url, timeouts: { readSeconds: 0.04 } }));
    expect(result.error).toBe("read_timeout");
    expect(destination.connections).toBe(1);
  });

  it("does not use a connection that was idle for seconds of wall-clock time: the function may have been frozen", async () => {
    const destination = await rig.destination();
    let nowMs = 1_000_000;
    const sender = rig.sender({ now: () => nowMs });
    const send = () => sender.send(anOutboundRequest({ url: destination.url, deadlineMs: nowMs + 10_000 }));
    await send();
    nowMs += 4_000;
    await send();
    expect(destination.connections).toBe(1);
    nowMs += 360_000;
    const result = await send();
    expect(result).toMatchObject({ statusCode: 200, error: null });
    expect(result.errorDetail).toBeUndefined();
    expect(destination.connections).toBe(2);
  });

  it("ends each of several connections when its own time is over", async () => {
    const [first, second, third] = [await rig.destination(), await rig.destination(), await rig.destination()];
    let nowMs = 1_000_000;
    const sender = rig.sender({ now: () => nowMs });
    const send = ({ url }: { readonly url: string }) =>
      sender.send(anOutboundRequest({ url, deadlineMs: nowMs + 10_000 }));
    await send(first);
    nowMs += 3_000;
    await send(second);
    nowMs += 1_500;
    await send(third);
    nowMs += 3_000;
    for (const each of [first, second, third]) await send(each);
    expect([first, second, third].map(({ connections }) => connections)).toEqual([2, 2, 1]);
  });

  it("closes the connection when the body is longer than what it reads", async () => {
    const destination = await rig.destination({ body: "x".repeat(100_000) });
    const sender = rig.sender();
    for (let n = 0; n < 2; n++) await sender.send(anOutboundRequest({ url: destination.url }));
    expect(destination.connections).toBe(2);
  });

  it("keeps the connection after a body that is longer than the preview but short", async () => {
    const destination = await rig.destination({ body: "x".repeat(8_000) });
    const sender = rig.sender();
    for (let n = 0; n < 2; n++) await sender.send(anOutboundRequest({ url: destination.url }));
    expect(destination.connections).toBe(1);
  });

  it("does not take bytes that came unasked on a kept connection for the next request's answer", async () => {
    const closed: Promise<void>[] = [];
    const destination = await rig.raw((socket) => {
      closed.push(new Promise((resolve) => socket.on("close", () => resolve())));
      socket.on("data", () => {
        socket.write(ok);
        if (closed.length === 1) setImmediate(() => socket.write("HTTP/1.1 500 Spoofed\r\ncontent-length: 0\r\n\r\n"));
      });
    });
    const sender = rig.sender();
    await sender.send(anOutboundRequest({ url: destination.url }));
    await closed[0];
    const result = await sender.send(anOutboundRequest({ url: destination.url }));
    expect(result.statusCode).toBe(200);
  });
});

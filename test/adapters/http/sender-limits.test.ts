import type { Socket } from "node:net";
import { describe, expect, it } from "vitest";
import { testAuthority } from "../../support/destination.js";
import { anOutboundRequest } from "../../support/outbound-request.js";
import { senderRig } from "../../support/sender-rig.js";

const rig = senderRig();
/** Long enough for a busy machine to connect and answer on loopback, short enough to wait for. */
const shortSeconds = 0.25;

/** Writes `text` again and again, faster than any read timeout used here, until the other side goes. */
function drip(socket: Socket, text: string): void {
  socket.write(text, (error) => {
    if (!error) setTimeout(drip, 5, socket, text);
  });
}

describe("time limits", () => {
  it("ends a name that does not resolve within the connect timeout", async () => {
    const sender = rig.sender({ lookup: () => new Promise(() => {}) });
    const result = await sender.send(
      anOutboundRequest({ url: "http://hook.example/", timeouts: { connectSeconds: shortSeconds } }),
    );
    expect(result).toMatchObject({ statusCode: null, error: "connect_timeout" });
    expect(result.errorDetail).toContain("resolving the host name");
  });

  it("ends a TLS handshake that does not finish within the connect timeout", async () => {
    const destination = await rig.raw(() => {});
    const result = await rig.sender({ ca: testAuthority() }).send(
      anOutboundRequest({
        url: destination.url.replace("http:", "https:"),
        timeouts: { connectSeconds: shortSeconds },
      }),
    );
    expect(result).toMatchObject({ statusCode: null, error: "connect_timeout", address: "127.0.0.1" });
    expect(result.errorDetail).toContain("TLS handshake");
    expect(destination.connections).toBe(1);
  });

  it("does not count the wait for an answer against the connect timeout", async () => {
    const destination = await rig.destination({
      respond: (response) => void setTimeout(() => response.writeHead(200).end(), 350),
    });
    const result = await rig
      .sender()
      .send(anOutboundRequest({ url: destination.url, timeouts: { connectSeconds: shortSeconds } }));
    expect(result.statusCode).toBe(200);
  });

  it("ends the wait for an answer after the read timeout", async () => {
    const destination = await rig.destination("hang");
    const result = await rig
      .sender()
      .send(anOutboundRequest({ url: destination.url, timeouts: { readSeconds: shortSeconds } }));
    expect(result).toMatchObject({ statusCode: null, error: "read_timeout", address: "127.0.0.1" });
    expect(destination.requests).toHaveLength(1);
  });

  it("ends headers that stop half way after the read timeout", async () => {
    const destination = await rig.saying("HTTP/1.1 200 OK\r\nx-half: ", { keepOpen: true });
    const result = await rig
      .sender()
      .send(anOutboundRequest({ url: destination.url, timeouts: { readSeconds: shortSeconds } }));
    expect(result).toMatchObject({ statusCode: null, error: "read_timeout" });
  });

  it("ends a request body that the destination does not read after the read timeout", async () => {
    const destination = await rig.raw((socket) => void socket.pause());
    const result = await rig.sender().send(
      anOutboundRequest({
        url: destination.url,
        body: Buffer.alloc(32 * 1024 * 1024),
        timeouts: { readSeconds: shortSeconds },
      }),
    );
    expect(result).toMatchObject({ statusCode: null, error: "read_timeout" });
  });

  it("ends headers that drip without end at the deadline", async () => {
    const destination = await rig.raw((socket) => {
      socket.once("data", () => {
        socket.write("HTTP/1.1 200 OK\r\nx-slow: ");
        drip(socket, "a");
      });
    });
    const result = await rig
      .sender()
      .send(anOutboundRequest({ url: destination.url, timeouts: { readSeconds: 1 }, deadlineMs: Date.now() + 60 }));
    expect(result).toMatchObject({ statusCode: null, error: "deadline" });
  });

  it("ends interim answers that repeat without end at the deadline", async () => {
    const destination = await rig.raw((socket) => {
      socket.once("data", () => drip(socket, "HTTP/1.1 103 Early Hints\r\n\r\n"));
    });
    const result = await rig.sender().send(anOutboundRequest({ url: destination.url, deadlineMs: Date.now() + 60 }));
    expect(result).toMatchObject({ statusCode: null, error: "deadline" });
  });

  it("ends a name that does not resolve at the deadline when that comes first", async () => {
    const sender = rig.sender({ lookup: () => new Promise(() => {}) });
    const result = await sender.send(anOutboundRequest({ url: "http://hook.example/", deadlineMs: Date.now() + 40 }));
    expect(result).toMatchObject({ statusCode: null, error: "deadline" });
  });

  it.each([0, -1, -100_000])("sends nothing when the deadline is %i ms away", async (leftMs) => {
    const destination = await rig.destination();
    const sender = rig.sender({ now: () => 1_000_000 });
    const result = await sender.send(anOutboundRequest({ url: destination.url, deadlineMs: 1_000_000 + leftMs }));
    expect(result).toMatchObject({ statusCode: null, error: "deadline", startedAtMs: 1_000_000, durationMs: 0 });
    expect(destination.connections).toBe(0);
  });

  it("takes limits beyond what a timer can hold", async () => {
    const destination = await rig.destination();
    const timeouts = { connectSeconds: 10_000_000, readSeconds: 10_000_000 };
    const result = await rig.sender().send(anOutboundRequest({ url: destination.url, timeouts, deadlineMs: 8.64e15 }));
    expect(result.statusCode).toBe(200);
  });
});

describe("time limits after the headers", () => {
  it.each([200, 500])("keeps status %i when the body stalls, with what came of it", async (status) => {
    const destination = await rig.saying(`HTTP/1.1 ${status} X\r\ncontent-length: 9\r\n\r\nabc`, { keepOpen: true });
    const result = await rig
      .sender()
      .send(anOutboundRequest({ url: destination.url, timeouts: { readSeconds: shortSeconds } }));
    expect(result).toMatchObject({ statusCode: status, error: null, preview: Buffer.from("abc"), previewCut: true });
  });

  it("keeps the status when the body drips, and stops reading after the grace", async () => {
    const closed: Promise<void>[] = [];
    const destination = await rig.raw((socket) => {
      closed.push(new Promise((resolve) => socket.on("close", () => resolve())));
      socket.once("data", () => {
        socket.write("HTTP/1.1 200 OK\r\n\r\n");
        drip(socket, "x");
      });
    });
    const result = await rig.sender({ previewGraceMs: 150 }).send(anOutboundRequest({ url: destination.url }));
    expect(result).toMatchObject({ statusCode: 200, error: null, previewCut: true });
    expect(result.preview.toString()).toMatch(/^x+$/);
    await Promise.all(closed);
  });

  it("keeps the status when the deadline passes within the body", async () => {
    const destination = await rig.saying("HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nabc", { keepOpen: true });
    const result = await rig.sender().send(anOutboundRequest({ url: destination.url, deadlineMs: Date.now() + 300 }));
    expect(result).toMatchObject({ statusCode: 200, error: null, preview: Buffer.from("abc"), previewCut: true });
  });
});

import { once } from "node:events";
import type { Socket } from "node:net";
import { Worker } from "node:worker_threads";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { anOutboundRequest } from "../../support/outbound-request.js";
import { senderRig } from "../../support/sender-rig.js";

const rig = senderRig();
const failures: unknown[] = [];
const onFailure = (cause: unknown): number => failures.push(cause);

beforeAll(() => {
  process.on("uncaughtException", onFailure);
  process.on("unhandledRejection", onFailure);
});

afterAll(() => {
  process.off("uncaughtException", onFailure);
  process.off("unhandledRejection", onFailure);
  expect(failures).toEqual([]);
});

/** Writes until the other side has had enough; tells how many bytes went out. */
function endless(socket: Socket, head: string, limitBytes: number): Promise<number> {
  const chunk = Buffer.alloc(64 * 1024, "x");
  socket.write(head);
  return new Promise((resolve) => {
    socket.on("close", () => resolve(socket.bytesWritten));
    const more = (): void => {
      if (socket.bytesWritten > limitBytes) socket.destroy();
      else socket.write(chunk, (error) => error || setImmediate(more));
    };
    more();
  });
}

/**
 * Port of a server that answers the first bytes of a request with 413 and closes. It runs on a thread of its own: on
 * the sender's own event loop it could never close between two of the sender's writes.
 */
async function earlyAnswerPort(): Promise<number> {
  const server = `
    const { parentPort } = require("node:worker_threads");
    const server = require("node:net").createServer((socket) => {
      socket.on("error", () => {});
      socket.once("data", () => {
        socket.write("HTTP/1.1 413 Content Too Large\\r\\ncontent-length: 8\\r\\n\\r\\ntoo big!");
        socket.destroySoon();
      });
    });
    server.listen(0, "127.0.0.1", () => parentPort.postMessage(server.address().port));`;
  const worker = new Worker(server, { eval: true });
  onTestFinished(async () => void (await worker.terminate()));
  const [port] = (await once(worker, "message")) as [number];
  return port;
}

describe("hostile destinations", () => {
  it.each([
    ["of 1 GiB", `HTTP/1.1 200 OK\r\ncontent-length: ${2 ** 30}\r\n\r\n`],
    ["without end", "HTTP/1.1 200 OK\r\n\r\n"],
  ])("reads little of a body %s", async (_what, head) => {
    let written: Promise<number> | undefined;
    const destination = await rig.raw((socket) => {
      socket.once("data", () => {
        written = endless(socket, head, 2 ** 30);
      });
    });
    const result = await rig.sender().send(anOutboundRequest({ url: destination.url }));
    expect(result).toMatchObject({ statusCode: 200, error: null, previewCut: true });
    expect(result.preview.length).toBe(1024);
    // What the kernel's buffers took is not read: megabytes, never the gigabyte.
    expect(await written).toBeLessThan(64 * 1024 * 1024);
  });

  it("sees a 413 that comes while a 4 MB body is still being sent and the connection is closed", async () => {
    const port = await earlyAnswerPort();
    const sender = rig.sender();
    const request = { url: `http://127.0.0.1:${port}/`, body: Buffer.alloc(4 * 1024 * 1024) };
    for (let round = 0; round < 5; round++) {
      const results = await Promise.all(Array.from({ length: 10 }, () => sender.send(anOutboundRequest(request))));
      for (const result of results) {
        expect(result).toMatchObject({ statusCode: 413, error: null, preview: Buffer.from("too big!") });
      }
    }
  });

  it("sees a 413 of a destination that answers on connect, before it reads anything", async () => {
    const destination = await rig.raw((socket) => socket.end("HTTP/1.1 413 Too Large\r\ncontent-length: 0\r\n\r\n"));
    const result = await rig
      .sender()
      .send(anOutboundRequest({ url: destination.url, body: Buffer.alloc(4 * 1024 * 1024) }));
    expect(result).toMatchObject({ statusCode: 413, error: null });
  });

  it("does not wait for the rest of its own body once the answer is complete", async () => {
    const destination = await rig.raw((socket) => {
      socket.once("data", () => {
        socket.pause();
        socket.write("HTTP/1.1 413 Too Large\r\ncontent-length: 0\r\n\r\n");
      });
    });
    const result = await rig
      .sender()
      .send(anOutboundRequest({ url: destination.url, body: Buffer.alloc(32 * 1024 * 1024) }));
    expect(result).toMatchObject({ statusCode: 413, error: null });
  });

  it("calls it a reset when the destination goes away in the middle of a large body", async () => {
    const destination = await rig.raw((socket) => socket.once("data", () => socket.resetAndDestroy()));
    const result = await rig
      .sender()
      .send(anOutboundRequest({ url: destination.url, body: Buffer.alloc(4 * 1024 * 1024) }));
    expect(result).toMatchObject({ statusCode: null, error: "reset" });
  });

  it("leaves no connection open behind an answer that it stopped reading", async () => {
    const closed: Promise<void>[] = [];
    const destination = await rig.raw((socket) => {
      closed.push(new Promise((resolve) => socket.on("close", () => resolve())));
      socket.once("data", () => socket.write("HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nab"));
    });
    const sender = rig.sender({ previewGraceMs: 20 });
    const results = await Promise.all([1, 2, 3].map(() => sender.send(anOutboundRequest({ url: destination.url }))));
    expect(results.map(({ statusCode }) => statusCode)).toEqual([200, 200, 200]);
    await Promise.all(closed);
    expect(destination.openConnections).toBe(0);
  });

  it("stays quiet when a socket fails after its attempt has ended", async () => {
    const destination = await rig.raw((socket) => {
      socket.once("data", () => {
        socket.write("HTTP/1.1 200 OK\r\ncontent-length: 100000000\r\n\r\nab");
        setTimeout(() => socket.resetAndDestroy(), 5);
      });
    });
    const sender = rig.sender({ previewGraceMs: 5 });
    const results = await Promise.all(
      Array.from({ length: 20 }, () => sender.send(anOutboundRequest({ url: destination.url }))),
    );
    expect(results.every(({ statusCode, error }) => statusCode === 200 && error === null)).toBe(true);
  });

  it("keeps ten hanging destinations from delaying an answer that is there", async () => {
    const hanging = await rig.destination("hang");
    const healthy = await rig.destination(200);
    const sender = rig.sender();
    const hung = Array.from({ length: 10 }, () =>
      sender.send(anOutboundRequest({ url: hanging.url, timeouts: { readSeconds: 0.3 } })),
    );
    const result = await sender.send(anOutboundRequest({ url: healthy.url }));
    expect(result.statusCode).toBe(200);
    expect((await Promise.all(hung)).every(({ error }) => error === "read_timeout")).toBe(true);
  });

  it("turns whatever else goes wrong into a value", async () => {
    const request = { ...anOutboundRequest({ url: "http://127.0.0.1:1/" }), headers: null as never };
    expect(await rig.sender().send(request)).toMatchObject({ statusCode: null, error: "unknown_error" });
  });
});

describe("evidence of an attempt", () => {
  it("measures name, connection, first byte and the whole on the given clock", async () => {
    let nowMs = 1_000_000;
    const destination = await rig.destination({
      respond: (response) => {
        nowMs += 30;
        response.end();
      },
    });
    const lookup = async () => {
      nowMs += 7;
      return [{ address: "127.0.0.1", family: 4 }];
    };
    const sender = rig.sender({ now: () => nowMs, lookup });
    const result = await sender.send(
      anOutboundRequest({ url: `http://hook.example:${destination.port}/`, deadlineMs: nowMs + 10_000 }),
    );
    expect(result).toMatchObject({ startedAtMs: 1_000_000, durationMs: 37, address: "127.0.0.1" });
    expect(result.timings).toEqual({ dnsMs: 7, connectMs: 0, firstByteMs: 30 });
  });
});

import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import type { Answer } from "../../support/destination.js";
import { anOutboundRequest } from "../../support/outbound-request.js";
import { senderRig } from "../../support/sender-rig.js";

const rig = senderRig();

async function answerTo(text: string | Buffer, method = "POST") {
  const destination = await rig.saying(text);
  return rig.sender().send(anOutboundRequest({ url: destination.url, method }));
}

describe("what the sender makes of answers", () => {
  it.each([200, 201, 202, 204, 299, 400, 404, 410, 429, 500, 503, 530, 599])(
    "reports status %i as it is",
    async (status) => {
      const destination = await rig.destination(status);
      const result = await rig.sender().send(anOutboundRequest({ url: destination.url }));
      expect(result).toMatchObject({ statusCode: status, error: null, previewCut: false });
      expect(result.errorDetail).toBeUndefined();
    },
  );

  it.each([301, 302, 303, 307, 308])("never follows %i, and hands Location on as a header", async (status) => {
    const destination = await rig.destination({ status, headers: { location: "/elsewhere" } });
    const result = await rig.sender().send(anOutboundRequest({ url: destination.url }));
    expect(result.statusCode).toBe(status);
    expect(result.responseHeaders).toContainEqual(["location", "/elsewhere"]);
    expect(destination.requests).toHaveLength(1);
  });

  it("joins repeated response headers by comma under lower-case names", async () => {
    const result = await answerTo("HTTP/1.1 200 OK\r\nX-A: 1\r\nRetry-After: 3\r\nx-a: 2\r\ncontent-length: 0\r\n\r\n");
    expect(result.responseHeaders).toEqual([
      ["x-a", "1, 2"],
      ["retry-after", "3"],
      ["content-length", "0"],
    ]);
  });

  it("keeps the first bytes of the body and marks that there were more", async () => {
    const destination = await rig.destination({ status: 500, body: "0123456789" });
    const sender = rig.sender({ previewBytes: 4 });
    const result = await sender.send(anOutboundRequest({ url: destination.url }));
    expect(result).toMatchObject({ preview: Buffer.from("0123"), previewCut: true });
  });

  it.each([1023, 1024])("keeps a body of %i bytes whole", async (size) => {
    const destination = await rig.destination({ body: "x".repeat(size) });
    const result = await rig.sender().send(anOutboundRequest({ url: destination.url }));
    expect(result.preview.length).toBe(size);
    expect(result.previewCut).toBe(false);
  });

  it("keeps 1,024 bytes of a longer body", async () => {
    const destination = await rig.destination({ body: "x".repeat(1025) });
    const result = await rig.sender().send(anOutboundRequest({ url: destination.url }));
    expect(result.preview.length).toBe(1024);
    expect(result.previewCut).toBe(true);
  });

  it("never inflates a body", async () => {
    const body = gzipSync("hello");
    const destination = await rig.destination({ headers: { "content-encoding": "gzip" }, body });
    const result = await rig.sender().send(anOutboundRequest({ url: destination.url }));
    expect(result.preview.equals(body)).toBe(true);
  });

  it("ignores interim answers before the final one", async () => {
    const result = await answerTo(
      "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\nHTTP/1.1 204 No Content\r\n\r\n",
    );
    expect(result).toMatchObject({ statusCode: 204, error: null });
  });

  it("reads HTTP/1.0 answers whose body ends with the connection", async () => {
    const result = await answerTo("HTTP/1.0 200 OK\r\n\r\nhello");
    expect(result).toMatchObject({ statusCode: 200, preview: Buffer.from("hello"), previewCut: false });
  });

  it("reads no body of an answer to HEAD, whatever its length says", async () => {
    const result = await answerTo("HTTP/1.1 200 OK\r\ncontent-length: 1000000\r\n\r\n", "HEAD");
    expect(result).toMatchObject({ statusCode: 200, previewCut: false });
  });

  it("takes the status of a 204 that wrongly carries a body", async () => {
    const result = await answerTo("HTTP/1.1 204 No Content\r\n\r\nsome body that must not be here");
    expect(result).toMatchObject({ statusCode: 204, error: null, preview: Buffer.alloc(0) });
  });

  it("reports 999 as it is", async () => {
    expect(await answerTo("HTTP/1.1 999 Denied\r\ncontent-length: 0\r\n\r\n")).toMatchObject({
      statusCode: 999,
      error: null,
    });
  });

  it("reports an unasked protocol switch as its status", async () => {
    const result = await answerTo("HTTP/1.1 101 Switching\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n\0\x01\x02");
    expect(result).toMatchObject({ statusCode: 101, error: null });
  });

  it.each([
    ["HTTP/0.9 text", "<html>hello</html>"],
    ["another protocol", "220 smtp.example ESMTP\r\n"],
    ["status 000", "HTTP/1.1 000 Nothing\r\ncontent-length: 0\r\n\r\n"],
    ["status 099", "HTTP/1.1 099 Nothing\r\ncontent-length: 0\r\n\r\n"],
    ["a status of two digits", "HTTP/1.1 20 OK\r\n\r\n"],
    ["two different lengths", "HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nab"],
    ["length and chunks", "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\ncontent-length: 5\r\n\r\n"],
    ["a NUL in a header", "HTTP/1.1 200 OK\r\nx: a\0b\r\n\r\n"],
    ["TLS bytes", Buffer.from("15030300020228", "hex")],
  ])("calls %s a protocol error", async (_what, text) => {
    const result = await answerTo(text);
    expect(result).toMatchObject({ statusCode: null, error: "protocol" });
  });

  it.each([
    ["one long header", `x: ${"a".repeat(17_000)}\r\n`],
    ["many headers", Array.from({ length: 5_000 }, (_, at) => `x-${at}: ${at}\r\n`).join("")],
  ])("reads no header block over 16 KiB: %s", async (_what, headers) => {
    const result = await answerTo(`HTTP/1.1 200 OK\r\n${headers}\r\n`);
    expect(result).toMatchObject({ statusCode: null, error: "response_too_large" });
  });

  it("ends a header block that never ends", async () => {
    const destination = await rig.raw((socket) => {
      socket.once("data", () => {
        socket.write("HTTP/1.1 200 OK\r\n");
        const more = (): boolean =>
          socket.write(`x-${"a".repeat(1000)}: b\r\n`, (error) => error || setImmediate(more));
        more();
      });
    });
    const result = await rig.sender().send(anOutboundRequest({ url: destination.url }));
    expect(result.error).toBe("response_too_large");
  });

  it.each<[string, Answer]>([
    ["closes", "close"],
    ["resets", "reset"],
  ])("calls it a reset when the destination %s without an answer", async (_what, answer) => {
    const destination = await rig.destination(answer);
    const result = await rig.sender().send(anOutboundRequest({ url: destination.url }));
    expect(result).toMatchObject({ statusCode: null, error: "reset", address: "127.0.0.1" });
    expect(destination.requests).toHaveLength(1);
  });

  it("calls a half header block a reset", async () => {
    expect(await answerTo("HTTP/1.1 200 OK\r\nx-half: ")).toMatchObject({ statusCode: null, error: "reset" });
  });

  it("reads the answer of a destination that has half closed its side of the connection", async () => {
    const destination = await rig.raw((socket) => socket.end("HTTP/1.1 202 Accepted\r\ncontent-length: 2\r\n\r\nok"), {
      allowHalfOpen: true,
    });
    const result = await rig.sender().send(anOutboundRequest({ url: destination.url }));
    expect(result).toMatchObject({ statusCode: 202, preview: Buffer.from("ok") });
  });

  it.each([
    ["breaks off", "HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\npart"],
    ["has a bad chunk", "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n4\r\npart\r\nzz\r\n"],
  ])("keeps status and preview when the body %s", async (_what, text) => {
    expect(await answerTo(text)).toMatchObject({
      statusCode: 200,
      error: null,
      preview: Buffer.from("part"),
      previewCut: true,
    });
  });
});

import type { ClientRequest } from "node:http";
import { Writable } from "node:stream";
import { describe, expect, it } from "vitest";
import { writeBody } from "../../../functions/adapters/http/body-writer.js";

/** Takes bytes as a request does, one chunk at a time; `onChunk` runs before a chunk is taken. */
function aRequest(onChunk: (request: Writable) => void = () => {}) {
  const chunks: Buffer[] = [];
  const request = new Writable({
    write(chunk: Buffer, _encoding, taken) {
      onChunk(request);
      chunks.push(chunk);
      setImmediate(taken);
    },
  });
  return { request, chunks, ended: new Promise<void>((resolve) => request.on("close", () => resolve())) };
}

describe("writeBody", () => {
  it("reports each chunk that was taken, so that a slow destination is not a silent one", async () => {
    const { request, chunks, ended } = aRequest();
    const body = Buffer.alloc(5 * 64 * 1024 + 1, "abc");
    let reports = 0;
    writeBody(request as ClientRequest, body, () => reports++);
    await ended;
    expect(Buffer.concat(chunks).equals(body)).toBe(true);
    expect(reports).toBe(6);
  });

  it("writes nothing more once the request is destroyed", async () => {
    const { request, chunks, ended } = aRequest((each) => each.destroy());
    writeBody(request as ClientRequest, Buffer.alloc(1024 * 1024), () => {});
    await ended;
    await new Promise((resolve) => setImmediate(resolve));
    expect(chunks).toHaveLength(1);
  });
});

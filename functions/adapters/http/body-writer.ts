import type { ClientRequest } from "node:http";

/** Large enough to fill a socket's buffer in few steps, small enough that a stalled one is noticed. */
const chunkBytes = 64 * 1024;

/** Writes a body in chunks and ends the request, reporting each chunk that the socket took. */
export function writeBody(request: ClientRequest, body: Buffer, onProgress: () => void): void {
  const writeFrom = (offset: number): void => {
    const end = offset + chunkBytes;
    if (end >= body.length) {
      request.end(body.subarray(offset), onProgress);
      return;
    }
    request.write(body.subarray(offset, end), (error) => {
      if (error) return;
      onProgress();
      writeFrom(end);
    });
  };
  writeFrom(0);
}

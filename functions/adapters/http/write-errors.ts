import type { Socket } from "node:net";

/**
 * Holds a failed write's error back for two turns of the event loop.
 *
 * A destination may answer early (413, 401) and close while the body is still on its way: the next write then fails,
 * and node destroys the socket on the spot, with the answer unread in its buffer. Two turns always contain one whole
 * poll of the sockets, which reads that answer before the error is heard. Other errors (a failed TLS handshake) pass at
 * once. Call once for each new socket.
 */
export function holdWriteErrors(socket: Socket): void {
  const write = socket._write.bind(socket);
  socket._write = (chunk, encoding, callback) => write(chunk, encoding, held(callback));
  const writev = socket._writev?.bind(socket);
  if (writev !== undefined) socket._writev = (chunks, callback) => writev(chunks, held(callback));
}

type WriteCallback = (error?: Error | null) => void;

/** What a write fails with when the other side has closed. */
const closedCodes: readonly (string | undefined)[] = ["EPIPE", "ECONNRESET"];

function held(callback: WriteCallback): WriteCallback {
  return (error?: NodeJS.ErrnoException | null) => {
    if (closedCodes.includes(error?.code)) setImmediate(() => setImmediate(callback, error));
    else callback(error);
  };
}

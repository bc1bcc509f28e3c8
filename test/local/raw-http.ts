import { connect } from "node:net";

/** Sends exactly these bytes and gives all that comes back until the server closes. */
export async function rawHttp(port: number, request: string | Buffer): Promise<{ status: number; text: string }> {
  const socket = connect(port, "127.0.0.1");
  socket.write(request);
  const chunks: Buffer[] = [];
  for await (const chunk of socket) chunks.push(chunk as Buffer);
  const text = Buffer.concat(chunks).toString("utf8");
  return { status: Number(text.split(" ")[1]), text };
}

/** A request with these header lines that asks the server to close afterwards. */
export function requestText(line: string, headers: readonly string[], body = ""): string {
  return [`${line} HTTP/1.1`, ...headers, "connection: close", "", body].join("\r\n");
}

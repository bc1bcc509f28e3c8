import { randomBytes } from "node:crypto";
import { describe, expect, it } from "vitest";
import { anOutboundRequest } from "../../support/outbound-request.js";
import { fixedLookup, senderRig } from "../../support/sender-rig.js";

const rig = senderRig();

describe("what the sender puts on the wire", () => {
  it.each([0, 1, 65_535, 65_536, 65_537, 255 * 1024, 4 * 1024 * 1024])(
    "sends a body of %i bytes unchanged",
    async (size) => {
      const destination = await rig.destination();
      const body = randomBytes(size);
      const result = await rig.sender().send(anOutboundRequest({ url: destination.url, body }));
      expect(result).toMatchObject({ statusCode: 200, error: null });
      expect(destination.requests[0]?.body.equals(body)).toBe(true);
      expect(destination.requests[0]?.headers["content-length"]).toBe(String(size));
    },
  );

  it("adds nothing but Host, Content-Length and Connection, and keeps the order of the list", async () => {
    const destination = await rig.destination();
    const headers = [
      ["x-b", "2"],
      ["content-type", "text/plain; charset=x"],
      ["x-a", "1, 2"],
      ["x-empty", ""],
    ] as const;
    await rig.sender().send(anOutboundRequest({ url: `${destination.url}/hook`, headers, body: Buffer.from("hé") }));
    expect(destination.requests[0]?.rawHeaders).toEqual([
      ["host", `127.0.0.1:${destination.port}`],
      ...headers,
      ["content-length", "3"],
      ["Connection", "keep-alive"],
    ]);
  });

  it.each(["POST", "PUT", "PATCH", "PROPFIND"])(
    "announces an empty body of %s with Content-Length: 0",
    async (method) => {
      const destination = await rig.destination();
      await rig.sender().send(anOutboundRequest({ url: destination.url, method, body: Buffer.alloc(0) }));
      expect(destination.requests[0]).toMatchObject({ method, body: Buffer.alloc(0) });
      expect(destination.requests[0]?.headers["content-length"]).toBe("0");
      expect(destination.requests[0]?.headers["transfer-encoding"]).toBeUndefined();
    },
  );

  it.each(["GET", "HEAD", "DELETE", "OPTIONS"])("sends %s without a body and without a length", async (method) => {
    const destination = await rig.destination();
    const result = await rig.sender().send(anOutboundRequest({ url: destination.url, method, body: Buffer.alloc(0) }));
    expect(result.statusCode).toBe(200);
    expect(destination.requests[0]?.method).toBe(method);
    expect(destination.requests[0]?.headers["content-length"]).toBeUndefined();
  });

  it.each(["GET", "DELETE"])("sends %s with a body", async (method) => {
    const destination = await rig.destination();
    await rig.sender().send(anOutboundRequest({ url: destination.url, method, body: Buffer.from("abc") }));
    expect(destination.requests[0]).toMatchObject({ method, body: Buffer.from("abc") });
  });

  it("keeps the raw query byte for byte, characters that a URL parser would escape included", async () => {
    const destination = await rig.destination();
    const query = "?a='b'&c=%7E~&d=%2f%2F&e=\"<>\\^`{|}&&=&+%20";
    await rig.sender().send(anOutboundRequest({ url: `${destination.url}/p%2fq/r${query}#fragment` }));
    expect(destination.requests[0]?.target).toBe(`/p%2fq/r${query}`);
  });

  it("never sends host, length or framing headers of the list", async () => {
    const destination = await rig.destination();
    const headers = [
      ["Host", "evil.example"],
      ["content-length", "3"],
      ["transfer-encoding", "chunked"],
      ["connection", "close"],
      ["x-kept", "1"],
    ] as const;
    await rig.sender().send(anOutboundRequest({ url: destination.url, headers, body: Buffer.from("abcdef") }));
    expect(destination.requests[0]?.body.toString()).toBe("abcdef");
    expect(destination.requests[0]?.rawHeaders.map(([name]) => name)).toEqual([
      "host",
      "x-kept",
      "content-length",
      "Connection",
    ]);
  });

  it.each([
    ["x-bad", "a\r\nx-injected: 1"],
    ["x-bad", "a\0b"],
    ["x-bad", "a\nb"],
    ["x bad", "1"],
    ["", "1"],
    ["x-bad:", "1"],
  ])("refuses header %j: %j as invalid_header, without connecting and without its value", async (name, value) => {
    const destination = await rig.destination();
    const result = await rig.sender().send(anOutboundRequest({ url: destination.url, headers: [[name, value]] }));
    expect(result).toMatchObject({ statusCode: null, error: "invalid_header" });
    expect(result.errorDetail).not.toContain("injected");
    expect(destination.connections).toBe(0);
  });

  it("refuses a method that is no token as invalid_header", async () => {
    const destination = await rig.destination();
    const result = await rig.sender().send(anOutboundRequest({ url: destination.url, method: "PO ST" }));
    expect(result.error).toBe("invalid_header");
  });

  it("sends Latin-1 header text as its bytes and any other text as UTF-8", async () => {
    const destination = await rig.destination();
    const headers = [
      ["x-latin", "caf\u00e9"],
      ["x-wide", "😊"],
    ] as const;
    await rig.sender().send(anOutboundRequest({ url: destination.url, headers }));
    const received = destination.requests[0]?.headers;
    expect(Buffer.from(received?.["x-latin"] ?? "", "latin1").toString("hex")).toBe("636166e9");
    expect(Buffer.from(received?.["x-wide"] ?? "", "latin1").toString()).toBe("😊");
  });

  it("names the URL's host in Host although the address is pinned", async () => {
    const destination = await rig.destination();
    const { lookup, asked } = fixedLookup(["127.0.0.1"]);
    const result = await rig
      .sender({ lookup })
      .send(anOutboundRequest({ url: `http://hook.example:${destination.port}/` }));
    expect(result).toMatchObject({ statusCode: 200, address: "127.0.0.1" });
    expect(destination.requests[0]?.headers["host"]).toBe(`hook.example:${destination.port}`);
    expect(asked).toEqual(["hook.example"]);
  });

  it("connects to the destination itself whatever the proxy variables say", async () => {
    const destination = await rig.destination();
    const names = ["HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "ALL_PROXY", "NODE_USE_ENV_PROXY"] as const;
    const before = names.map((name) => [name, process.env[name]] as const);
    for (const name of names) process.env[name] = name === "NODE_USE_ENV_PROXY" ? "1" : "http://127.0.0.1:1";
    try {
      const result = await rig.sender().send(anOutboundRequest({ url: destination.url }));
      expect(result.statusCode).toBe(200);
    } finally {
      for (const [name, value] of before) {
        if (value === undefined) delete process.env[name];
        else process.env[name] = value;
      }
    }
  });
});

import { createServer } from "node:tls";
import { describe, expect, it, onTestFinished } from "vitest";
import { testAuthority, testCertificate } from "../../support/destination.js";
import { anOutboundRequest } from "../../support/outbound-request.js";
import { fixedLookup, senderRig } from "../../support/sender-rig.js";

const rig = senderRig();
const ca = testAuthority();

async function sendTo(certificate: Parameters<typeof testCertificate>[0], options: object = {}) {
  const destination = await rig.destination(200, { tls: { ...testCertificate(certificate), ...options } });
  return rig.sender({ ca }).send(anOutboundRequest({ url: destination.url }));
}

describe("TLS", () => {
  it("delivers to a certificate of a trusted authority, by name and by literal address", async () => {
    const destination = await rig.destination(200, { tls: testCertificate("good") });
    const sender = rig.sender({ ca, lookup: fixedLookup(["127.0.0.1"]).lookup });
    for (const host of ["good.test", "127.0.0.1"]) {
      const result = await sender.send(anOutboundRequest({ url: `https://${host}:${destination.port}/` }));
      expect(result).toMatchObject({ statusCode: 200, error: null });
      expect(result.timings.tlsMs).toBeGreaterThanOrEqual(0);
    }
  });

  it("sends a 4 MB body over TLS unchanged", async () => {
    const destination = await rig.destination(200, { tls: testCertificate("good") });
    const body = Buffer.alloc(4 * 1024 * 1024, "abc");
    const result = await rig.sender({ ca }).send(anOutboundRequest({ url: destination.url, body }));
    expect(result.statusCode).toBe(200);
    expect(destination.requests[0]?.body.equals(body)).toBe(true);
  });

  it("sees a 413 over TLS that comes while a 4 MB body is still being sent and the connection is closed", async () => {
    const server = createServer(testCertificate("good"), (socket) => {
      socket.on("error", () => {});
      socket.once("data", () => {
        socket.write("HTTP/1.1 413 Too Large\r\ncontent-length: 8\r\n\r\ntoo big!");
        socket.destroySoon();
      });
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void server.close());
    const { port } = server.address() as { port: number };
    const sender = rig.sender({ ca });
    for (let n = 0; n < 10; n++) {
      const body = Buffer.alloc(4 * 1024 * 1024);
      const result = await sender.send(anOutboundRequest({ url: `https://127.0.0.1:${port}/`, body }));
      expect(result).toMatchObject({ statusCode: 413, error: null, preview: Buffer.from("too big!") });
    }
  });

  it.each([
    ["good.test", "good.test"],
    ["good.test.", "good.test"],
    ["127.0.0.1", false],
  ])("sends the name of https://%s as SNI %s although the address is pinned", async (host, expected) => {
    const names: unknown[] = [];
    const server = createServer(testCertificate("good"), (socket) => {
      names.push(socket.servername);
      socket.on("error", () => {});
      socket.once("data", () => socket.end("HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n"));
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void server.close());
    const { port } = server.address() as { port: number };
    const sender = rig.sender({ ca, lookup: fixedLookup(["127.0.0.1"]).lookup });
    const result = await sender.send(anOutboundRequest({ url: `https://${host}:${port}/` }));
    expect(result.statusCode).toBe(200);
    expect(names).toEqual([expected]);
  });

  it.each([
    ["expired", "tls_expired", "CERT_HAS_EXPIRED"],
    ["self-signed", "tls_self_signed", "DEPTH_ZERO_SELF_SIGNED_CERT"],
    ["wrong-name", "tls_name", "ERR_TLS_CERT_ALTNAME_INVALID"],
  ] as const)("tells a certificate that is %s apart as %s", async (certificate, error, code) => {
    const result = await sendTo(certificate);
    expect(result).toMatchObject({ statusCode: null, error });
    expect(result.errorDetail).toContain(code);
  });

  it("trusts no unknown authority", async () => {
    const destination = await rig.destination(200, { tls: testCertificate("good") });
    const result = await rig.sender().send(anOutboundRequest({ url: destination.url }));
    expect(result.error).toBe("tls_self_signed");
    expect(destination.requests).toEqual([]);
  });

  it("checks certificates even when the environment says not to", async () => {
    process.env["NODE_TLS_REJECT_UNAUTHORIZED"] = "0";
    onTestFinished(() => void delete process.env["NODE_TLS_REJECT_UNAUTHORIZED"]);
    expect((await sendTo("self-signed")).error).toBe("tls_self_signed");
  });

  it("calls a server that speaks only TLS 1.1 too weak", async () => {
    const old = { minVersion: "TLSv1", maxVersion: "TLSv1.1", ciphers: "DEFAULT@SECLEVEL=0" };
    expect(await sendTo("good", old)).toMatchObject({ statusCode: null, error: "tls_weak" });
  });

  it("calls it a handshake failure when no cipher is shared", async () => {
    const result = await sendTo("good", { maxVersion: "TLSv1.2", ciphers: "NULL-SHA256" });
    expect(result).toMatchObject({ statusCode: null, error: "tls_protocol" });
  });

  // Before TLS 1.3 a server has no alert of its own for it.
  it.each([
    ["TLSv1.2", "tls_protocol"],
    ["TLSv1.3", "tls_client_certificate"],
  ])(
    "tells that the server wants a client certificate as the version lets it say so (%s: %s)",
    async (version, error) => {
      const result = await sendTo("good", { requestCert: true, rejectUnauthorized: true, ca, maxVersion: version });
      expect(result).toMatchObject({ statusCode: null, error });
    },
  );

  it("tells https to a plain port from http to a TLS port", async () => {
    const plain = await rig.destination();
    const secure = await rig.destination(200, { tls: testCertificate("good") });
    const sender = rig.sender({ ca });
    const httpsToPlain = await sender.send(anOutboundRequest({ url: plain.url.replace("http:", "https:") }));
    expect(httpsToPlain).toMatchObject({ statusCode: null, error: "tls_protocol" });
    expect(httpsToPlain.errorDetail).toContain("wrong version number");
    const httpToTls = await sender.send(anOutboundRequest({ url: secure.url.replace("https:", "http:") }));
    expect(httpToTls.statusCode).toBeNull();
    expect(["reset", "protocol"]).toContain(httpToTls.error);
  });

  it("calls a connection that closes within the handshake a reset, and says so", async () => {
    const destination = await rig.raw((socket) => socket.once("data", () => socket.destroy()));
    const result = await rig
      .sender({ ca })
      .send(anOutboundRequest({ url: destination.url.replace("http:", "https:") }));
    expect(result).toMatchObject({ statusCode: null, error: "reset" });
    expect(result.errorDetail).toContain("during the TLS handshake");
  });
});

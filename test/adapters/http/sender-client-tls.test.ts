import { describe, expect, it } from "vitest";
import { testAuthority, testCertificate } from "../../support/destination.js";
import { anOutboundRequest } from "../../support/outbound-request.js";
import { senderRig } from "../../support/sender-rig.js";

const rig = senderRig();
const ca = String(testAuthority());
const identity = (name: Parameters<typeof testCertificate>[0]) => {
  const { cert, key } = testCertificate(name);
  return { certificate: String(cert), key: String(key) };
};

/** A destination that wants a client certificate, and answers with the one that it got. */
function mutual(options: object = {}) {
  const names: (string | undefined)[] = [];
  const tls = { ...testCertificate("good"), ca, requestCert: true, rejectUnauthorized: true, ...options };
  const destination = rig.destination(
    {
      respond: (response) => {
        const { socket } = response as unknown as { socket: { getPeerCertificate(): { subject?: { CN: string } } } };
        names.push(socket.getPeerCertificate().subject?.CN);
        response.end("ok");
      },
    },
    { tls },
  );
  return { names, destination };
}

describe("a client certificate", () => {
  it.each(["TLSv1.2", "TLSv1.3"])("is what the destination sees (%s)", async (maxVersion) => {
    const { names, destination } = mutual({ maxVersion });
    const { url } = await destination;
    const result = await rig.sender().send(anOutboundRequest({ url, tls: { ...identity("good"), ca } }));
    expect(result).toMatchObject({ statusCode: 200, error: null });
    expect(names).toEqual(["steadyhook test good"]);
  });

  it("never opens a connection for another identity, also when the connection is kept", async () => {
    const { names, destination } = mutual({ rejectUnauthorized: false });
    const { url, connections } = await destination;
    expect(connections).toBe(0);
    const sender = rig.sender();
    const [one, other] = [
      { ...identity("good"), ca },
      { ...identity("wrong-name"), ca },
    ];
    for (const tls of [one, other, { ca }, one, other]) await sender.send(anOutboundRequest({ url, tls }));
    expect(names).toEqual([
      "steadyhook test good",
      "steadyhook test wrong-name",
      undefined,
      "steadyhook test good",
      "steadyhook test wrong-name",
    ]);
    expect((await destination).connections).toBe(3);
  });

  it("that is missing is a typed error", async () => {
    const { destination } = mutual();
    const { url } = await destination;
    const result = await rig.sender().send(anOutboundRequest({ url, tls: { ca } }));
    expect(result).toMatchObject({ statusCode: null, error: "tls_client_certificate" });
    expect(result.errorDetail).toContain("client certificate");
  });

  it("that the destination does not trust is a failure of this attempt, never a success", async () => {
    const { names, destination } = mutual();
    const { url } = await destination;
    const result = await rig.sender().send(anOutboundRequest({ url, tls: { ...identity("self-signed"), ca } }));
    expect(result.statusCode).toBeNull();
    // Some servers say so with an alert, Node closes the connection.
    expect(["tls_client_certificate", "reset"]).toContain(result.error);
    expect(result.errorDetail).toContain("client certificate");
    expect(names).toEqual([]);
  });

  it("whose key is another's fails before anything is sent, without showing it", async () => {
    const { names, destination } = mutual();
    const { url } = await destination;
    const tls = { certificate: identity("good").certificate, key: identity("expired").key, ca };
    const result = await rig.sender().send(anOutboundRequest({ url, tls }));
    expect(result.error).toMatch(/^tls_/);
    expect(result.errorDetail).not.toContain("PRIVATE");
    expect(names).toEqual([]);
  });
});

describe("a subscription's own authorities", () => {
  it("take the place of all others, and are for its connections only", async () => {
    const destination = await rig.destination(200, { tls: testCertificate("good") });
    const sender = rig.sender();
    const send = (tls?: object) => sender.send(anOutboundRequest({ url: destination.url, ...(tls ? { tls } : {}) }));
    expect((await send({ ca })).statusCode).toBe(200);
    expect((await send()).error).toBe("tls_self_signed");
    const another = String(testCertificate("self-signed").cert);
    const strict = await rig.sender({ ca }).send(anOutboundRequest({ url: destination.url, tls: { ca: another } }));
    expect(strict.error).toBe("tls_self_signed");
  });
});

import { Agent } from "node:http";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { closedPort } from "../../support/destination.js";
import { anOutboundRequest } from "../../support/outbound-request.js";
import { fixedLookup, senderRig } from "../../support/sender-rig.js";

const rig = senderRig();

function failingLookup(code: string) {
  return () => Promise.reject(Object.assign(new Error(`getaddrinfo ${code} hook.example`), { code }));
}

describe("names and addresses", () => {
  it.each(["ENOTFOUND", "EAI_AGAIN", "EAI_FAIL", "ESERVFAIL", "ETIMEDOUT", "EWHATEVER"])(
    "calls %s a dns failure",
    async (code) => {
      const result = await rig
        .sender({ lookup: failingLookup(code) })
        .send(anOutboundRequest({ url: "http://hook.example/" }));
      expect(result).toMatchObject({ statusCode: null, error: "dns" });
      expect(result.errorDetail).toContain(code);
    },
  );

  it("calls a name without an address a dns failure", async () => {
    const result = await rig
      .sender({ lookup: fixedLookup([]).lookup })
      .send(anOutboundRequest({ url: "http://hook.example/" }));
    expect(result.error).toBe("dns");
  });

  it("resolves through the system's resolver by default", async () => {
    const destination = await rig.destination();
    const result = await rig.sender().send(anOutboundRequest({ url: `http://localhost:${destination.port}/` }));
    expect(result).toMatchObject({ statusCode: 200, address: "127.0.0.1" });
  });

  it("connects to the first address of the list that answers", async () => {
    const destination = await rig.destination();
    const { lookup } = fixedLookup(["127.0.0.2", "127.0.0.1"]);
    const result = await rig
      .sender({ lookup })
      .send(anOutboundRequest({ url: `http://hook.example:${destination.port}/` }));
    expect(result).toMatchObject({ statusCode: 200, address: "127.0.0.1" });
  });

  it.each([
    [15, 2_500],
    [60, 2_500],
    [2, 1_000],
  ])(
    "with %i s to connect waits %i ms for one of several addresses before the next",
    async (connectSeconds, waitMs) => {
      const destination = await rig.destination();
      const connect = vi.spyOn(Agent.prototype, "createConnection");
      onTestFinished(() => connect.mockRestore());
      await rig.sender().send(anOutboundRequest({ url: destination.url, timeouts: { connectSeconds } }));
      expect(connect.mock.calls[0]?.[0]).toMatchObject({
        autoSelectFamily: true,
        autoSelectFamilyAttemptTimeout: waitMs,
      });
    },
  );

  it("connects over IPv6, by name and by literal", async () => {
    const destination = await rig.destination(200, { host: "::1" });
    const sender = rig.sender({ lookup: fixedLookup(["::1"]).lookup });
    for (const host of ["hook.example", "[::1]"]) {
      const result = await sender.send(anOutboundRequest({ url: `http://${host}:${destination.port}/` }));
      expect(result).toMatchObject({ statusCode: 200, address: "::1" });
    }
    expect(destination.requests.map(({ headers }) => headers["host"])).toEqual([
      `hook.example:${destination.port}`,
      `[::1]:${destination.port}`,
    ]);
  });

  it("calls a closed port refused and names the address", async () => {
    const port = await closedPort();
    const result = await rig.sender().send(anOutboundRequest({ url: `http://127.0.0.1:${port}/hook?token=secret` }));
    expect(result).toMatchObject({ statusCode: null, error: "refused" });
    expect(result.errorDetail).toContain(`ECONNREFUSED 127.0.0.1:${port}`);
    expect(result.errorDetail).not.toContain("secret");
  });

  it("lists every address and code when all addresses of a name fail", async () => {
    const port = await closedPort();
    const { lookup } = fixedLookup(["::1", "127.0.0.1"]);
    const result = await rig.sender({ lookup }).send(anOutboundRequest({ url: `http://hook.example:${port}/` }));
    expect(result.error).toBe("refused");
    expect(result.errorDetail).toContain(`ECONNREFUSED [::1]:${port}, ECONNREFUSED 127.0.0.1:${port}`);
  });
});

describe("address rules", () => {
  it.each([
    "10.0.0.1",
    "172.16.0.1",
    "192.168.1.1",
    "169.254.169.254",
    "100.64.0.1",
    "0.0.0.0",
    "::",
    "fd00::1",
    "fe80::1",
    "::ffff:127.0.0.1",
    "::ffff:a9fe:a9fe",
    "64:ff9b::a9fe:a9fe",
    "2002:7f00:1::",
    "not an address",
  ])("blocks a name that resolves to %s", async (address) => {
    const result = await rig
      .sender({ lookup: fixedLookup([address]).lookup })
      .send(anOutboundRequest({ url: "http://hook.example:8080/" }));
    expect(result).toMatchObject({ statusCode: null, error: "blocked_address" });
    expect(result.address).toBeUndefined();
  });

  it("blocks a name as soon as one of its addresses is blocked, without connecting to the others", async () => {
    const destination = await rig.destination();
    const { lookup } = fixedLookup(["127.0.0.1", "10.0.0.1"]);
    const result = await rig
      .sender({ lookup })
      .send(anOutboundRequest({ url: `http://hook.example:${destination.port}/` }));
    expect(result.error).toBe("blocked_address");
    expect(result.errorDetail).toContain("10.0.0.1");
    expect(destination.connections).toBe(0);
  });

  it("blocks loopback unless it is allowed, by name and by literal", async () => {
    const destination = await rig.destination();
    const sender = rig.sender({ allowLoopback: false, lookup: fixedLookup(["127.0.0.1"], ["::1"]).lookup });
    for (const host of [
      "hook.example",
      "hook.example",
      "127.0.0.1",
      "[::1]",
      "[::ffff:127.0.0.1]",
      "0x7f.1",
      "2130706433",
      "localhost",
    ]) {
      const result = await sender.send(anOutboundRequest({ url: `http://${host}:${destination.port}/` }));
      expect(result, host).toMatchObject({ statusCode: null, error: "blocked_address" });
    }
    expect(destination.connections).toBe(0);
  });

  it("vets the address that it connects to: a name that changes its answer gains nothing", async () => {
    const destination = await rig.destination();
    const { lookup, asked } = fixedLookup(["127.0.0.1"], ["169.254.169.254"]);
    const sender = rig.sender({ lookup });
    const url = `http://hook.example:${destination.port}/`;
    const first = await sender.send(anOutboundRequest({ url }));
    expect(first).toMatchObject({ statusCode: 200, address: "127.0.0.1" });
    expect(asked).toHaveLength(1);
    sender.close();
    const second = await sender.send(anOutboundRequest({ url }));
    expect(second.error).toBe("blocked_address");
    expect(asked).toHaveLength(2);
  });

  it.each([
    ["http://8.8.8.8:25/", "blocked_port"],
    ["https://hook.example:22/", "blocked_port"],
    ["http://169.254.169.254/latest/meta-data/", "blocked_address"],
    ["http://[::ffff:7f00:1]:8080/", "blocked_address"],
    ["http://10.0.0.1:22/", "blocked_address"],
    ["ftp://hook.example/", "blocked_address"],
    ["file:///etc/passwd", "blocked_address"],
    ["not a url", "blocked_address"],
    ["http://user:hunter2@hook.example/", "blocked_address"],
  ])("refuses %s at the attempt as %s, before any lookup", async (url, error) => {
    const { lookup, asked } = fixedLookup(["8.8.8.8"]);
    const result = await rig.sender({ allowLoopback: false, lookup }).send(anOutboundRequest({ url }));
    expect(result).toMatchObject({ statusCode: null, error, timings: {} });
    expect(result.errorDetail).not.toContain("hunter2");
    expect(asked).toEqual([]);
  });
});

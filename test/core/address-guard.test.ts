import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { destinationProblem, vetAddress } from "../../functions/core/address-guard.js";

const deployed = { allowLoopback: false };
const local = { allowLoopback: true };

describe("addresses that no request may connect to", () => {
  it.each([
    ["this network", "0.0.0.0"],
    ["this network", "0.1.2.3"],
    ["private", "10.0.0.1"],
    ["private", "172.16.0.1"],
    ["private", "172.31.255.255"],
    ["private", "192.168.1.1"],
    ["carrier-grade NAT", "100.64.0.1"],
    ["carrier-grade NAT, a metadata service", "100.100.100.200"],
    ["loopback", "127.0.0.1"],
    ["loopback", "127.255.255.254"],
    ["link-local, the metadata service", "169.254.169.254"],
    ["link-local, the container credentials", "169.254.170.2"],
    ["protocol assignments", "192.0.0.192"],
    ["documentation", "192.0.2.1"],
    ["documentation", "198.51.100.1"],
    ["documentation", "203.0.113.10"],
    ["6to4 relay", "192.88.99.1"],
    ["benchmarking", "198.18.0.1"],
    ["multicast", "224.0.0.1"],
    ["reserved", "240.0.0.1"],
    ["broadcast", "255.255.255.255"],
    ["a host agent on a public address", "168.63.129.16"],
    ["unspecified", "::"],
    ["loopback", "::1"],
    ["loopback", "0:0:0:0:0:0:0:1"],
    ["IPv4-compatible", "::127.0.0.1"],
    ["IPv4-compatible", "::8.8.8.8"],
    ["IPv4-mapped", "::ffff:127.0.0.1"],
    ["IPv4-mapped", "::ffff:7f00:1"],
    ["IPv4-mapped", "::ffff:a9fe:a9fe"],
    ["IPv4-mapped", "0:0:0:0:0:ffff:169.254.169.254"],
    ["IPv4-translated", "::ffff:0:7f00:1"],
    ["NAT64 to loopback", "64:ff9b::7f00:1"],
    ["NAT64 to metadata", "64:ff9b::a9fe:a9fe"],
    ["local NAT64", "64:ff9b:1::808:808"],
    ["discard", "100::1"],
    ["Teredo", "2001:0:53aa:64c::1"],
    ["benchmarking", "2001:2::1"],
    ["documentation", "2001:db8::1"],
    ["documentation", "3fff::1"],
    ["6to4 to loopback", "2002:7f00:1::"],
    ["6to4", "2002:808:808::1"],
    ["ISATAP to loopback", "2600:1f18::5efe:7f00:1"],
    ["ISATAP to loopback", "2600:1f18::200:5efe:7f00:1"],
    ["segment routing", "5f00::1"],
    ["unique local", "fc00::1"],
    ["unique local, the metadata service", "fd00:ec2::254"],
    ["link-local", "fe80::1"],
    ["link-local with zone", "fe80::1%eth0"],
    ["public with zone", "2606:4700::1111%eth0"],
    ["site-local", "fec0::1"],
    ["multicast", "ff02::1"],
    ["unassigned", "4000::1"],
  ])("%s: %s", (_, ip) => {
    expect(vetAddress(ip, deployed)).toContain("is not a public address");
  });

  it.each([
    "",
    "example.com",
    "127.1",
    "0x7f.0.0.1",
    "010.8.8.8",
    "2130706433",
    "8.8.8.8.8",
    "8.8.8.256",
    "[::1]",
    "1:2",
    "8.8.8.8 ",
  ])("what is no address in its plain form: %j", (text) => {
    expect(vetAddress(text, deployed)).toContain("is not an IP address");
  });

  it("any IPv4 address that is not public, also inside every form that carries one", () => {
    const blocked = fc.constantFrom("10.", "127.", "169.254.", "192.168.", "100.64.", "0.");
    const octet = fc.nat(255);
    fc.assert(
      fc.property(blocked, octet, octet, octet, (prefix, a, b, c) => {
        const ip = `${prefix}${[a, b, c].slice(0, 4 - prefix.split(".").length + 1).join(".")}`;
        for (const form of [
          ip,
          `::ffff:${ip}`,
          `::${ip}`,
          `64:ff9b::${ip}`,
          `64:ff9b:1::${ip}`,
          `2002:${hex(ip)}::1`,
        ]) {
          expect([form, vetAddress(form, deployed)]).not.toEqual([form, null]);
        }
      }),
    );
  });

  it("whatever text comes: the guard neither throws nor lets it through", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        expect(vetAddress(text, deployed)).not.toBeNull();
      }),
    );
  });
});

/** The four octets as two groups of IPv6. */
function hex(ip: string): string {
  const digits = ip.split(".").map((octet) => Number(octet).toString(16).padStart(2, "0"));
  return `${digits.slice(0, 2).join("")}:${digits.slice(2).join("")}`;
}

describe("addresses that a request may connect to", () => {
  it.each([
    "8.8.8.8",
    "1.1.1.1",
    "52.95.110.1",
    "172.15.255.255",
    "172.32.0.1",
    "100.63.255.255",
    "2606:4700::1111",
    "2a05:d018::1",
  ])("%s", (ip) => {
    expect(vetAddress(ip, deployed)).toBeNull();
  });

  it("a public IPv4 address behind NAT64, as DNS64 gives it for every IPv4 host", () => {
    expect(vetAddress("64:ff9b::808:808", deployed)).toBeNull();
  });

  it("loopback where the local relay allows it, in its plain forms and no other range", () => {
    expect(vetAddress("127.0.0.1", local)).toBeNull();
    expect(vetAddress("::1", local)).toBeNull();
    for (const ip of ["10.0.0.1", "169.254.169.254", "0.0.0.0", "64:ff9b::7f00:1", "::ffff:127.0.0.1", "fd00::1"]) {
      expect(vetAddress(ip, local)).not.toBeNull();
    }
  });
});

describe("a destination's URL", () => {
  const reason = (url: string, options = deployed) => destinationProblem(url, options)?.reason ?? null;

  it.each([
    "https://example.com/hooks?x=1",
    "http://example.com",
    "https://example.com:8443",
    "https://8.8.8.8/",
    "https://example.com:1024",
  ])("may be %s", (url) => {
    expect(destinationProblem(url, deployed)).toBeNull();
  });

  it.each([
    ["not a URL", "example.com/hooks", /absolute URL/],
    ["empty", "", /absolute URL/],
    ["another scheme", "ftp://example.com", /https/],
    ["a file", "file:///etc/passwd", /https/],
    ["script", "javascript:alert(1)", /https/],
    ["user and password", "https://user:pass@example.com", /user name/],
    ["user name", "https://user@example.com", /user name/],
    ["mail port", "https://example.com:25", /port 25/],
    ["port 0", "https://example.com:0", /port 0/],
    ["privileged port", "https://example.com:1023", /port 1023/],
    ["localhost", "http://localhost/", /this machine/],
    ["localhost in capitals", "http://LOCALHOST/", /this machine/],
    ["localhost with root dot", "http://localhost./", /this machine/],
    ["a name under localhost", "http://a.localhost/", /this machine/],
  ])("may not be %s", (_, url, expected) => {
    expect(destinationProblem(url, deployed)).toEqual({ field: "url", reason: expect.stringMatching(expected) });
  });

  it.each([
    "http://127.0.0.1/",
    "http://127.1/",
    "http://0x7f.1/",
    "http://0177.0.0.1/",
    "http://2130706433/",
    "http://127.0.0.1./",
    "http://①②⑦.⓪.⓪.①/",
    "http://169.254.169.254/latest/meta-data/",
    "http://0/",
    "http://[::1]/",
    "http://[::]/",
    "http://[::ffff:127.0.0.1]/",
    "http://[::ffff:a9fe:a9fe]/latest/meta-data/",
    "http://[0:0:0:0:0:ffff:169.254.169.254]/",
    "http://[64:ff9b::127.0.0.1]/",
    "http://[fd00:ec2::254]/",
  ])("may not be the literal %s", (url) => {
    expect(reason(url)).toContain("is not a public address");
  });

  it("may be on this machine, on any port, where the local relay allows it", () => {
    for (const url of [
      "http://localhost:8787/sink",
      "http://127.0.0.1:81/",
      "http://[::1]:81/",
      "http://a.localhost:81/",
    ]) {
      expect(reason(url, local)).toBeNull();
    }
    expect(reason("http://10.0.0.1/", local)).toContain("is not a public address");
    expect(reason("https://example.com:25/", local)).toContain("port 25");
  });

  it("may be private where the operator has named its block, and nowhere else", () => {
    const named = { allowLoopback: false, privateCidrs: ["10.20.0.0/16", "fd12:3456::/32"] };
    for (const url of ["http://10.20.1.2/", "http://[fd12:3456::1]:8080/"]) {
      expect(reason(url, named)).toBeNull();
      expect(reason(url)).toContain("is not a public address");
    }
    for (const url of ["http://10.21.0.1/", "http://[::ffff:10.20.1.2]/", "http://[fd13::1]/", "http://127.0.0.1/"]) {
      expect(reason(url, named)).toContain("is not a public address");
    }
  });

  it("may never be a metadata service, whatever blocks are named", () => {
    const everything = { allowLoopback: false, privateCidrs: ["0.0.0.0/0", "::/0"] };
    expect(reason("http://169.254.169.254/latest/meta-data/", everything)).toContain("linkLocal");
    expect(reason("http://[fe80::1]/", everything)).toContain("linkLocal");
    expect(reason("http://[fd00:ec2::254]/", everything)).toContain("is not a public address");
  });

  it("is judged without throwing, whatever text it is", () => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: "binary" }), fc.webUrl()), (text) => {
        expect(() => destinationProblem(text, deployed)).not.toThrow();
      }),
    );
  });
});

import { describe, expect, it } from "vitest";
import { destinationProblem, vetAddress } from "../../functions/core/address-guard.js";

/**
 * Every way to write an internal address, made by form: what a filter on the text of a URL would miss. Each spelling is
 * also shown to mean its address, so that none is refused only because it cannot be read.
 */

const internal = [
  ["loopback", "127.0.0.1"],
  ["loopback, another one", "127.8.9.10"],
  ["metadata service", "169.254.169.254"],
  ["container credentials", "169.254.170.2"],
  ["private", "10.0.0.1"],
  ["private", "172.16.254.3"],
  ["private", "192.168.1.250"],
  ["carrier-grade NAT", "100.64.0.9"],
  ["Alibaba's metadata service", "100.100.100.200"],
  ["Azure's wire server", "168.63.129.16"],
  ["this network", "0.0.0.0"],
] as const;
const publicAddresses = ["8.8.8.8", "1.1.1.1", "52.95.110.1", "172.15.255.255", "192.169.0.1", "223.255.255.254"];

const octets = (ip: string): readonly number[] => ip.split(".").map(Number);
const number = (ip: string): number => octets(ip).reduce((sum, octet) => sum * 256 + octet, 0);
const inBase = (ip: string, write: (octet: number) => string): string => octets(ip).map(write).join(".");
const hex = (octet: number): string => octet.toString(16).padStart(2, "0");
/** The four octets as two groups of IPv6. */
const groups = (ip: string): string => {
  const [a = 0, b = 0, c = 0, d = 0] = octets(ip);
  return `${hex(a)}${hex(b)}:${hex(c)}${hex(d)}`;
};
/** Each character by another one that IDNA reads the same. */
const replaced = (ip: string, digits: string, dot: string): string =>
  ip.replace(/\d/g, (digit) => [...digits][Number(digit)] as string).replaceAll(".", dot);
const lastTwo = (ip: string): string => {
  const [a = 0, b = 0, c = 0, d = 0] = octets(ip);
  return `${a}.${b}.${c * 256 + d}`;
};
const lastThree = (ip: string): string => {
  const [a = 0, ...rest] = octets(ip);
  return `${a}.${rest.reduce((sum, octet) => sum * 256 + octet, 0)}`;
};

/** Hosts that a URL reads as the IPv4 address (WHATWG URL, "IPv4 parser"). */
const ipv4Spellings: Readonly<Record<string, (ip: string) => string>> = {
  "four decimal parts": (ip) => ip,
  "the root's dot behind": (ip) => `${ip}.`,
  "one decimal number": (ip) => String(number(ip)),
  "one hexadecimal number": (ip) => `0x${number(ip).toString(16)}`,
  "one octal number": (ip) => `0${number(ip).toString(8)}`,
  "two parts": lastThree,
  "three parts": lastTwo,
  "octal parts": (ip) => inBase(ip, (octet) => `0${octet.toString(8)}`),
  "octal parts with more zeros": (ip) => inBase(ip, (octet) => `0000${octet.toString(8)}`),
  "hexadecimal parts": (ip) => inBase(ip, (octet) => `0x${octet.toString(16)}`),
  "hexadecimal parts in capitals": (ip) => inBase(ip, (octet) => `0X${octet.toString(16).toUpperCase()}`),
  "parts of three bases": (ip) => {
    const [a = 0, b = 0, ...rest] = octets(ip);
    return [`0x${a.toString(16)}`, `0${b.toString(8)}`, ...rest].join(".");
  },
  "percent-encoded": (ip) => [...ip].map((sign) => `%${sign.charCodeAt(0).toString(16)}`).join(""),
  "full-width digits": (ip) => replaced(ip, "０１２３４５６７８９", "．"),
  "circled digits": (ip) => replaced(ip, "⓪①②③④⑤⑥⑦⑧⑨", "."),
  "mathematical digits": (ip) => replaced(ip, "𝟬𝟭𝟮𝟯𝟰𝟱𝟲𝟳𝟴𝟵", "."),
  "ideographic full stops": (ip) => replaced(ip, "0123456789", "。"),
  "a soft hyphen inside": (ip) => `${ip.slice(0, 1)}\u00ad${ip.slice(1)}`,
};

/** IPv6 addresses that lead to an IPv4 one, or carry it. */
const ipv6Spellings: Readonly<Record<string, (ip: string) => string>> = {
  "mapped, dotted": (ip) => `::ffff:${ip}`,
  "mapped, in groups": (ip) => `::ffff:${groups(ip)}`,
  "mapped, in capitals": (ip) => `::FFFF:${groups(ip).toUpperCase()}`,
  "mapped, written out": (ip) => `0000:0000:0000:0000:0000:ffff:${groups(ip)}`,
  translated: (ip) => `::ffff:0:${groups(ip)}`,
  compatible: (ip) => `::${groups(ip)}`,
  NAT64: (ip) => `64:ff9b::${groups(ip)}`,
  "NAT64, dotted": (ip) => `64:ff9b::${ip}`,
  "local NAT64": (ip) => `64:ff9b:1::${groups(ip)}`,
  "6to4": (ip) => `2002:${groups(ip)}::1`,
  "Teredo, as the server": (ip) => `2001:0:${groups(ip)}::1`,
  "Teredo, as the client": (ip) =>
    `2001:0:808:808:0:0:${groups(
      octets(ip)
        .map((octet) => 255 - octet)
        .join("."),
    )}`,
  ISATAP: (ip) => `2600:1f18::5efe:${groups(ip)}`,
  "ISATAP, a public one": (ip) => `2600:1f18::200:5efe:${groups(ip)}`,
};

const deployed = { allowLoopback: false };
const rows = (spellings: typeof ipv4Spellings, addresses: readonly string[]) =>
  Object.entries(spellings).flatMap(([form, spell]) => addresses.map((ip) => [form, ip, spell(ip)] as const));
const internalIps = internal.map(([, ip]) => ip);

describe("an internal address in any spelling", () => {
  const inUrls = rows(ipv4Spellings, internalIps);
  const inIpv6 = rows(ipv6Spellings, internalIps);

  it("is tried in far more than 80 ways, each another text", () => {
    const texts = [...inUrls, ...inIpv6].map(([, , text]) => text);
    expect(new Set(texts).size).toBeGreaterThan(300);
  });

  it.each(inUrls)("is refused as %s: %s as http://%s/", (_form, ip, host) => {
    const url = `http://${host}/latest/meta-data/`;
    expect(new URL(url).hostname).toBe(ip);
    expect(destinationProblem(url, deployed)?.reason).toContain(`${ip} is not a public address`);
  });

  it.each(inIpv6)("is refused inside of IPv6, %s: %s as [%s]", (_form, _ip, address) => {
    expect(vetAddress(address, deployed)).toContain("is not a public address");
    expect(destinationProblem(`https://[${address}]/`, deployed)?.reason).toContain("is not a public address");
  });

  it("is refused behind a name or a password that looks like a host", () => {
    for (const url of ["http://example.com@127.0.0.1/", "http://example.com:443@127.0.0.1/", "http://a:b@10.0.0.1/"]) {
      expect(destinationProblem(url, deployed)?.reason).toContain("must not carry user name or password");
    }
    for (const url of [
      "http:\\\\127.0.0.1\\",
      "http:127.0.0.1",
      "http:///127.0.0.1",
      " http://127.0.0.1",
      "ht\ntp://127.0.0.1",
    ]) {
      expect(destinationProblem(url, deployed)?.reason).toContain("127.0.0.1 is not a public address");
    }
  });
});

describe("a public address", () => {
  it.each(rows(ipv4Spellings, publicAddresses))("is let through as %s: %s as http://%s/", (_form, ip, host) => {
    expect(new URL(`http://${host}/`).hostname).toBe(ip);
    expect(destinationProblem(`http://${host}/`, deployed)).toBeNull();
  });

  it.each(publicAddresses)("is let through behind NAT64: %s", (ip) => {
    expect(vetAddress(`64:ff9b::${groups(ip)}`, deployed)).toBeNull();
  });

  it.each([
    "2606:4700::1111",
    "2606:4700:0:0:0:0:0:1111",
    "2606:4700::0000:1111",
    "2A05:D018::1",
    "2400:CB00::8.8.8.8",
  ])("is let through in every form of IPv6: %s", (address) => {
    expect(vetAddress(address, deployed)).toBeNull();
    expect(destinationProblem(`https://[${address}]/`, deployed)).toBeNull();
  });

  it("is let through when an internal one only stands in the path, the query or the fragment", () => {
    for (const rest of ["/127.0.0.1", "/?next=http://169.254.169.254/", "/#@127.0.0.1", "/@10.0.0.1/"]) {
      expect(destinationProblem(`https://example.com${rest}`, deployed)).toBeNull();
    }
  });
});

import ipaddr from "ipaddr.js";

/**
 * Which destinations a request may go to. Works on parsed address bytes, never on text, and lets through only what is
 * known to be public: an address that cannot be parsed, or that no rule knows, is refused.
 */

export interface GuardOptions {
  /** Lets loopback addresses through, on any port: for the local relay. Default of a deployed one: false. */
  readonly allowLoopback: boolean;
  /**
   * CIDR blocks of private destinations that the operator has named, e.g. `10.20.0.0/16`. Link-local addresses, where
   * the metadata services live, stay refused whatever is named. Default: none.
   */
  readonly privateCidrs?: readonly string[];
}

/** The one block of IPv6 from which public addresses are assigned (RFC 4291 §2.4, IANA). */
const globalUnicast = ipaddr.IPv6.parse("2000::");
/** NAT64's well-known prefix (RFC 6052): the last 32 bits are the IPv4 address that is really reached. */
const nat64 = ipaddr.IPv6.parse("64:ff9b::");
/**
 * Metadata services and host agents outside the link-local blocks, refused whatever an operator names: Azure's wire
 * server (a public address), AWS's and Google's metadata over IPv6, Alibaba's metadata.
 */
const internalServices: readonly string[] = ["168.63.129.16", "fd00:ec2::254", "fd20:ce::254", "100.100.100.200"];

/** Null when a request may connect to the address; otherwise a sentence for the operator. */
export function vetAddress(ip: string, options: GuardOptions): string | null {
  if (ipaddr.IPv4.isValidFourPartDecimal(ip)) return vetIpv4(ipaddr.IPv4.parse(ip), options);
  if (ipaddr.IPv6.isValid(ip)) return vetIpv6(ipaddr.IPv6.parse(ip), options);
  return `"${ip.slice(0, 64)}" is not an IP address`;
}

function vetIpv4(address: ipaddr.IPv4, options: GuardOptions): string | null {
  const range = address.range();
  if (range === "loopback" && options.allowLoopback) return null;
  if (range !== "linkLocal" && isNamed(address, options)) return null;
  const allowed = range === "unicast" && !internalServices.includes(address.toString());
  return allowed ? null : refusal(address.toString(), range);
}

function vetIpv6(address: ipaddr.IPv6, options: GuardOptions): string | null {
  const text = address.toString();
  const range = address.range();
  if (address.zoneId !== undefined) return refusal(text, "zoned");
  if (range === "loopback" && options.allowLoopback) return null;
  if (range !== "linkLocal" && isNamed(address, options)) return null;
  // Behind DNS64 every IPv4 destination looks like this, so that refusing it would refuse them all.
  if (address.match(nat64, 96)) return vetIpv4(embeddedIpv4(address), { allowLoopback: false });
  if (range !== "unicast" || !address.match(globalUnicast, 3)) return refusal(text, range);
  return isIsatap(address) ? refusal(text, "isatap") : null;
}

/** True when the operator's blocks hold the address, as the kind of address that it is: tunnels are not looked into. */
function isNamed(address: ipaddr.IPv4 | ipaddr.IPv6, { privateCidrs = [] }: GuardOptions): boolean {
  if (internalServices.includes(address.toString())) return false;
  return privateCidrs.some((block) => {
    const [network, bits] = ipaddr.parseCIDR(block);
    return network.kind() === address.kind() && address.match(network, bits);
  });
}

const embeddedIpv4 = (address: ipaddr.IPv6): ipaddr.IPv4 => new ipaddr.IPv4(address.toByteArray().slice(12));

/** ISATAP (RFC 5214 §6.1) tunnels to the IPv4 address in the last 32 bits, under any prefix. */
function isIsatap(address: ipaddr.IPv6): boolean {
  const [, , , , high, low] = address.parts;
  return (high === 0 || high === 0x200) && low === 0x5efe;
}

function refusal(address: string, range: string): string {
  const kind = range === "unicast" ? "reserved" : range;
  return `${address} is not a public address (${kind})`;
}

/**
 * What is wrong with a destination's URL; null when it may be saved. Names are resolved and vetted at each attempt;
 * here only what the URL itself shows: scheme, credentials, port, a literal address in any spelling (`new URL` turns
 * `0x7f.1`, `2130706433` and `①②⑦.0.0.1` into the address that they mean) and names that mean this machine.
 */
export function destinationProblem(
  url: string,
  options: GuardOptions,
): { readonly field: "url"; readonly reason: string } | null {
  const reason = URL.canParse(url) ? urlProblem(new URL(url), options) : "is not an absolute URL";
  return reason === null ? null : { field: "url", reason };
}

/** The same of a URL that is parsed: a sentence, or null. */
export function urlProblem(url: URL, options: GuardOptions): string | null {
  if (url.protocol !== "https:" && url.protocol !== "http:") return "must start with https:// or http://";
  if (url.username !== "" || url.password !== "") return "must not carry user name or password: use a header instead";
  return hostReason(url, options) ?? portReason(url, options);
}

function hostReason(url: URL, options: GuardOptions): string | null {
  if (isLocalhost(url)) return options.allowLoopback ? null : `${url.hostname} is this machine itself`;
  const literal = literalAddress(url);
  return literal === null ? null : vetAddress(literal, options);
}

/** 80, 443, and what needs no privilege to listen on: webhook receivers stand there, mail and name servers do not. */
function portReason(url: URL, options: GuardOptions): string | null {
  const port = url.port === "" ? (url.protocol === "https:" ? 443 : 80) : Number(url.port);
  if (port === 80 || port === 443 || port >= 1024) return null;
  if (options.allowLoopback && isLoopbackHost(url)) return null;
  return `port ${port} is not allowed: use 80, 443, or 1024 and above`;
}

/** True for hosts that mean this machine; call only when loopback is allowed. */
function isLoopbackHost(url: URL): boolean {
  const literal = literalAddress(url);
  return isLocalhost(url) || (literal !== null && ipaddr.parse(literal).range() === "loopback");
}

/** `localhost` and everything under it (RFC 6761 §6.3), with or without the root's dot. */
const isLocalhost = (url: URL): boolean => /(^|\.)localhost\.?$/.test(url.hostname);

/** The host's address when it is a literal; hosts in brackets are IPv6. */
function literalAddress(url: URL): string | null {
  if (url.hostname.startsWith("[")) return url.hostname.slice(1, -1);
  return ipaddr.IPv4.isValidFourPartDecimal(url.hostname) ? url.hostname : null;
}

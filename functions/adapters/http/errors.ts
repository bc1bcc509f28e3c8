import type { TransportError } from "../../core/model.js";

/** What kept a request from getting an answer: the typed error, and a sentence for the operator without secrets. */
export interface Fault {
  readonly error: TransportError;
  readonly detail: string;
}

/** How far a request had come when it failed: the same code means another thing while connecting than after. */
export type Phase = "resolve" | "connect" | "tls" | "exchange";

/** Longest detail: the evidence comes from the other side (certificate names, parser reasons). */
const maxDetailLength = 400;

/** One sentence for each error: what happened, and what to look at. */
export const faultSentences: Readonly<Record<TransportError, string>> = {
  dns: "The host name could not be resolved",
  refused: "The destination refused the connection: nothing listens on that address and port",
  unreachable: "There is no network route to the destination",
  connect_timeout: "No connection within the connect timeout",
  read_timeout: "The destination was silent for longer than the read timeout",
  deadline: "The attempt's deadline passed before an answer came",
  tls_expired: "The destination's certificate is not valid at this time (expired, or not yet valid)",
  tls_self_signed: "The destination's certificate does not come from a known authority, or its chain is incomplete",
  tls_name: "The destination's certificate is for another host name",
  tls_protocol:
    "The TLS handshake failed: the port does not speak TLS, no common version or cipher exists, or it wants another client certificate",
  tls_weak: "The destination offers only TLS versions or keys that are too weak",
  tls_client_certificate:
    "The destination did not take the client certificate: the subscription has none, or not one of its authorities",
  reset: "The destination closed the connection before it answered",
  protocol: "The destination's answer is not valid HTTP/1.1",
  response_too_large: "The headers of the destination's answer are longer than the relay reads",
  blocked_address: "The destination was refused by the relay's address rules",
  blocked_port: "The destination was refused by the relay's port rules",
  invalid_header: "The request cannot be sent",
  unknown_error: "The request failed in an unexpected way",
};

/** Codes of node, libuv and OpenSSL's certificate check; codes that name a phase are in {@link phaseErrors}. */
const codeErrors: Readonly<Record<string, TransportError>> = {
  ECONNREFUSED: "refused",
  ECONNRESET: "reset",
  ECONNABORTED: "reset",
  EPIPE: "reset",
  EHOSTUNREACH: "unreachable",
  EHOSTDOWN: "unreachable",
  ENETUNREACH: "unreachable",
  ENETDOWN: "unreachable",
  ENONET: "unreachable",
  // A family that this network does not have (IPv6-only host, no IPv6 egress), and a local firewall's rejections.
  EAFNOSUPPORT: "unreachable",
  EADDRNOTAVAIL: "unreachable",
  EACCES: "unreachable",
  EPERM: "unreachable",
  CERT_HAS_EXPIRED: "tls_expired",
  CERT_NOT_YET_VALID: "tls_expired",
  DEPTH_ZERO_SELF_SIGNED_CERT: "tls_self_signed",
  SELF_SIGNED_CERT_IN_CHAIN: "tls_self_signed",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: "tls_self_signed",
  UNABLE_TO_GET_ISSUER_CERT: "tls_self_signed",
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: "tls_self_signed",
  CERT_UNTRUSTED: "tls_self_signed",
  CERT_REJECTED: "tls_self_signed",
  CERT_SIGNATURE_FAILURE: "tls_self_signed",
  CERT_CHAIN_TOO_LONG: "tls_self_signed",
  INVALID_CA: "tls_self_signed",
  INVALID_PURPOSE: "tls_self_signed",
  ERR_TLS_CERT_ALTNAME_INVALID: "tls_name",
  HOSTNAME_MISMATCH: "tls_name",
  ERR_TLS_DH_PARAM_SIZE: "tls_weak",
  HPE_HEADER_OVERFLOW: "response_too_large",
  ERR_INVALID_CHAR: "invalid_header",
  ERR_HTTP_INVALID_HEADER_VALUE: "invalid_header",
  ERR_INVALID_HTTP_TOKEN: "invalid_header",
};

/** Codes whose meaning depends on the phase. */
const phaseErrors: Readonly<Record<string, Readonly<Record<Phase, TransportError>>>> = {
  ETIMEDOUT: { resolve: "dns", connect: "connect_timeout", tls: "connect_timeout", exchange: "read_timeout" },
};

/** OpenSSL's reasons for what is too old or too short, whichever side says it. */
const weakReasons =
  /protocol version|unsupported protocol|too weak|too small|key too short|no ciphers available|insufficient security/i;

/** Alerts by which a server refuses the client's certificate (RFC 8446 §6.2); ours of its own have codes, see above. */
const certificateAlerts =
  /alert[ _](bad[ _]certificate|unsupported[ _]certificate|certificate[ _](revoked|expired|unknown|required)|unknown[ _]ca|access[ _]denied)/i;

/** When the addresses of one host failed in different ways: the first of these that occurred is the most telling. */
const tellingOrder: readonly TransportError[] = ["refused", "reset", "connect_timeout", "unreachable"];

/** A failure that carries its own fault, thrown (or handed to a socket) inside the sender only. */
export class FaultError extends Error {
  override readonly name = "FaultError";
  constructor(readonly fault: Fault) {
    super(fault.detail);
  }
}

/** A fault from its error and evidence; the evidence is cut and cleaned, since part of it is the other side's text. */
export function faultOf(error: TransportError, evidence: string): Fault {
  const sentence = faultSentences[error];
  const clean = evidence.replaceAll(/[^\x20-\x7e]+/g, " ").trim();
  return { error, detail: (clean === "" ? `${sentence}.` : `${sentence} (${clean}).`).slice(0, maxDetailLength) };
}

/** Translates what node raised while a request was in `phase`. Total: whatever comes is a fault. */
export function faultFrom(cause: unknown, phase: Phase): Fault {
  if (cause instanceof FaultError) return cause.fault;
  const inner = innerErrors(cause);
  const errors = inner.map((each) => errorOf(each, phase));
  const error = tellingOrder.find((candidate) => errors.includes(candidate)) ?? errors[0] ?? "unknown_error";
  const hint = error === "unreachable" && inner.every(isIpv6) ? "; no route (IPv6 only)" : "";
  const during = error === "reset" && phase === "tls" ? "; during the TLS handshake" : "";
  return faultOf(error, inner.map((each) => evidenceOf(each, error)).join(", ") + hint + during);
}

/** The single failures inside: a host with several addresses fails with an AggregateError whose message is empty. */
function innerErrors(cause: unknown): readonly NodeJS.ErrnoException[] {
  if (cause instanceof AggregateError && cause.errors.length > 0) return cause.errors.flatMap(innerErrors);
  return cause instanceof Error ? [cause] : [new Error("not an Error")];
}

function errorOf(cause: NodeJS.ErrnoException, phase: Phase): TransportError {
  const code = cause.code ?? "";
  if (phase === "resolve") return "dns";
  const known = phaseErrors[code]?.[phase] ?? codeErrors[code];
  if (known !== undefined) return known;
  if (code.startsWith("HPE_")) return "protocol";
  if (isTlsCode(code) && certificateAlerts.test(`${code} ${cause.message}`)) return "tls_client_certificate";
  if (isTlsCode(code)) return weakReasons.test(cause.message) ? "tls_weak" : "tls_protocol";
  return "unknown_error";
}

/** EPROTO is what a failed handshake is called; UNSPECIFIED is a certificate fault that node has no code for. */
const isTlsCode = (code: string): boolean =>
  /^(ERR_SSL_|ERR_TLS_|ERR_OSSL_|EPROTO$|UNSPECIFIED$|CERT_|CRL_)/.test(code);

const addressOf = (cause: Error): string | undefined => {
  const { address, port } = cause as { address?: string; port?: number };
  if (address === undefined) return undefined;
  return address.includes(":") ? `[${address}]:${port}` : `${address}:${port}`;
};

const isIpv6 = (cause: Error): boolean => (cause as { address?: string }).address?.includes(":") === true;

/** Code, address, and the reason where it is a fixed text of a parser or a name in a certificate: never `message`. */
function evidenceOf(cause: NodeJS.ErrnoException, error: TransportError): string {
  const code = cause.code ?? cause.name;
  const address = addressOf(cause);
  if (address !== undefined) return `${code} ${address}`;
  const reason = (cause as { reason?: unknown }).reason ?? opensslReason(cause.message);
  const tells = error === "protocol" || error.startsWith("tls_");
  return tells && typeof reason === "string" && reason !== "" ? `${code}: ${reason}` : code;
}

/** `…:SSL routines:ssl3_get_record:wrong version number:…` → `wrong version number`. */
function opensslReason(message: string): string | undefined {
  return /:SSL routines:[^:]*:([^:]+):/.exec(message)?.[1];
}

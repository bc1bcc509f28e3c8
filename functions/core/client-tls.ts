import { createPrivateKey, X509Certificate } from "node:crypto";
import type { ClientTls } from "./model.js";

/** What is wrong with one field of a subscription's TLS. Nothing of a key is part of it. */
export interface TlsProblem {
  readonly field: string;
  readonly reason: string;
  readonly fix?: string;
}

/** A chain of a few certificates; a bundle of authorities is longer. */
const longestPem = { certificate: 16_384, key: 16_384, ca: 65_536 } as const;

/**
 * Checks certificate, key and authorities by themselves and against each other. `nowMs`: also that the certificate is
 * valid now; null where it has been stored before, since a certificate that has expired must not keep its owner from
 * changing anything else.
 */
export function clientTlsProblems(
  { certificate, key, ca }: ClientTls & { readonly key?: string | undefined },
  nowMs: number | null,
): readonly TlsProblem[] {
  const alone = [
    ...certificatesProblem("certificate", certificate),
    ...keyProblem(key),
    ...certificatesProblem("ca", ca),
  ];
  if (alone.length > 0) return alone;
  if (certificate === undefined && key === undefined) return [];
  if (certificate === undefined) return [problem("certificate", "is required with a key")];
  if (key === undefined) return [problem("key", "is required with a certificate: none is stored")];
  return [...pairProblem(certificate, key), ...(nowMs === null ? [] : timeProblem(certificate, nowMs))];
}

/** When the client's certificate ends; null where there is none. */
export function certificateEndMs(tls: ClientTls): number | null {
  const [first] = blocksOf(tls.certificate ?? "");
  return first === undefined ? null : Date.parse(new X509Certificate(first).validTo);
}

const problem = (name: string, reason: string, fix?: string): TlsProblem => ({
  field: `tls.${name}`,
  reason,
  ...(fix === undefined ? {} : { fix }),
});

const blocksOf = (pem: string): readonly string[] =>
  pem.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];

function certificatesProblem(name: "certificate" | "ca", pem: string | undefined): TlsProblem[] {
  if (pem === undefined) return [];
  if (pem.length > longestPem[name]) return [problem(name, `must have at most ${longestPem[name]} characters`)];
  // This field is shown to whoever reads the subscription.
  if (pem.includes("PRIVATE KEY")) return [problem(name, "holds a private key", "Give the key as tls.key.")];
  const blocks = blocksOf(pem);
  if (blocks.length === 0) return [problem(name, "must be PEM: -----BEGIN CERTIFICATE-----…")];
  const bad = blocks.findIndex((block) => !parses(() => new X509Certificate(block)));
  return bad < 0 ? [] : [problem(name, `cannot be read: certificate ${bad + 1} of ${blocks.length} is damaged`)];
}

function keyProblem(pem: string | undefined): TlsProblem[] {
  if (pem === undefined) return [];
  if (pem.length > longestPem.key) return [problem("key", `must have at most ${longestPem.key} characters`)];
  if (/ENCRYPTED/.test(pem))
    return [problem("key", "is protected by a passphrase: remove it, the relay seals the key")];
  return parses(() => createPrivateKey(pem)) ? [] : [problem("key", "must be a private key in PEM")];
}

function pairProblem(certificate: string, key: string): TlsProblem[] {
  const [first = ""] = blocksOf(certificate);
  if (new X509Certificate(first).checkPrivateKey(createPrivateKey(key))) return [];
  const fix = "Give both together; the client's own certificate comes first, its intermediates after it.";
  return [problem("key", "does not belong to the certificate", fix)];
}

function timeProblem(certificate: string, nowMs: number): TlsProblem[] {
  const endMs = certificateEndMs({ certificate }) ?? 0;
  return endMs > nowMs ? [] : [problem("certificate", `expired on ${new Date(endMs).toISOString()}`)];
}

function parses(read: () => unknown): boolean {
  try {
    read();
    return true;
  } catch {
    return false;
  }
}

import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { faultFrom, faultOf, faultSentences, type Phase } from "../../../functions/adapters/http/errors.js";
import { classifyError } from "../../../functions/core/classify.js";
import type { TransportError } from "../../../functions/core/model.js";

function errno(code: string, fields: object = {}): Error {
  return Object.assign(new Error(`message of ${code}`), { code, ...fields });
}

describe("faults", () => {
  it.each<[string, Phase, TransportError]>([
    ["ECONNREFUSED", "connect", "refused"],
    ["ECONNRESET", "exchange", "reset"],
    ["EPIPE", "exchange", "reset"],
    ["EHOSTUNREACH", "connect", "unreachable"],
    ["ENETUNREACH", "connect", "unreachable"],
    ["EAFNOSUPPORT", "connect", "unreachable"],
    ["ETIMEDOUT", "connect", "connect_timeout"],
    ["ETIMEDOUT", "tls", "connect_timeout"],
    ["ETIMEDOUT", "exchange", "read_timeout"],
    ["ENOTFOUND", "resolve", "dns"],
    ["CERT_HAS_EXPIRED", "tls", "tls_expired"],
    ["CERT_NOT_YET_VALID", "tls", "tls_expired"],
    ["SELF_SIGNED_CERT_IN_CHAIN", "tls", "tls_self_signed"],
    ["UNABLE_TO_GET_ISSUER_CERT_LOCALLY", "tls", "tls_self_signed"],
    ["UNABLE_TO_VERIFY_LEAF_SIGNATURE", "tls", "tls_self_signed"],
    ["ERR_TLS_CERT_ALTNAME_INVALID", "tls", "tls_name"],
    ["ERR_SSL_WRONG_VERSION_NUMBER", "tls", "tls_protocol"],
    ["ERR_TLS_DH_PARAM_SIZE", "tls", "tls_weak"],
    ["HPE_INVALID_CONSTANT", "exchange", "protocol"],
    ["HPE_HEADER_OVERFLOW", "exchange", "response_too_large"],
    ["ERR_INVALID_CHAR", "exchange", "invalid_header"],
    ["EMFILE", "connect", "unknown_error"],
  ])("calls %s while in %s %s", (code, phase, expected) => {
    expect(faultFrom(errno(code), phase).error).toBe(expected);
    expect(faultFrom(errno(code), phase).detail).toContain(code);
  });

  it.each<[string, string, TransportError]>([
    ["EPROTO", "0A00010B:SSL routines:ssl3_get_record:wrong version number:../deps/x.c:350:", "tls_protocol"],
    ["EPROTO", "0A00042E:SSL routines:ssl3_read_bytes:tlsv1 alert protocol version:../deps/x.c:1:", "tls_weak"],
    ["EPROTO", "0A00018A:SSL routines:tls_process_ske_dhe:dh key too small:../deps/x.c:2354:", "tls_weak"],
    ["EPROTO", "0A000410:SSL routines:ssl3_read_bytes:sslv3 alert handshake failure:../deps/x.c:1:", "tls_protocol"],
    ["UNSPECIFIED", "EE certificate key too weak", "tls_weak"],
  ])("reads OpenSSL's reason out of %s (%s)", (code, message, expected) => {
    expect(faultFrom(Object.assign(new Error(message), { code }), "tls").error).toBe(expected);
  });

  it("takes the most telling error of several addresses and lists them all", () => {
    const cause = new AggregateError([
      errno("ENETUNREACH", { address: "2001:db8::1", port: 443 }),
      errno("ETIMEDOUT", { address: "192.0.2.1", port: 443 }),
      errno("ECONNREFUSED", { address: "192.0.2.2", port: 443 }),
    ]);
    const fault = faultFrom(cause, "connect");
    expect(fault.error).toBe("refused");
    expect(fault.detail).toContain(
      "ENETUNREACH [2001:db8::1]:443, ETIMEDOUT 192.0.2.1:443, ECONNREFUSED 192.0.2.2:443",
    );
  });

  it("says that there is no route when a host has only IPv6 addresses", () => {
    const single = errno("ENETUNREACH", { address: "2001:db8::1", port: 443 });
    const both = new AggregateError([single, errno("EHOSTUNREACH", { address: "2001:db8::2", port: 443 })]);
    for (const cause of [single, both]) {
      expect(faultFrom(cause, "connect")).toMatchObject({
        error: "unreachable",
        detail: expect.stringContaining("no route (IPv6 only)"),
      });
    }
    const mixed = new AggregateError([single, errno("EHOSTUNREACH", { address: "192.0.2.1", port: 443 })]);
    expect(faultFrom(mixed, "connect").detail).not.toContain("IPv6 only");
  });

  it("never repeats an error's message", () => {
    const cause = Object.assign(new Error("https://user:hunter2@host/?token=hunter2"), { code: "EWEIRD" });
    expect(faultFrom(cause, "exchange").detail).not.toContain("hunter2");
  });

  it("cleans and cuts what the other side wrote", () => {
    const reason = `Host: x. is not in the cert's altnames: DNS:\u001b[31m${"a".repeat(10_000)}`;
    const { detail } = faultFrom(errno("ERR_TLS_CERT_ALTNAME_INVALID", { reason }), "tls");
    expect(detail).not.toContain("\u001b");
    expect(detail.length).toBeLessThanOrEqual(400);
  });

  it("makes a fault with a sentence of anything that can be thrown", () => {
    fc.assert(
      fc.property(fc.anything(), fc.constantFrom<Phase>("resolve", "connect", "tls", "exchange"), (cause, phase) => {
        const { error, detail } = faultFrom(cause, phase);
        return error in faultSentences && detail.startsWith(faultSentences[error]);
      }),
    );
  });

  it("are in the table of the docs, each with whether it is tried again", () => {
    const documented = readFileSync(new URL("../../../docs/http-api.md", import.meta.url), "utf8");
    for (const error of Object.keys(faultSentences) as TransportError[]) {
      const again = classifyError(error) === "permanent" ? "no" : "yes";
      expect(documented).toMatch(new RegExp(`^\\| \`${error}\` \\| ${again} \\| .+ \\|$`, "m"));
    }
  });

  it("ends without empty brackets when there is no evidence", () => {
    expect(faultOf("dns", "").detail).toBe("The host name could not be resolved.");
  });
});

import { headerName } from "../../header-list.js";
import { decodeBase64 } from "../../strict-decoding.js";
import { matchToken } from "../match.js";
import { readHeader } from "../read-signature.js";
import type { Scheme } from "../scheme.js";
import { textSecretProblem } from "../secret-form.js";

const common = { defaultToleranceSeconds: null, allows: [] } as const;

/** HTTP basic authentication (RFC 7617): the scheme's name in any case, credentials in strict base64. */
export const basic: Scheme = {
  ...common,
  summary: "user name and password in Authorization: Basic",
  secret: "USER:PASSWORD",
  requires: [],
  secretProblem: (value) =>
    textSecretProblem(value) ?? (value.includes(":") ? null : "must be USER:PASSWORD, with a colon between them"),
  check(walk) {
    const value = readHeader(walk, "authorization", "authorization");
    if (value === null) return null;
    const [, text] = /^basic +([A-Za-z0-9+/=]+)$/i.exec(value) ?? [];
    const credentials = text === undefined ? null : decodeBase64(text);
    if (credentials !== null) return matchToken(walk, credentials, "credentials", "credentials");
    return walk.trace.fail("credentials", "are not Basic with strict base64", "authorization is not Basic with base64");
  },
};

/** A header whose whole value is the secret: no signature, so the body is not covered. */
export const headerToken: Scheme = {
  ...common,
  summary: "the secret itself in a header of your choice",
  secret: "the header's whole value",
  requires: ["headerToken"],
  problems: ({ headerToken: options }) =>
    options === undefined || headerName.test(options.header)
      ? []
      : [{ field: "verification.headerToken.header", reason: "is not a legal header name" }],
  secretProblem: textSecretProblem,
  check(walk) {
    const token = readHeader(walk, walk.verification.headerToken?.header ?? "", "token");
    return token === null ? null : matchToken(walk, token, "token", "token");
  },
};

/** Events come by `/publish` alone, which the gateway authorises: nothing on `/in` is ever verified. */
export const iam: Scheme = {
  ...common,
  summary: "callers of /publish sign with their AWS credentials; /in is closed",
  secret: null,
  requires: [],
  secretProblem: () => null,
  check: ({ trace }) =>
    trace.fail("scheme iam", "this source takes events by /publish only", "this source takes events by /publish only"),
};

import type { Headers } from "../../core/model.js";
import { SecretsInText } from "../../core/secrets-in-text.js";
import { credentialHeaders } from "../../core/verification/credential-headers.js";
import type { OpenSource } from "../ports.js";
import type { ProviderRequest } from "./inbound-request.js";

/**
 * A request as it may be kept and sent on: without the headers that let their owner in and those that hold a secret of
 * the source, and with `***` for a secret in suffix and query. The body stays: it is what is delivered, byte for byte.
 */
export function withoutCredentials(source: OpenSource, request: ProviderRequest): ProviderRequest {
  const secrets = new SecretsInText(secretsOf(source));
  const named = credentialHeaders(source.verification);
  const isShown = ([name, value]: Headers[number]) => !named.includes(name.toLowerCase()) && !secrets.isIn(value);
  return {
    ...request,
    suffix: secrets.maskedPath(request.suffix),
    query: secrets.maskedQuery(request.query),
    headers: request.headers.filter(isShown),
  };
}

/** Of a user and a password the password is a secret by itself. */
function secretsOf({ verification, secretValues, verifyToken }: OpenSource): readonly string[] {
  const values = secretValues.map(({ value }) => value);
  const passwords = verification?.scheme === "basic" ? values.map((value) => value.replace(/^[^:]*:/, "")) : [];
  return [...values, ...passwords, ...(verifyToken === null ? [] : [verifyToken])];
}

import { createHash, createHmac } from "node:crypto";
import { defaultProvider } from "@aws-sdk/credential-provider-node";
import { SignatureV4 } from "@smithy/signature-v4";
import { CliError } from "../cli-error.js";
import type { Signer } from "../relay-address.js";

/** What the SDK's signing asks of a hash. */
class Sha256 {
  readonly #hash;

  constructor(secret?: string | ArrayBuffer | ArrayBufferView) {
    this.#hash = secret === undefined ? createHash("sha256") : createHmac("sha256", bytesOf(secret));
  }

  update(chunk: string | ArrayBuffer | ArrayBufferView): void {
    this.#hash.update(bytesOf(chunk));
  }

  digest(): Promise<Uint8Array> {
    return Promise.resolve(this.#hash.digest());
  }

  reset(): void {
    throw new Error("a hash is used once");
  }
}

function bytesOf(value: string | ArrayBuffer | ArrayBufferView): Uint8Array {
  if (typeof value === "string") return Buffer.from(value, "utf8");
  return ArrayBuffer.isView(value)
    ? new Uint8Array(value.buffer, value.byteOffset, value.byteLength)
    : new Uint8Array(value);
}

export interface SigningOptions {
  readonly region: string;
  /** Of the AWS configuration files; undefined: the usual credential chain. */
  readonly profile: string | undefined;
}

/** Signs by AWS Signature Version 4 for the service `execute-api`, as routes with IAM authorization ask for it. */
export function executeApiSigner({ region, profile }: SigningOptions): Signer {
  const credentials = credentialProvider(profile);
  const signer = new SignatureV4({ service: "execute-api", region, credentials, sha256: Sha256, applyChecksum: true });
  return async ({ method, url, headers, body }) => {
    const query: Record<string, string> = Object.fromEntries(url.searchParams);
    const signed = await signer.sign({
      method,
      protocol: url.protocol,
      hostname: url.hostname,
      path: url.pathname,
      query,
      headers: { ...headers, host: url.host },
      body,
    });
    // Who sends it names the host.
    const { host: _host, ...signedHeaders } = signed.headers;
    return signedHeaders;
  };
}

/** The usual chain: environment, shared files, SSO, processes, containers, instances. */
export function credentialProvider(profile: string | undefined) {
  const provider = defaultProvider(profile === undefined ? {} : { profile });
  return async () => {
    try {
      return await provider();
    } catch (error) {
      throw new CliError(`There are no AWS credentials: ${(error as Error).message}`, {
        code: "no_credentials",
        fix: "Sign in (`aws sso login`, `aws login`), name a profile with --profile, or set AWS_PROFILE.",
      });
    }
  };
}

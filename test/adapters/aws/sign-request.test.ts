import { createHash, createHmac } from "node:crypto";
import { SignatureV4 } from "@smithy/signature-v4";
import { expect, test } from "vitest";
import { signedHeaders } from "../../../functions/adapters/aws/sign-request.js";

/** What the SDK's own signing asks of a hash. */
class Sha256 {
  readonly #hash;
  constructor(secret?: string | ArrayBuffer | ArrayBufferView) {
    this.#hash = secret === undefined ? createHash("sha256") : createHmac("sha256", secret as Uint8Array);
  }
  update(chunk: string | ArrayBuffer | ArrayBufferView): void {
    this.#hash.update(chunk as Uint8Array);
  }
  digest(): Promise<Uint8Array> {
    return Promise.resolve(this.#hash.digest());
  }
  reset(): void {}
}

test.each([undefined, "token/+="])("signs as the SDK does (session token: %s)", async (sessionToken) => {
  const nowMs = Date.UTC(2026, 0, 31, 12);
  const credentials = { accessKeyId: "AKIDEXAMPLE", secretAccessKey: "wJalrXUtnFEMI/K7MDENG+bPxRfiCY" };
  const url = new URL("https://monitoring.eu-west-1.amazonaws.com");
  const headers = { "content-type": "application/x-amz-json-1.0", "x-amz-target": "Granite.GetMetricData" };
  const body = '{"Ö":1}';
  const region = "eu-west-1";
  const ours = signedHeaders({
    url,
    service: "monitoring",
    region,
    credentials: sessionToken === undefined ? credentials : { ...credentials, sessionToken },
    headers,
    body,
    nowMs,
  });
  const signer = new SignatureV4({
    service: "monitoring",
    region,
    credentials: sessionToken === undefined ? credentials : { ...credentials, sessionToken },
    sha256: Sha256,
    applyChecksum: false,
  });
  const request = { method: "POST", protocol: "https:", hostname: url.hostname, path: "/", query: {}, body };
  const theirs = await signer.sign(
    { ...request, headers: { ...headers, host: url.host } },
    { signingDate: new Date(nowMs) },
  );
  expect(ours["authorization"]).toBe(theirs.headers["authorization"]);
  expect(ours["x-amz-security-token"]).toBe(theirs.headers["x-amz-security-token"]);
});

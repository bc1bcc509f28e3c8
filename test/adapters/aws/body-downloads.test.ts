import { S3Client } from "@aws-sdk/client-s3";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { S3BodyDownloads } from "../../../functions/adapters/aws/body-downloads.js";
import { type AwsStub, startAwsStub } from "../../support/aws-stub.js";

describe("downloads of large bodies", () => {
  let stub: AwsStub;
  let downloads: S3BodyDownloads;

  beforeEach(async () => {
    stub = await startAwsStub(() => ({}));
    const client = new S3Client({ ...stub.clientConfig, forcePathStyle: true });
    downloads = new S3BodyDownloads(
      async () => client,
      "relay-bucket",
      () => Date.UTC(2026, 0, 31),
    );
  });

  afterEach(async () => {
    vi.unstubAllEnvs();
    await stub.close();
  });

  test("store the bare body beside the packed one, and sign a link to it that soon expires", async () => {
    vi.stubEnv("AWS_ENDPOINT_URL", undefined);
    const url = new URL(await downloads.offer({ eventId: "evt_1", bodySha256: "ab" }, Buffer.from("body")));
    expect(stub.calls[0]?.path).toMatch(/^\/relay-bucket\/bodies\/evt_1\/ab\.body(\?|$)/);
    expect(url.origin + url.pathname).toBe("https://relay-bucket.s3.us-east-1.amazonaws.com/bodies/evt_1/ab.body");
    expect(url.searchParams.get("X-Amz-Expires")).toBe("300");
    expect(url.searchParams.get("response-content-disposition")).toBe('attachment; filename="evt_1.body"');
  });

  test("are at the local endpoint where there is one", async () => {
    vi.stubEnv("AWS_ENDPOINT_URL", stub.endpoint);
    const url = await downloads.offer({ eventId: "evt_1", bodySha256: "ab" }, Buffer.from("body"));
    expect(url.startsWith(`${stub.endpoint}/relay-bucket/bodies/evt_1/ab.body?`)).toBe(true);
  });
});

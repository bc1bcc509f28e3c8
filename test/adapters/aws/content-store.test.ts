import { S3Client } from "@aws-sdk/client-s3";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ContentMissingError, S3ContentStore } from "../../../functions/adapters/aws/content-store.js";
import { type AwsStub, startAwsStub } from "../../support/aws-stub.js";

let stub: AwsStub;
let store: S3ContentStore;
let failing: boolean;

beforeEach(async () => {
  failing = false;
  const objects = new Map<string, Buffer>();
  stub = await startAwsStub((call) => {
    const path = call.path.replace(/\?.*$/, "");
    if (failing)
      return { status: 500, headers: { "content-type": "application/xml" }, body: errorXml("InternalError") };
    if (call.method === "PUT") objects.set(path, call.body);
    const object = objects.get(path);
    if (object === undefined) {
      return { status: 404, headers: { "content-type": "application/xml" }, body: errorXml("NoSuchKey") };
    }
    return { body: call.method === "GET" ? object : "" };
  });
  const client = new S3Client({ ...stub.clientConfig, forcePathStyle: true });
  store = new S3ContentStore(async () => client, "bodies-bucket");
});
afterEach(() => stub.close());

const errorXml = (code: string) => `<?xml version="1.0"?><Error><Code>${code}</Code><Message>no</Message></Error>`;

describe("the content store over S3", () => {
  it("gives back the bytes that were put under the key", async () => {
    const packed = Buffer.from(Array.from({ length: 70_000 }, (_, at) => (at * 31) % 256));
    await store.put("bodies/evt_1/abc", packed);
    expect(stub.calls[0]?.path).toMatch(/^\/bodies-bucket\/bodies\/evt_1\/abc(\?|$)/);
    expect((await store.get("bodies/evt_1/abc")).equals(packed)).toBe(true);
  });

  it("says that a content is missing", async () => {
    await expect(store.get("bodies/evt_1/abc")).rejects.toThrow(ContentMissingError);
  });

  it("rejects a put that the bucket did not take", async () => {
    failing = true;
    await expect(store.put("key", Buffer.from("content"))).rejects.toThrow();
  });
});

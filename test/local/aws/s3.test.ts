import { createHash, randomBytes } from "node:crypto";
import { readdir } from "node:fs/promises";
import { request } from "node:http";
import { join } from "node:path";
import { Readable } from "node:stream";
import {
  BucketAlreadyOwnedByYou,
  CreateBucketCommand,
  DeleteBucketCommand,
  DeleteObjectCommand,
  DeleteObjectsCommand,
  GetObjectCommand,
  HeadBucketCommand,
  HeadObjectCommand,
  ListBucketsCommand,
  ListObjectsV2Command,
  NoSuchBucket,
  NoSuchKey,
  NotFound,
  PutObjectCommand,
  type PutObjectCommandInput,
  type S3Client,
} from "@aws-sdk/client-s3";
import { describe, expect, it } from "vitest";
import type { LocalAws } from "../../../local/aws/endpoint.js";
import { aDataDir, manualClock, s3Client, startAws } from "./fixture.js";

const Bucket = "content";

interface Setup {
  readonly aws: LocalAws;
  readonly s3: S3Client;
  put(
    key: string,
    body: string | Buffer | Readable,
    more?: Partial<PutObjectCommandInput>,
  ): Promise<string | undefined>;
  get(key: string): Promise<Buffer>;
}

async function aBucket(dataDir?: string): Promise<Setup> {
  const aws = await startAws(dataDir === undefined ? {} : { dataDir });
  const s3 = s3Client(aws);
  await s3.send(new CreateBucketCommand({ Bucket }));
  return {
    aws,
    s3,
    put: async (Key, Body, more) => (await s3.send(new PutObjectCommand({ Bucket, Key, Body, ...more }))).ETag,
    async get(Key) {
      const { Body } = await s3.send(new GetObjectCommand({ Bucket, Key }));
      return Buffer.from((await Body?.transformToByteArray()) ?? []);
    },
  };
}

describe("objects of the local S3", () => {
  it.each([0, 1, 255_000, 4_000_000])("keeps %i random bytes as they are", async (size) => {
    const { put, get } = await aBucket();
    const body = randomBytes(size);
    const etag = await put("events/one", body);
    expect(etag).toBe(`"${createHash("md5").update(body).digest("hex")}"`);
    expect((await get("events/one")).equals(body)).toBe(true);
  });

  it("takes a streamed body, which the SDK sends in chunks with its checksum in a trailer", async () => {
    const { put, get } = await aBucket();
    const parts = [randomBytes(70_000), randomBytes(1), randomBytes(130_000)];
    const whole = Buffer.concat(parts);
    await put("streamed", Readable.from(parts), { ContentLength: whole.length });
    expect((await get("streamed")).equals(whole)).toBe(true);
  });

  it("keeps headers and metadata, without the transfer's own coding", async () => {
    const { put, s3 } = await aBucket();
    await put("one", Readable.from([Buffer.from("hello")]), {
      ContentLength: 5,
      ContentType: "text/plain",
      ContentEncoding: "gzip",
      Metadata: { source: "src_1" },
    });
    const head = await s3.send(new HeadObjectCommand({ Bucket, Key: "one" }));
    expect(head).toMatchObject({
      ContentLength: 5,
      ContentType: "text/plain",
      ContentEncoding: "gzip",
      Metadata: { source: "src_1" },
    });
  });

  it.each(["../../etc/passwd", "a/../b", "/leading//slashes/", "sp ace+plus%25&<>\"'", "ümläut/😊", ".."])(
    "takes the key %j as a name, never as a path",
    async (key) => {
      const dataDir = await aDataDir();
      const { put, get, s3 } = await aBucket(dataDir);
      await put(key, "content");
      expect((await get(key)).toString()).toBe("content");
      const listed = await s3.send(new ListObjectsV2Command({ Bucket }));
      expect(listed.Contents?.map((entry) => entry.Key)).toEqual([key]);
      expect(await readdir(join(dataDir, "objects"))).toHaveLength(1);
    },
  );

  it("replaces an object as a whole, and leaves no file behind", async () => {
    const dataDir = await aDataDir();
    const { put, get } = await aBucket(dataDir);
    await put("one", "first");
    await put("one", "second");
    expect((await get("one")).toString()).toBe("second");
    expect(await readdir(join(dataDir, "objects"))).toHaveLength(1);
  });

  it("writes only what does not exist yet when asked to", async () => {
    const { put, get } = await aBucket();
    await put("one", "first", { IfNoneMatch: "*" });
    await expect(put("one", "second", { IfNoneMatch: "*" })).rejects.toMatchObject({ name: "PreconditionFailed" });
    expect((await get("one")).toString()).toBe("first");
  });

  it.each([
    ["bytes=0-4", "01234", "bytes 0-4/10"],
    ["bytes=7-", "789", "bytes 7-9/10"],
    ["bytes=-2", "89", "bytes 8-9/10"],
    ["bytes=5-100", "56789", "bytes 5-9/10"],
  ])("reads the range %s", async (Range, text, ContentRange) => {
    const { put, s3 } = await aBucket();
    await put("one", "0123456789");
    const answer = await s3.send(new GetObjectCommand({ Bucket, Key: "one", Range }));
    expect(await answer.Body?.transformToString()).toBe(text);
    expect(answer).toMatchObject({ ContentRange, ContentLength: text.length });
  });

  it("refuses a range outside the object", async () => {
    const { put, s3 } = await aBucket();
    await put("one", "0123456789");
    const reading = s3.send(new GetObjectCommand({ Bucket, Key: "one", Range: "bytes=10-" }));
    await expect(reading).rejects.toMatchObject({ name: "InvalidRange" });
  });

  it.each([
    ["an MD5", { ContentMD5: createHash("md5").update("other").digest("base64") }],
    ["a CRC-32", { ChecksumCRC32: "AAAAAA==" }],
    ["a SHA-256", { ChecksumSHA256: createHash("sha256").update("other").digest("base64") }],
  ])("refuses a body that %s contradicts, and keeps nothing", async (_, checksum) => {
    const { put, get } = await aBucket();
    await expect(put("one", "hello", checksum)).rejects.toMatchObject({ name: "BadDigest" });
    await expect(get("one")).rejects.toBeInstanceOf(NoSuchKey);
  });

  it("deletes one or many, also what does not exist", async () => {
    const { put, get, s3 } = await aBucket();
    for (const key of ["a", "b & c", "d"]) await put(key, "x");
    await s3.send(new DeleteObjectCommand({ Bucket, Key: "a" }));
    const Objects = [{ Key: "b & c" }, { Key: "none" }];
    const deleted = await s3.send(new DeleteObjectsCommand({ Bucket, Delete: { Objects } }));
    expect(deleted.Deleted?.map((entry) => entry.Key)).toEqual(["b & c", "none"]);
    await expect(get("a")).rejects.toBeInstanceOf(NoSuchKey);
    await expect(get("b & c")).rejects.toBeInstanceOf(NoSuchKey);
    expect((await get("d")).toString()).toBe("x");
  });

  it("survives a restart, and clears away what a crash left behind", async () => {
    const dataDir = await aDataDir();
    const first = await aBucket(dataDir);
    await first.put("one", "kept");
    await first.aws.close();
    const { writeFile } = await import("node:fs/promises");
    await writeFile(join(dataDir, "objects", "half-written"), "x");

    const aws = await startAws({ dataDir });
    const { Body } = await s3Client(aws).send(new GetObjectCommand({ Bucket, Key: "one" }));
    expect(await Body?.transformToString()).toBe("kept");
    expect(await readdir(join(dataDir, "objects"))).toHaveLength(1);
  });
});

describe("listing", () => {
  it("goes through all keys in byte order, in pages, by prefix", async () => {
    const { put, s3 } = await aBucket();
    for (const key of ["a/3", "a/1", "b/1", "a/2", "a/ä"]) await put(key, "x");
    const query = { Bucket, Prefix: "a/", MaxKeys: 2 };
    const first = await s3.send(new ListObjectsV2Command(query));
    const rest = await s3.send(
      new ListObjectsV2Command({ ...query, MaxKeys: 10, ContinuationToken: first.NextContinuationToken }),
    );
    expect(first.IsTruncated).toBe(true);
    expect([...(first.Contents ?? []), ...(rest.Contents ?? [])].map((entry) => entry.Key)).toEqual([
      "a/1",
      "a/2",
      "a/3",
      "a/ä",
    ]);
    expect(rest.IsTruncated).toBe(false);
  });

  it("gathers shared prefixes at a delimiter, across pages", async () => {
    const { put, s3 } = await aBucket();
    for (const key of ["a/1", "a/2", "b", "c/1", "c/2"]) await put(key, "x");
    const pages: unknown[] = [];
    let ContinuationToken: string | undefined;
    do {
      const page = await s3.send(new ListObjectsV2Command({ Bucket, Delimiter: "/", MaxKeys: 1, ContinuationToken }));
      pages.push(page.CommonPrefixes?.[0]?.Prefix ?? page.Contents?.[0]?.Key);
      ContinuationToken = page.NextContinuationToken;
    } while (ContinuationToken !== undefined);
    expect(pages).toEqual(["a/", "b", "c/"]);
  });
});

describe("buckets", () => {
  it("are created once, shown, and deleted when empty", async () => {
    const { s3, put } = await aBucket();
    const again = s3.send(new CreateBucketCommand({ Bucket }));
    await expect(again).rejects.toBeInstanceOf(BucketAlreadyOwnedByYou);
    expect((await s3.send(new HeadBucketCommand({ Bucket }))).BucketRegion).toBe("us-east-1");
    expect((await s3.send(new ListBucketsCommand({}))).Buckets?.map(({ Name }) => Name)).toEqual([Bucket]);

    await put("one", "x");
    const full = s3.send(new DeleteBucketCommand({ Bucket }));
    await expect(full).rejects.toMatchObject({ name: "BucketNotEmpty" });
    await s3.send(new DeleteObjectCommand({ Bucket, Key: "one" }));
    await s3.send(new DeleteBucketCommand({ Bucket }));
    await expect(s3.send(new HeadBucketCommand({ Bucket }))).rejects.toBeInstanceOf(NotFound);
  });

  it("that do not exist are named as such", async () => {
    const { s3 } = await aBucket();
    const reading = s3.send(new GetObjectCommand({ Bucket: "none", Key: "one" }));
    await expect(reading).rejects.toBeInstanceOf(NoSuchBucket);
    const writing = s3.send(new PutObjectCommand({ Bucket: "none", Key: "one", Body: "x" }));
    await expect(writing).rejects.toMatchObject({ name: "NoSuchBucket" });
  });

  it("may be called like a path of Scheduler", async () => {
    const { s3 } = await aBucket();
    await s3.send(new CreateBucketCommand({ Bucket: "schedules" }));
    await s3.send(new PutObjectCommand({ Bucket: "schedules", Key: "one", Body: "x" }));
    const { KeyCount } = await s3.send(new ListObjectsV2Command({ Bucket: "schedules" }));
    expect(KeyCount).toBe(1);
  });
});

describe("presigned URLs", () => {
  /** As a browser does it: no headers but Host. */
  const fetchText = (
    url: string,
  ): Promise<{ status: number | undefined; disposition: string | undefined; text: string }> =>
    new Promise((resolve, reject) => {
      request(url, (response) => {
        let text = "";
        response.on("data", (chunk: Buffer) => {
          text += chunk.toString();
        });
        response.on("end", () => {
          resolve({ status: response.statusCode, disposition: response.headers["content-disposition"], text });
        });
      })
        .on("error", reject)
        .end();
    });

  it("are good until they expire, and may set response headers", async () => {
    const clock = manualClock(Date.UTC(2026, 0, 15, 12));
    const aws = await startAws({ clock });
    const s3 = s3Client(aws);
    await s3.send(new CreateBucketCommand({ Bucket }));
    await s3.send(new PutObjectCommand({ Bucket, Key: "one", Body: "hello" }));
    const url = `${aws.url}/${Bucket}/one?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=local%2F20260115%2Fus-east-1%2Fs3%2Faws4_request&X-Amz-Date=20260115T120000Z&X-Amz-Expires=300&X-Amz-SignedHeaders=host&X-Amz-Signature=00&response-content-disposition=attachment`;

    expect(await fetchText(url)).toEqual({ status: 200, disposition: "attachment", text: "hello" });
    clock.advance(300_001);
    expect((await fetchText(url)).status).toBe(403);
  });
});

import type { S3Client } from "@aws-sdk/client-s3";
import type { ContentStore } from "../../app/ports.js";

/** No object under the key: it has expired, or its erasure was asked for. */
export class ContentMissingError extends Error {
  override readonly name = "ContentMissingError";
}

/** Packed contents as objects of one bucket. The SDK for it is loaded by the first large event. */
export class S3ContentStore implements ContentStore {
  constructor(
    private readonly client: () => Promise<S3Client>,
    private readonly bucketName: string,
  ) {}

  async put(key: string, packed: Buffer): Promise<void> {
    const [{ PutObjectCommand }, client] = await Promise.all([import("./s3.js"), this.client()]);
    await client.send(
      new PutObjectCommand({
        Bucket: this.bucketName,
        Key: key,
        Body: packed,
        ContentType: "application/octet-stream",
      }),
    );
  }

  /** Rejects with {@link ContentMissingError} when there is no such object. */
  async get(key: string): Promise<Buffer> {
    const [{ GetObjectCommand, NoSuchKey }, client] = await Promise.all([import("./s3.js"), this.client()]);
    try {
      const answer = await client.send(new GetObjectCommand({ Bucket: this.bucketName, Key: key }));
      if (answer.Body === undefined) throw new ContentMissingError(`The bucket gave no content for ${key}`);
      const { buffer, byteOffset, byteLength } = await answer.Body.transformToByteArray();
      return Buffer.from(buffer, byteOffset, byteLength);
    } catch (error) {
      if (error instanceof NoSuchKey) throw new ContentMissingError(`The bucket holds no content under ${key}`);
      throw error;
    }
  }
}

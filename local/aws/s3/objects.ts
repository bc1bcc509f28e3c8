import { createHash, randomUUID } from "node:crypto";
import type { FileHandle } from "node:fs/promises";
import { mkdir, open, readdir, unlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { AwsError } from "../aws-error.js";
import type { LocalClock } from "../clock.js";
import type { StateStore, WriteOperation } from "../state-store.js";

const bucketPrefix = "s3!bucket!";
const objectPrefix = "s3!object!";

/** What is known of an object besides its bytes. */
export interface StoredObject {
  readonly key: string;
  /** Name of the file that has the bytes: random, so that a key never becomes a path. */
  readonly file: string;
  readonly size: number;
  /** With its quotes. */
  readonly etag: string;
  readonly modifiedAtMs: number;
  /** Headers that a read gives back (`content-type`, `x-amz-meta-…`). */
  readonly headers: Readonly<Record<string, string>>;
  readonly checksums: Readonly<Record<string, string>>;
}

export interface Bucket {
  readonly name: string;
  readonly createdAtMs: number;
}

/**
 * Buckets: bytes in files, one directory for all; which file is which object stands in the state store. Writing the
 * entry is what makes a new version visible, whole, at once; a file that no entry names is left-over from a crash.
 */
export class Objects {
  readonly #buckets = new Map<string, Bucket>();

  private constructor(
    private readonly store: StateStore,
    private readonly clock: LocalClock,
    private readonly folder: string,
  ) {}

  static async open(store: StateStore, clock: LocalClock, dataDir: string): Promise<Objects> {
    const objects = new Objects(store, clock, join(dataDir, "objects"));
    await mkdir(objects.folder, { recursive: true, mode: 0o700 });
    for await (const [, value] of store.range(bucketPrefix)) {
      const bucket: Bucket = JSON.parse(value);
      objects.#buckets.set(bucket.name, bucket);
    }
    await objects.#removeLeftovers();
    return objects;
  }

  buckets(): Bucket[] {
    return [...this.#buckets.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  hasBucket(name: string): boolean {
    return this.#buckets.has(name);
  }

  async createBucket(name: string): Promise<void> {
    if (!/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(name)) {
      throw new AwsError("InvalidBucketName", "The specified bucket is not valid.");
    }
    if (this.#buckets.has(name)) {
      const message = "Your previous request to create the named bucket succeeded and you already own it.";
      throw new AwsError("BucketAlreadyOwnedByYou", message, { statusCode: 409 });
    }
    const bucket: Bucket = { name, createdAtMs: this.clock.now() };
    this.#buckets.set(name, bucket);
    await this.store.write([{ type: "put", key: bucketPrefix + name, value: JSON.stringify(bucket) }]);
  }

  async deleteBucket(name: string): Promise<void> {
    this.#check(name);
    for await (const _ of this.store.range(objectPrefixOf(name))) {
      throw new AwsError("BucketNotEmpty", "The bucket you tried to delete is not empty.", { statusCode: 409 });
    }
    this.#buckets.delete(name);
    await this.store.write([{ type: "del", key: bucketPrefix + name }]);
  }

  async put(
    bucket: string,
    key: string,
    body: Buffer,
    kept: Pick<StoredObject, "headers" | "checksums">,
  ): Promise<StoredObject> {
    this.#check(bucket);
    if (Buffer.byteLength(key) > 1024) throw new AwsError("KeyTooLongError", "Your key is too long.");
    const file = randomUUID();
    await writeFile(this.#pathOf(file), body, { mode: 0o600, flag: "wx" });
    const etag = `"${createHash("md5").update(body).digest("hex")}"`;
    const object: StoredObject = { key, file, size: body.length, etag, modifiedAtMs: this.clock.now(), ...kept };
    const replaced = await this.#find(bucket, key);
    await this.store.write([{ type: "put", key: objectKey(bucket, key), value: JSON.stringify(object) }]);
    await this.#unlink(replaced);
    return object;
  }

  /** @throws {AwsError} `NoSuchBucket`, `NoSuchKey`. */
  async head(bucket: string, key: string): Promise<StoredObject> {
    this.#check(bucket);
    const object = await this.#find(bucket, key);
    if (object !== null) return object;
    throw new AwsError("NoSuchKey", "The specified key does not exist.", { statusCode: 404 });
  }

  /** Entry and open file belong together, even when the object is replaced at the same time. The caller closes. */
  async open(bucket: string, key: string): Promise<{ readonly object: StoredObject; readonly file: FileHandle }> {
    for (;;) {
      const object = await this.head(bucket, key);
      try {
        return { object, file: await open(this.#pathOf(object.file), "r") };
      } catch (error) {
        const missing = (error as NodeJS.ErrnoException).code === "ENOENT";
        const replaced = missing && (await this.#find(bucket, key))?.file !== object.file;
        if (!replaced) throw error;
      }
    }
  }

  /** A key that does not exist is no error, as on AWS. */
  async delete(bucket: string, keys: readonly string[]): Promise<void> {
    this.#check(bucket);
    const objects = await Promise.all(keys.map((key) => this.#find(bucket, key)));
    await this.store.write(keys.map((key): WriteOperation => ({ type: "del", key: objectKey(bucket, key) })));
    await Promise.all(objects.map((object) => this.#unlink(object)));
  }

  /** In byte order of the keys, those after `after` only. */
  async *list(bucket: string, prefix: string, after: string | undefined): AsyncIterable<StoredObject> {
    this.#check(bucket);
    const afterKey = after === undefined ? undefined : objectKey(bucket, after);
    for await (const [, value] of this.store.range(objectKey(bucket, prefix), afterKey)) yield JSON.parse(value);
  }

  #check(bucket: string): void {
    if (this.#buckets.has(bucket)) return;
    throw new AwsError("NoSuchBucket", "The specified bucket does not exist.", { statusCode: 404 });
  }

  async #find(bucket: string, key: string): Promise<StoredObject | null> {
    const value = await this.store.get(objectKey(bucket, key));
    return value === undefined ? null : JSON.parse(value);
  }

  async #unlink(object: StoredObject | null): Promise<void> {
    if (object !== null) await unlink(this.#pathOf(object.file)).catch(ignoreMissing);
  }

  async #removeLeftovers(): Promise<void> {
    const files = new Set(await readdir(this.folder));
    for await (const [, value] of this.store.range(objectPrefix))
      files.delete((JSON.parse(value) as StoredObject).file);
    await Promise.all([...files].map((file) => unlink(this.#pathOf(file)).catch(ignoreMissing)));
  }

  #pathOf(file: string): string {
    return join(this.folder, file);
  }
}

const objectPrefixOf = (bucket: string): string => `${objectPrefix}${bucket}!`;
const objectKey = (bucket: string, key: string): string => objectPrefixOf(bucket) + key;

function ignoreMissing(error: NodeJS.ErrnoException): void {
  if (error.code !== "ENOENT") throw error;
}

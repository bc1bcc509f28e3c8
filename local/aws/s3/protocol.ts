import { AwsError } from "../aws-error.js";
import type { LocalClock } from "../clock.js";
import { listPage } from "./listing.js";
import type { Objects, StoredObject } from "./objects.js";
import { parseRange } from "./range.js";
import { headersToKeep, readBody, type S3Request, type S3Response } from "./request.js";
import { textsOf, xmlDocument } from "./xml.js";

const maximumDeletes = 1000;

export interface S3 {
  readonly objects: Objects;
  readonly clock: LocalClock;
  readonly region: string;
}

/** Sub-resources (`?acl`, `?uploads`, …) that would change what a call means; the local S3 has none of them. */
const plainQuery = new Set([
  "x-id",
  "list-type",
  "delete",
  "prefix",
  "delimiter",
  "max-keys",
  "continuation-token",
  "start-after",
  "encoding-type",
  "fetch-owner",
  "location",
]);

/** Answers one call. @throws {AwsError} as S3 refuses it. */
export async function callS3(s3: S3, request: S3Request): Promise<S3Response> {
  checkPresigned(s3, request.query);
  const foreign = [...request.query.keys()].find((name) => !plainQuery.has(name) && !/^(x-amz-|response-)/i.test(name));
  if (foreign !== undefined || request.headers["x-amz-copy-source"] !== undefined) throw notImplemented();
  if (request.bucket === "") return onService(s3, request);
  return request.key === "" ? onBucket(s3, request) : onObject(s3, request);
}

function onService({ objects }: S3, { method }: S3Request): S3Response {
  if (method !== "GET") throw notImplemented();
  const buckets = objects.buckets().map(({ name, createdAtMs }) => ({ Name: name, CreationDate: iso(createdAtMs) }));
  return xml(xmlDocument("ListAllMyBucketsResult", { Owner: { ID: "local" }, Buckets: { Bucket: buckets } }));
}

async function onBucket({ objects, region }: S3, request: S3Request): Promise<S3Response> {
  const { method, bucket, query } = request;
  switch (method) {
    case "PUT":
      await objects.createBucket(bucket);
      return { statusCode: 200, headers: { location: `/${bucket}` } };
    case "HEAD":
      if (!objects.hasBucket(bucket)) throw new AwsError("NotFound", "Not Found", { statusCode: 404 });
      return { statusCode: 200, headers: { "x-amz-bucket-region": region } };
    case "DELETE":
      await objects.deleteBucket(bucket);
      return { statusCode: 204 };
    case "GET":
      if (query.has("location")) return xml(xmlDocument("LocationConstraint", {}));
      if (query.get("list-type") !== "2") throw notImplemented();
      return xml(xmlDocument("ListBucketResult", await listPage(objects, bucket, query)));
    case "POST":
      if (!query.has("delete")) throw notImplemented();
      return deleteObjects(objects, request);
    default:
      throw notImplemented();
  }
}

async function onObject({ objects }: S3, request: S3Request): Promise<S3Response> {
  const { bucket, key } = request;
  switch (request.method) {
    case "PUT":
      return putObject(objects, request);
    case "GET":
      return getObject(objects, request);
    case "HEAD":
      return { statusCode: 200, ...describe(await objects.head(bucket, key), request) };
    case "DELETE":
      await objects.delete(bucket, [key]);
      return { statusCode: 204 };
    default:
      throw notImplemented();
  }
}

async function putObject(objects: Objects, request: S3Request): Promise<S3Response> {
  const { body, checksums } = readBody(request);
  if (request.headers["if-none-match"] === "*") await refuseExisting(objects, request);
  const headers = headersToKeep(request.headers);
  const object = await objects.put(request.bucket, request.key, body, { headers, checksums });
  return { statusCode: 200, headers: { etag: object.etag, ...checksums } };
}

async function refuseExisting(objects: Objects, { bucket, key }: S3Request): Promise<void> {
  const exists = await objects.head(bucket, key).then(
    () => true,
    (error: unknown) => {
      if (error instanceof AwsError && error.code === "NoSuchKey") return false;
      throw error;
    },
  );
  if (!exists) return;
  const message = "At least one of the pre-conditions you specified did not hold";
  throw new AwsError("PreconditionFailed", message, { statusCode: 412 });
}

async function getObject(objects: Objects, request: S3Request): Promise<S3Response> {
  const { object, file } = await objects.open(request.bucket, request.key);
  try {
    const range = parseRange(request.headers.range, object.size);
    const { headers } = describe(object, request);
    if (range === null) return { statusCode: 200, headers, body: file.createReadStream() };
    return {
      statusCode: 206,
      headers: {
        ...headers,
        "content-length": String(range.end - range.start + 1),
        "content-range": `bytes ${range.start}-${range.end}/${object.size}`,
      },
      body: file.createReadStream(range),
    };
  } catch (error) {
    await file.close();
    throw error;
  }
}

/** Headers of GET and HEAD; `response-content-disposition` and its like replace what is stored. */
function describe(object: StoredObject, request: S3Request): { readonly headers: Record<string, string> } {
  const overrides: Record<string, string> = {};
  for (const [name, value] of request.query) {
    if (name.startsWith("response-")) overrides[name.slice("response-".length)] = value;
  }
  const wantsChecksums = request.headers["x-amz-checksum-mode"] === "ENABLED" && request.headers.range === undefined;
  return {
    headers: {
      ...object.headers,
      ...(wantsChecksums && object.checksums),
      ...overrides,
      "accept-ranges": "bytes",
      "content-length": String(object.size),
      etag: object.etag,
      "last-modified": new Date(object.modifiedAtMs).toUTCString(),
    },
  };
}

async function deleteObjects(objects: Objects, request: S3Request): Promise<S3Response> {
  const text = readBody(request).body.toString();
  const keys = textsOf(text, "Key");
  if (keys.length === 0 || keys.length > maximumDeletes) {
    throw new AwsError(
      "MalformedXML",
      "The XML you provided was not well-formed or did not validate against our schema.",
    );
  }
  await objects.delete(request.bucket, keys);
  const quiet = textsOf(text, "Quiet")[0] === "true";
  return xml(xmlDocument("DeleteResult", { Deleted: quiet ? [] : keys.map((Key) => ({ Key })) }));
}

/** A presigned URL's time is checked, its signature is not. */
function checkPresigned({ clock }: S3, query: URLSearchParams): void {
  const parts = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(query.get("X-Amz-Date") ?? "");
  if (parts === null) return;
  const [year, month, day, hour, minute, second] = parts.slice(1).map(Number) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  const signedAtMs = Date.UTC(year, month - 1, day, hour, minute, second);
  const seconds = Number(query.get("X-Amz-Expires") ?? 0);
  if (clock.now() <= signedAtMs + seconds * 1000) return;
  throw new AwsError("AccessDenied", "Request has expired", { statusCode: 403 });
}

const xml = (body: string): S3Response => ({ statusCode: 200, headers: { "content-type": "application/xml" }, body });
const iso = (ms: number): string => new Date(ms).toISOString();
const notImplemented = (): AwsError =>
  new AwsError("NotImplemented", "The local S3 does not implement this call.", { statusCode: 501 });

import { AwsError } from "../aws-error.js";
import type { Objects, StoredObject } from "./objects.js";
import type { XmlElements } from "./xml.js";

const maximumKeys = 1000;
/** Sorts after every key that starts with the same text. */
const lastCharacter = "\u{10ffff}";

/** One page of ListObjectsV2: objects and, with a delimiter, the prefixes that others share. */
export async function listPage(objects: Objects, bucket: string, query: URLSearchParams): Promise<XmlElements> {
  const limit = readLimit(query);
  const prefix = query.get("prefix") ?? "";
  const delimiter = query.get("delimiter") ?? "";
  const token = query.get("continuation-token");
  const after = token === null ? (query.get("start-after") ?? undefined) : Buffer.from(token, "base64url").toString();
  const found: StoredObject[] = [];
  const shared = new Set<string>();
  let last = "";
  let truncated = false;
  for await (const object of objects.list(bucket, prefix, after)) {
    const group = sharedPrefix(object.key, prefix, delimiter);
    if (group !== null && (shared.has(group) || after === group + lastCharacter)) continue;
    if (found.length + shared.size >= limit) {
      truncated = true;
      break;
    }
    if (group === null) found.push(object);
    else shared.add(group);
    last = group === null ? object.key : group + lastCharacter;
  }
  const encode = query.get("encoding-type") === "url" ? encodeURIComponent : (text: string): string => text;
  return {
    Name: bucket,
    Prefix: encode(prefix),
    Delimiter: delimiter === "" ? undefined : encode(delimiter),
    MaxKeys: limit,
    KeyCount: found.length + shared.size,
    IsTruncated: truncated,
    EncodingType: query.get("encoding-type") ?? undefined,
    ContinuationToken: token ?? undefined,
    NextContinuationToken: truncated ? Buffer.from(last).toString("base64url") : undefined,
    Contents: found.map((object) => ({
      Key: encode(object.key),
      LastModified: new Date(object.modifiedAtMs).toISOString(),
      ETag: object.etag,
      Size: object.size,
      StorageClass: "STANDARD",
    })),
    CommonPrefixes: [...shared].map((group) => ({ Prefix: encode(group) })),
  };
}

function sharedPrefix(key: string, prefix: string, delimiter: string): string | null {
  if (delimiter === "") return null;
  const at = key.indexOf(delimiter, prefix.length);
  return at < 0 ? null : key.slice(0, at + delimiter.length);
}

function readLimit(query: URLSearchParams): number {
  const text = query.get("max-keys") ?? String(maximumKeys);
  if (!/^\d{1,9}$/.test(text)) throw new AwsError("InvalidArgument", "max-keys must be a non-negative integer.");
  return Math.min(Number(text), maximumKeys);
}

import { createHash } from "node:crypto";
import { crc32 } from "node:zlib";
import { AwsError } from "../aws-error.js";

/** The ways in which a client says what it sent; header (or trailer) name → base64 of what the body has. */
const algorithms: Readonly<Record<string, (body: Buffer) => string>> = {
  "x-amz-checksum-crc32": (body) => {
    const bytes = Buffer.alloc(4);
    bytes.writeUInt32BE(crc32(body) >>> 0);
    return bytes.toString("base64");
  },
  "x-amz-checksum-sha1": (body) => createHash("sha1").update(body).digest("base64"),
  "x-amz-checksum-sha256": (body) => createHash("sha256").update(body).digest("base64"),
};

/** Kept and handed back like the others, but not computed: Node has no function for them. */
const unchecked = ["x-amz-checksum-crc32c", "x-amz-checksum-crc64nvme"];

/**
 * Compares a body with everything that the request says about it, and answers the checksums to keep.
 * @throws {AwsError} `BadDigest` or `XAmzContentSHA256Mismatch`.
 */
export function checkBody(body: Buffer, said: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const name of [...Object.keys(algorithms), ...unchecked]) {
    const value = said[name];
    if (value === undefined) continue;
    if ((algorithms[name]?.(body) ?? value) !== value) throw badDigest(name);
    kept[name] = value;
  }
  const md5 = said["content-md5"];
  if (md5 !== undefined && md5 !== createHash("md5").update(body).digest("base64")) throw badDigest("Content-MD5");
  checkSignedHash(body, said["x-amz-content-sha256"]);
  return kept;
}

/** The header also says `UNSIGNED-PAYLOAD` and `STREAMING-…`: only a hash is compared. */
function checkSignedHash(body: Buffer, value: string | undefined): void {
  if (value === undefined || !/^[0-9a-f]{64}$/.test(value)) return;
  if (createHash("sha256").update(body).digest("hex") === value) return;
  throw new AwsError(
    "XAmzContentSHA256Mismatch",
    "The provided 'x-amz-content-sha256' header does not match what was computed.",
  );
}

const badDigest = (name: string): AwsError =>
  new AwsError("BadDigest", `The ${name} you specified did not match what we received.`);

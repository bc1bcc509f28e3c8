import * as v from "valibot";
import { schemeNames } from "../../core/verification/schemes.js";

/** The verification of a source, as the admin API accepts and shows it. What goes with which scheme, the core knows. */

const text = (most: number) => v.pipe(v.string(), v.maxLength(most, `must have at most ${most} characters`));
const described = (most: number, description: string) => v.optional(v.pipe(text(most), v.description(description)));

/** Room for a rotation and a few legitimate signers. */
export const mostSecrets = 10;

const hmac = {
  header: text(256),
  prefix: v.optional(text(64), ""),
  algorithm: v.optional(v.picklist(["sha256", "sha1", "sha512"]), "sha256"),
  encoding: v.optional(v.picklist(["hex", "base64", "base64url"]), "hex"),
  content: described(
    512,
    "What is signed: text with {timestamp}, {id}, {url}, {method}, {header:NAME} and, once, {body}. Default {body}.",
  ),
  timestampHeader: described(256, "Header with the time in digits; content must hold {timestamp}."),
  timestampUnit: v.optional(v.picklist(["seconds", "milliseconds"])),
  idHeader: described(256, "Header with {id}."),
  covers: v.optional(
    v.pipe(
      v.picklist(["wire", "decoded"]),
      v.description("wire (default): the body as it came; decoded: without its content-encoding."),
    ),
  ),
};

/** What is stored and shown as it was written. */
const open = {
  toleranceSeconds: v.optional(
    v.pipe(v.number(), v.description("How far a signed time may be off, in either direction. Default by scheme.")),
  ),
  publicUrl: described(
    2_048,
    "For schemes that sign the URL: the source's https URL as the provider has it, without query.",
  ),
  secretEncoding: v.optional(
    v.pipe(
      v.picklist(["utf8", "base64", "base64url", "hex"]),
      v.description("How a key is written in its secret. Default by scheme."),
    ),
  ),
  headerToken: v.optional(v.strictObject({ header: text(256) })),
  topicArn: described(512, "Scheme sns: the only topic whose messages are taken; left out: any topic of any account."),
};

const scheme = v.picklist(schemeNames);
const onFailure = v.picklist(["quarantine", "reject"]);

export const verificationSchema = v.strictObject({
  scheme,
  /** Write-only; left out in a change: the stored ones stay. */
  secrets: v.optional(
    v.pipe(v.array(text(1_024)), v.maxLength(mostSecrets, `must list at most ${mostSecrets} secrets`)),
  ),
  onFailure: v.optional(onFailure, "quarantine"),
  ...open,
  hmac: v.optional(v.strictObject(hmac)),
});

/** Beside the ids of its secrets. */
export const verificationView = {
  scheme,
  onFailure,
  ...open,
  hmac: v.optional(
    v.strictObject({
      ...hmac,
      prefix: v.string(),
      algorithm: v.picklist(["sha256", "sha1", "sha512"]),
      encoding: v.picklist(["hex", "base64", "base64url"]),
    }),
  ),
};

export type VerificationInput = v.InferOutput<typeof verificationSchema>;

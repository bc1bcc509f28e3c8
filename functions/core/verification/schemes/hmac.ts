import { headerValue } from "../../header-list.js";
import type { HmacOptions, Verification } from "../../model.js";
import { decodeContent } from "../content-coding.js";
import { decodeKey } from "../keys.js";
import { matchHmac, type Signed } from "../match.js";
import { cutPrefix, decodeSignature, digestBytes, readHeader } from "../read-signature.js";
import type { Scheme, Walk } from "../scheme.js";
import { textSecretProblem } from "../secret-form.js";
import { type ContentPart, parseContent } from "../signed-content.js";
import { readTime } from "../signed-time.js";
import { signedUrls } from "../signed-url.js";
import { hmacProblems } from "./hmac-problems.js";

/**
 * The generic scheme: one header that holds an optional exact prefix and the HMAC of what the source's template says,
 * by default the raw body. It covers the bytes as they came over the wire, unless the source says `decoded`.
 */
export const hmac: Scheme = {
  summary: "HMAC in a header of your choice, over a template of your choice",
  secret: "the shared secret",
  defaultToleranceSeconds: 300,
  requires: ["hmac"],
  allows: ["toleranceSeconds", "publicUrl", "secretEncoding"],
  problems: hmacProblems,
  secretProblem(value, { secretEncoding = "utf8" }) {
    const problem = textSecretProblem(value);
    const key = problem === null ? decodeKey(value, secretEncoding) : null;
    return problem ?? (key === null || key.length === 0 ? `must be ${secretEncoding}, as secretEncoding says` : null);
  },
  check(walk) {
    const { hmac: options, secretEncoding = "utf8" } = walk.verification;
    if (options === undefined) return null;
    const { algorithm, encoding } = options;
    const value = readHeader(walk, options.header);
    const text = value === null ? null : cutPrefix(walk, value, options.prefix);
    const bytes = digestBytes[algorithm];
    const digest = text === null ? null : decodeSignature(walk, text, encoding, bytes, `${algorithm} digest`);
    const content = digest === null ? null : readContent(walk, options);
    if (digest === null || content === null) return null;
    return matchHmac(walk, algorithm, [digest], content, (secret) => decodeKey(secret, secretEncoding));
  },
};

function readContent(walk: Walk, options: HmacOptions): Signed | null {
  const template = options.content ?? "{body}";
  const parts = parseContent(template) ?? [];
  const values = parts.map((part) => readPart(walk, options, part));
  const spellings = urlsOf(walk.verification, parts, walk).map((url) =>
    values.flatMap((value, index) => (parts[index]?.kind === "url" ? [url] : (value ?? []))),
  );
  return values.includes(null) ? null : { template, spellings };
}

/** One spelling where the URL is not signed. */
const urlsOf = (verification: Verification, parts: readonly ContentPart[], { request }: Walk): string[] =>
  parts.some(({ kind }) => kind === "url") ? signedUrls(verification, request) : [""];

/** The bytes of one part; null, noted in the trace, when the request does not have it. */
function readPart(walk: Walk, options: HmacOptions, part: ContentPart): string | Buffer | null {
  switch (part.kind) {
    case "text":
      return part.value;
    case "header":
      return readHeader(walk, part.value, part.value.toLowerCase());
    case "timestamp": {
      const text = readHeader(walk, options.timestampHeader ?? "", "timestamp");
      return text === null ? null : readTime(walk, text, options.timestampUnit ?? "seconds");
    }
    case "id":
      return readHeader(walk, options.idHeader ?? "", "id");
    case "method":
      return walk.request.method;
    case "body":
      return options.covers === "decoded" ? readDecoded(walk) : walk.request.body;
    case "url":
      return "";
  }
}

function readDecoded({ request: { headers, body }, trace }: Walk): Buffer | null {
  const coding = headerValue(headers, "content-encoding") ?? "identity";
  const decoded = decodeContent(body, coding);
  const reason = "body cannot be decoded by its content-encoding, or comes to more than 6 MiB";
  if (decoded === null) return trace.fail("decoded body", "is not in its content-encoding, or above 6 MiB", reason);
  trace.pass("decoded body", `is ${decoded.length} bytes`);
  return decoded;
}

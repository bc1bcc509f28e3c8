import { createHash, timingSafeEqual } from "node:crypto";
import { decodeHex } from "../../strict-decoding.js";
import { matchHmac, type Signed } from "../match.js";
import { decodeSignature, digestBytes, readHeader } from "../read-signature.js";
import type { Scheme, Walk } from "../scheme.js";
import { textSecretProblem } from "../secret-form.js";
import { publicUrlProblems, signedUrls } from "../signed-url.js";
import { readForm } from "./form.js";

/**
 * Twilio's `X-Twilio-Signature: <base64>` of an HMAC-SHA1 over the URL and, for a form, its decoded fields: sorted by
 * name, values of one name without repeats and sorted, each name followed by its value. Any other body is covered by
 * its SHA-256 in the query's `bodySHA256`: with it the signature is over the URL alone, and both are checked. Which
 * of the two it is follows from the query, never from the content type. No time is signed.
 *
 * Source: Twilio's "Webhooks security"; port and apostrophe as in its own libraries, which try both ways.
 */
export const twilio: Scheme = {
  summary: "HMAC-SHA1 of {url} and the form's fields, base64, in X-Twilio-Signature",
  secret: "the account's primary auth token",
  defaultToleranceSeconds: null,
  requires: ["publicUrl"],
  allows: [],
  problems: publicUrlProblems,
  secretProblem: textSecretProblem,
  check(walk) {
    const value = readHeader(walk, "x-twilio-signature");
    const digest = value === null ? null : decodeSignature(walk, value, "base64", digestBytes.sha1, "sha1 digest");
    const content = digest === null ? null : readContent(walk);
    return digest === null || content === null ? null : matchHmac(walk, "sha1", [digest], content);
  },
};

function readContent(walk: Walk): Signed | null {
  const hashes = walk.request.query.split("&").filter((pair) => pair.startsWith("bodySHA256="));
  const urls = urlSpellings(walk);
  if (hashes.length === 0) {
    const fields = readFields(walk);
    return fields === null
      ? null
      : { template: "{url} and the body's fields", spellings: urls.map((url) => [url, fields]) };
  }
  return checkBodyHash(walk, hashes) ? { template: "{url}", spellings: urls.map((url) => [url]) } : null;
}

function readFields({ request: { body }, trace }: Walk): string | null {
  const json = /^\s*[[{]/.test(body.toString("latin1", 0, 64));
  const reason = "a JSON body without bodySHA256 in the query is not covered by the signature";
  if (json) return trace.fail("body", "is JSON, and the query has no bodySHA256 for it", reason);
  const fields = readForm(body);
  if (fields === null) return trace.fail("body", "is not a form in UTF-8", "body is not a form in UTF-8");
  trace.pass("body", `is a form of ${fields.size} names`);
  const names = [...fields.keys()].sort(byCodeUnits);
  return names
    .flatMap((name) => [...new Set(fields.get(name))].sort(byCodeUnits).map((value) => name + value))
    .join("");
}

const byCodeUnits = (a: string, b: string): number => Number(a > b) - Number(a < b);

function checkBodyHash({ request: { body }, trace }: Walk, [pair = "", ...more]: readonly string[]): boolean {
  const hash = more.length === 0 ? decodeHex(pair.slice("bodySHA256=".length)) : null;
  const matches =
    hash?.length === digestBytes.sha256 && timingSafeEqual(hash, createHash("sha256").update(body).digest());
  if (matches) trace.pass("bodySHA256", "is the body's SHA-256");
  else trace.fail("bodySHA256", "is not, or not once, the body's SHA-256", "bodySHA256 mismatch");
  return matches;
}

/** With and without port, and with the query's apostrophes as they came and escaped. */
function urlSpellings({ verification, request }: Walk): string[] {
  const escaped = { ...request, query: request.query.replaceAll("'", "%27") };
  const urls = [...signedUrls(verification, request), ...signedUrls(verification, escaped)];
  return [...new Set(urls.flatMap((url) => [withoutPort(url), withPort(url)]))];
}

const origin = /^(https:\/\/(?:\[[^\]]*\]|[^/:?]*))(:\d+)?/;

const withoutPort = (url: string): string => url.replace(origin, "$1");

const withPort = (url: string): string => url.replace(origin, (_, host: string, port = ":443") => host + port);

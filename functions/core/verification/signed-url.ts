import type { Verification } from "../model.js";
import type { FieldProblem, VerifiableRequest } from "./scheme.js";

const longestUrl = 2_048;

/** Printable ASCII without a query, a fragment or a user. */
const urlPattern = /^https:\/\/[A-Za-z0-9.\-_[\]:]+(\/[!$-.0-;=A-Z_a-z~/@]*)?$/;

/** What is wrong with `publicUrl`; empty when it is sound. */
export function publicUrlProblems({ publicUrl }: Verification): FieldProblem[] {
  if (publicUrl === undefined) return [];
  const sound = publicUrl.length <= longestUrl && urlPattern.test(publicUrl) && URL.canParse(publicUrl);
  const reason =
    "must be the source's URL exactly as the provider has it: https://HOST/PATH, without query, fragment, user or password";
  return sound ? [] : [{ field: "verification.publicUrl", reason }];
}

/**
 * The URL that the provider requested, as it may have signed it: the configured URL, the request's suffix and its raw
 * query; never the Host header, which the sender chooses. The gateway decodes the path, so that a suffix with escapes
 * has two spellings.
 */
export function signedUrls({ publicUrl = "" }: Verification, { suffix, query }: VerifiableRequest): string[] {
  const base = publicUrl.endsWith("/") && suffix.startsWith("/") ? publicUrl.slice(0, -1) : publicUrl;
  // A lone surrogate cannot be encoded; it becomes U+FFFD.
  const encoded = encodeURI(Buffer.from(suffix).toString());
  return [...new Set([suffix, encoded])].map((path) => `${base}${path}${query === "" ? "" : `?${query}`}`);
}

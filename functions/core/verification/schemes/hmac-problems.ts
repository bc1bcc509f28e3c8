import { headerName } from "../../header-list.js";
import type { HmacOptions, Verification } from "../../model.js";
import { digestBytes } from "../read-signature.js";
import type { FieldProblem } from "../scheme.js";
import { contentProblem } from "../signed-content.js";
import { publicUrlProblems } from "../signed-url.js";

/** What is wrong with the options of the generic scheme. Values of other types cannot come by the admin API. */
export function hmacProblems(verification: Verification): FieldProblem[] {
  const { hmac } = verification;
  if (hmac === undefined) return [];
  return [...formProblems(hmac), ...contentProblems(verification, hmac), ...publicUrlProblems(verification)];
}

const at = (name: string, reason: string): FieldProblem => ({ field: `verification.hmac.${name}`, reason });

function formProblems(options: HmacOptions): FieldProblem[] {
  const { prefix, algorithm, encoding, timestampUnit = "seconds", covers = "wire" } = options;
  const names = (["header", "timestampHeader", "idHeader"] as const).filter((field) => {
    const name = options[field];
    return name !== undefined && !headerName.test(name);
  });
  return [
    ...names.map((field) => at(field, "is not a legal header name")),
    ...(/^[ -~]*$/.test(prefix) ? [] : [at("prefix", "may hold printable ASCII characters only")]),
    ...(Object.hasOwn(digestBytes, algorithm) ? [] : [at("algorithm", "must be sha256, sha1 or sha512")]),
    ...(["hex", "base64", "base64url"].includes(encoding) ? [] : [at("encoding", "must be hex, base64 or base64url")]),
    ...(["seconds", "milliseconds"].includes(timestampUnit)
      ? []
      : [at("timestampUnit", "must be seconds or milliseconds")]),
    ...(["wire", "decoded"].includes(covers) ? [] : [at("covers", "must be wire or decoded")]),
  ];
}

/** Every option must have its place in the template, or it would seem to protect what it does not. */
function contentProblems(verification: Verification, options: HmacOptions): FieldProblem[] {
  const { content = "{body}", timestampHeader, timestampUnit, idHeader } = options;
  const reason = contentProblem(content);
  if (reason !== null) return [at("content", reason)];
  const holds = (name: string) => content.includes(`{${name}}`);
  return [
    ...agree("timestampHeader", timestampHeader !== undefined, holds("timestamp"), "{timestamp}"),
    ...agree("idHeader", idHeader !== undefined, holds("id"), "{id}"),
    ...(timestampUnit !== undefined && timestampHeader === undefined
      ? [at("timestampUnit", "goes with timestampHeader only")]
      : []),
    ...(verification.toleranceSeconds !== undefined && timestampHeader === undefined
      ? [{ field: "verification.toleranceSeconds", reason: "needs hmac.timestampHeader: nothing else says a time" }]
      : []),
    ...urlProblems(verification.publicUrl !== undefined, holds("url")),
  ];
}

function agree(name: string, given: boolean, used: boolean, place: string): FieldProblem[] {
  if (given === used) return [];
  return [at(name, used ? `is required: content holds ${place}` : `is not signed: put ${place} into content`)];
}

function urlProblems(given: boolean, used: boolean): FieldProblem[] {
  if (given === used) return [];
  const reason = used ? "is required: content holds {url}" : "is not signed: put {url} into hmac.content";
  return [{ field: "verification.publicUrl", reason }];
}

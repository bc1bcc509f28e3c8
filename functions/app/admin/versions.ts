import { AdminProblem, refusal } from "./problem.js";

/** A change without `If-Match` is applied to whatever is there; this often it is tried again when that moves. */
const mostTries = 5;

/** What a caller knows of the object that it changes: RFC 9110 §13.1. Null: it does not mind. */
export interface Preconditions {
  readonly ifMatch: string | null;
  /** `*` lets a PUT create, but not replace. */
  readonly ifNoneMatch: string | null;
}

/** 412 unless the stored version (null: there is no such object) is one that the caller counts on. */
export function requirePreconditions({ ifMatch, ifNoneMatch }: Preconditions, version: number | null): void {
  if (version === null) {
    if (ifMatch === null) return;
    throw refusal(412, "version_mismatch", "If-Match names a version, but there is no such object yet.");
  }
  if (ifMatch !== null && !matches(ifMatch, version)) {
    throw failed(
      "version_mismatch",
      version,
      `If-Match names another version than the stored one, which is ${version}.`,
    );
  }
  if (ifNoneMatch !== null && matches(ifNoneMatch, version)) {
    throw failed("already_exists", version, `There is such an object already, in version ${version}.`);
  }
}

function failed(code: "version_mismatch" | "already_exists", version: number, detail: string): AdminProblem {
  return new AdminProblem({ status: 412, code, detail, headers: { etag: etagOf(version) } });
}

/** Entity tag of a version (strong, RFC 9110 §8.8.3). */
export const etagOf = (version: number): string => `"${version}"`;

/** `*`, or a list of entity tags; a bare number is taken for one, since shells make quotes hard. */
const matches = (tags: string, version: number): boolean =>
  tags.split(",").some((tag) => [`*`, etagOf(version), String(version)].includes(tag.trim()));

/** Reads, decides and writes until nobody else wrote in between; `attempt` gives null when somebody did. */
export async function untilUnchanged<Result>(attempt: () => Promise<Result | null>): Promise<Result> {
  for (let tries = 0; tries < mostTries; tries += 1) {
    const result = await attempt();
    if (result !== null) return result;
  }
  throw refusal(409, "changed_meanwhile", "Somebody else is changing the same object: read it and try again.");
}

import { AdminProblem, refusal } from "./problem.js";

/** A change without `If-Match` is applied to whatever is there; this often it is tried again when that moves. */
const mostTries = 5;

/** 412 unless the caller's `If-Match` names the version that is stored. Null: the caller does not mind. */
export function requireVersion(ifMatch: string | null, version: number): void {
  if (ifMatch === null || matches(ifMatch, version)) return;
  throw new AdminProblem({
    status: 412,
    code: "version_mismatch",
    detail: `If-Match names another version than the stored one, which is ${version}.`,
    headers: { etag: etagOf(version) },
  });
}

/** Entity tag of a version (strong, RFC 9110 §8.8.3). */
export const etagOf = (version: number): string => `"${version}"`;

/** `*`, or a list of entity tags; a bare number is taken for one, since shells make quotes hard. */
const matches = (ifMatch: string, version: number): boolean =>
  ifMatch.split(",").some((tag) => [`*`, etagOf(version), String(version)].includes(tag.trim()));

/** Reads, decides and writes until nobody else wrote in between; `attempt` gives null when somebody did. */
export async function untilUnchanged<Result>(attempt: () => Promise<Result | null>): Promise<Result> {
  for (let tries = 0; tries < mostTries; tries += 1) {
    const result = await attempt();
    if (result !== null) return result;
  }
  throw refusal(409, "changed_meanwhile", "Somebody else is changing the same object: read it and try again.");
}

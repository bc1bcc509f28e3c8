import { connectionHeaders } from "./droppable-headers.js";
import { headerName } from "./header-list.js";

/** Headers that a subscription adds to its requests, as its owner writes them; a secret without a value: the stored one. */
export type CustomHeaderInput = Readonly<
  Record<string, string | { readonly secret: true; readonly value?: string | undefined }>
>;

/** What is wrong with one of them. Values are never part of it. */
export interface HeaderProblem {
  readonly field: string;
  readonly reason: string;
  readonly fix?: string;
}

/** Room for keys, tenants and a token; a destination's own limit is often 8 KB for all headers together. */
const mostHeaders = 20;
const longestName = 128;
const longestValue = 4_096;
const mostBytes = 8_192;
/** Shorter secrets could not be told from words, so they could not be kept out of what is shown of an answer. */
const shortestSecret = 8;

/** The relay sets these itself, or drops them. */
const ownPrefixes: readonly string[] = ["proxy-", "webhook-", "steadyhook-"];

/** Headers that hold nothing but credentials. */
const credentials: readonly string[] = ["authorization", "cookie"];

export function customHeaderProblems(headers: CustomHeaderInput): readonly HeaderProblem[] {
  const entries = Object.entries(headers);
  const bytes = entries.reduce((sum, [name, value]) => sum + name.length + textOf(value).length, 0);
  const tooMany = entries.length > mostHeaders ? `has ${entries.length} headers; ${mostHeaders} are the most` : null;
  const tooLong = bytes > mostBytes ? `has ${bytes} bytes of names and values; ${mostBytes} are the most` : null;
  return [
    ...[tooMany, tooLong].flatMap((reason) => (reason === null ? [] : [{ field: "headers", reason }])),
    ...entries.flatMap(([name, value]) => {
      const problem = nameProblem(name) ?? valueProblem(name, value);
      return problem === null ? [] : [{ field: `headers.${name.slice(0, longestName)}`, ...problem }];
    }),
  ];
}

const textOf = (value: CustomHeaderInput[string]): string => (typeof value === "string" ? value : (value.value ?? ""));

type Problem = Omit<HeaderProblem, "field"> | null;

function nameProblem(name: string): Problem {
  if (!headerName.test(name)) return { reason: "is not a header's name" };
  if (name.length > longestName) return { reason: `has a name of more than ${longestName} characters` };
  const isOwn = connectionHeaders.includes(name) || ownPrefixes.some((prefix) => name.startsWith(prefix));
  return isOwn ? { reason: "is set by the relay itself, or ends at it" } : null;
}

function valueProblem(name: string, value: CustomHeaderInput[string]): Problem {
  const text = textOf(value);
  const isSecret = typeof value !== "string";
  if (!isSecret && credentials.includes(name)) {
    return { reason: "is a credential and must be secret", fix: 'Write {"secret": true, "value": "…"}.' };
  }
  if (isSecret && value.value === undefined) return null;
  if (text.length > longestValue) return { reason: `must have at most ${longestValue} characters` };
  if (!/^[\t\x20-\x7e]*$/.test(text)) return { reason: "must be printable ASCII" };
  if (text !== text.trim()) return { reason: "has white space around it: remove it" };
  if (!isSecret || text.length >= shortestSecret) return null;
  return { reason: `must have at least ${shortestSecret} characters: a shorter one cannot be kept out of previews` };
}

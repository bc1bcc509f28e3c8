import { headerName } from "../header-list.js";

/** What a generic signature covers, as data: `"{timestamp}.{body}"` has three parts. */
export type ContentPart =
  | { readonly kind: "text" | "header"; readonly value: string }
  | { readonly kind: "timestamp" | "id" | "url" | "method" | "body" };

const placeholder = /\{(timestamp|id|url|method|body|header:([^{}]*))\}/g;

/** The parts of a template; null when it has a brace that belongs to no placeholder. */
export function parseContent(template: string): ContentPart[] | null {
  const parts: ContentPart[] = [];
  let end = 0;
  for (const match of template.matchAll(placeholder)) {
    parts.push({ kind: "text", value: template.slice(end, match.index) }, readPlaceholder(match));
    end = match.index + match[0].length;
  }
  parts.push({ kind: "text", value: template.slice(end) });
  return parts.every((part) => part.kind !== "text" || !/[{}]/.test(part.value)) ? parts : null;
}

function readPlaceholder([, name = "", header]: RegExpMatchArray): ContentPart {
  if (header !== undefined) return { kind: "header", value: header };
  return { kind: name as "timestamp" | "id" | "url" | "method" | "body" };
}

/** What is wrong with a template, as a reason; null when it is sound. */
export function contentProblem(template: string): string | null {
  const parts = parseContent(template);
  if (parts === null) {
    return "may hold {timestamp}, {id}, {url}, {method}, {header:NAME} and {body}, and no other braces";
  }
  if (parts.some((part) => part.kind === "header" && !headerName.test(part.value))) {
    return "names a header that is not legal";
  }
  const bodies = parts.filter(({ kind }) => kind === "body").length;
  return bodies === 1 ? null : "must hold {body} exactly once: without it anybody could change the body";
}

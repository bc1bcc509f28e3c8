import type { AdminProblem, ProblemDetails } from "../app/admin/problem.js";

/** What the gateway makes an HTTP response of (payload 2.0). */
export interface HttpAnswer {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly isBase64Encoded?: boolean;
}

/** Nothing that the admin API says is for a cache, or to be taken for another type than it names. */
const everyAnswer = { "cache-control": "no-store", "x-content-type-options": "nosniff" };

export function json(statusCode: number, value: unknown, headers: Readonly<Record<string, string>> = {}): HttpAnswer {
  return {
    statusCode,
    headers: { "content-type": "application/json", ...everyAnswer, ...headers },
    body: JSON.stringify(value),
  };
}

export const noContent: HttpAnswer = { statusCode: 204, headers: everyAnswer, body: "" };

export function redirect(location: string): HttpAnswer {
  return { statusCode: 302, headers: { ...everyAnswer, location }, body: "" };
}

/**
 * Bytes that somebody else sent us: always a download, never a page. The type that the sender gave it is shown beside
 * it, but is not the type of this answer.
 */
export function attachment(fileName: string, body: Buffer, contentType: string | null): HttpAnswer {
  return {
    statusCode: 200,
    headers: {
      ...everyAnswer,
      "content-type": "application/octet-stream",
      "content-disposition": `attachment; filename="${fileName}"`,
      "content-security-policy": "sandbox; default-src 'none'",
      ...(contentType === null ? {} : { "steadyhook-original-content-type": legalHeaderValue(contentType) }),
    },
    body: body.toString("base64"),
    isBase64Encoded: true,
  };
}

const legalHeaderValue = (value: string): string => value.replaceAll(/[^ -~]/g, "?").slice(0, 256);

const titles: Readonly<Record<number, string>> = {
  400: "Bad Request",
  404: "Not Found",
  405: "Method Not Allowed",
  409: "Conflict",
  410: "Gone",
  412: "Precondition Failed",
  413: "Content Too Large",
  415: "Unsupported Media Type",
  500: "Internal Server Error",
};

/** An RFC 9457 problem document: `code` says what happened, the title what its status says (§4.2.1). */
export function problem({ status, code, detail, errors, headers }: ProblemDetails): HttpAnswer {
  const title = titles[status] ?? "Error";
  const document = { type: "about:blank", title, status, detail, code, ...(errors ? { errors } : {}) };
  return json(status, document, { ...headers, "content-type": "application/problem+json" });
}

export const refused = ({ details }: AdminProblem): HttpAnswer => problem(details);

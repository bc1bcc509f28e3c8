export interface ConsoleAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/** Answers are for the page's script: never shown as a page, never kept. */
export const answerHeaders: Readonly<Record<string, string>> = {
  "cache-control": "no-store",
  "x-content-type-options": "nosniff",
  "content-security-policy": "sandbox; default-src 'none'; frame-ancestors 'none'",
  "cross-origin-resource-policy": "same-origin",
  "referrer-policy": "no-referrer",
};

/** A refusal in the form of the admin API's. */
export function problemAnswer(status: number, code: string, detail: string): ConsoleAnswer {
  const body = Buffer.from(JSON.stringify({ type: "about:blank", title: "Console", status, code, detail }));
  return { status, headers: { ...answerHeaders, "content-type": "application/problem+json" }, body };
}

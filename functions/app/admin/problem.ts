import type { problemCodes } from "./problem-codes.js";

/** Stable: what a program should look at. */
export type ProblemCode = keyof typeof problemCodes;

/** What is wrong with one field of a request. */
export interface FieldProblem {
  /** Path inside the request, e.g. `policy.schedule.delaysSeconds[2]`; empty: the request as a whole. */
  readonly field: string;
  /** A sentence without its subject, which is the field. Never shows a value that may be secret. */
  readonly reason: string;
  readonly fix?: string;
}

export interface ProblemDetails {
  readonly status: number;
  readonly code: ProblemCode;
  readonly detail: string;
  readonly errors?: readonly FieldProblem[];
  readonly headers?: Readonly<Record<string, string>>;
}

/** Thrown by a use case that refuses a request: it becomes the answer. Nothing has been written. */
export class AdminProblem extends Error {
  override readonly name = "AdminProblem";

  constructor(readonly details: ProblemDetails) {
    super(details.detail);
  }
}

/** 400 with every field that is wrong. */
export function invalidRequest(errors: readonly FieldProblem[]): AdminProblem {
  const [first] = errors;
  const named = first === undefined ? "" : `: ${first.field === "" ? "the request" : first.field} ${first.reason}`;
  const rest = errors.length > 1 ? ` (and ${errors.length - 1} more)` : "";
  return new AdminProblem({
    status: 400,
    code: "invalid_request",
    detail: `The request is not valid${named}${rest}.`,
    errors,
  });
}

/** 404 for one kind of object. */
export function unknown(
  code: `unknown_${"source" | "subscription" | "secret" | "delivery" | "event" | "fault" | "replay"}`,
  id: string,
): AdminProblem {
  const kind = code.slice("unknown_".length);
  return new AdminProblem({ status: 404, code, detail: `There is no ${kind} "${id}".` });
}

/** 409 or another refusal that concerns no single field. */
export function refusal(status: number, code: ProblemCode, detail: string): AdminProblem {
  return new AdminProblem({ status, code, detail });
}

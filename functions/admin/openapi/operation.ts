import type { GenericSchema } from "valibot";
import type { ProblemCode } from "../../app/admin/problem.js";
import type { AnswerName, InputName } from "./components.js";

/** What the route table does not say of an operation. */
export interface Operation {
  readonly summary: string;
  readonly description?: string;
  readonly query?: { readonly entries: Readonly<Record<string, GenericSchema>> };
  readonly body?: { readonly schema: InputName; readonly example: unknown; readonly optional?: true };
  /** Takes Idempotency-Key. */
  readonly idempotencyKey?: true;
  /** Takes no fields, and is marked as JSON all the same. */
  readonly emptyJson?: true;
  /** Takes If-Match; `put`: If-None-Match too. */
  readonly conditional?: true | "put";
  readonly answers: readonly Answer[];
  readonly problems: readonly ProblemCode[];
}

export interface Answer {
  readonly status: 200 | 201 | 202 | 204 | 302;
  readonly description: string;
  readonly schema?: AnswerName;
  readonly example?: unknown;
  /** Another content type than JSON. */
  readonly bytes?: true;
  readonly etag?: true;
  readonly location?: true;
}

import { classifyError, classifyStatus, isGone, transportErrors } from "./classify.js";
import type { RetryPolicy, TransportError } from "./model.js";

/** Status codes from `from` to `to`, both included. */
export interface StatusRange {
  readonly from: number;
  readonly to: number;
}

/** What becomes of an attempt by its answer. */
type Fate = "delivered" | "retried" | "never" | "disables";

/** What a policy makes of every status code and of every typed error. */
export interface RetriedAnswers {
  readonly delivered: readonly StatusRange[];
  readonly retried: readonly StatusRange[];
  /** A dead letter at once, whatever is left of the attempts. */
  readonly never: readonly StatusRange[];
  /** 410 where the policy believes it: the subscription is disabled, its deliveries are parked. */
  readonly disables: readonly StatusRange[];
  readonly retriedErrors: readonly TransportError[];
  readonly neverErrors: readonly TransportError[];
}

/** Three digits: the codes that an HTTP response can have (RFC 9110 §15). */
const codes = Array.from({ length: 900 }, (_, index) => 100 + index);

export function retriedAnswers(policy: RetryPolicy): RetriedAnswers {
  const fates = codes.map((code) => fateOf(policy, code));
  const ranges = (fate: Fate) => rangesOf(codes.filter((_, index) => fates[index] === fate));
  const errors = (outcome: string) => transportErrors.filter((error) => classifyError(error) === outcome);
  return {
    delivered: ranges("delivered"),
    retried: ranges("retried"),
    never: ranges("never"),
    disables: ranges("disables"),
    retriedErrors: errors("retryable"),
    neverErrors: errors("permanent"),
  };
}

function fateOf(policy: RetryPolicy, code: number): Fate {
  if (isGone(policy, code)) return "disables";
  const outcome = classifyStatus(policy, code);
  if (outcome === "delivered") return "delivered";
  return outcome === "permanent" ? "never" : "retried";
}

function rangesOf(ascending: readonly number[]): readonly StatusRange[] {
  return ascending
    .filter((code, index) => ascending[index - 1] !== code - 1)
    .map((from) => {
      let to = from;
      while (ascending.includes(to + 1)) to += 1;
      return { from, to };
    });
}

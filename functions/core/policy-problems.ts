import type { RetryPolicy, Schedule } from "./model.js";
import { longestDelaySeconds } from "./policy.js";

/** What is wrong with one field, as a sentence that says how to put it right. */
export interface PolicyProblem {
  /** Path inside the policy, e.g. `schedule.delaysSeconds[2]`. */
  readonly field: string;
  readonly reason: string;
}

/** More entries than any schedule needs, few enough to keep the subscription's item small. */
const longestTable = 100;
const mostAttempts = 1000;

/** Everything that contradicts itself or cannot be carried out in a complete policy; empty when it is sound. */
export function policyProblems(policy: RetryPolicy): PolicyProblem[] {
  return [
    ...scheduleProblems(policy.schedule),
    ...capProblems(policy),
    ...(policy.jitter >= 0 && policy.jitter <= 1 ? [] : [problem("jitter", "must be a number from 0 to 1")]),
    ...attemptProblems(policy.maxAttempts),
    ...(policy.maxAgeSeconds === null ? [] : secondsProblems("maxAgeSeconds", policy.maxAgeSeconds)),
    ...secondsProblems("retryAfterCapSeconds", policy.retryAfterCapSeconds),
    ...statusListProblems("retryOn", policy.retryOn),
    ...statusListProblems("neverRetry", policy.neverRetry),
    ...contradictions(policy),
  ];
}

const problem = (field: string, reason: string): PolicyProblem => ({ field, reason });

function secondsProblems(field: string, value: number): PolicyProblem[] {
  if (Number.isFinite(value) && value > 0 && value <= longestDelaySeconds) return [];
  return [problem(field, `must be a number of seconds above 0 and at most ${longestDelaySeconds} (365 days)`)];
}

function scheduleProblems(schedule: Schedule): PolicyProblem[] {
  if (schedule.kind !== "table") return secondsProblems("schedule.baseSeconds", schedule.baseSeconds);
  const { length } = schedule.delaysSeconds;
  if (length < 1 || length > longestTable) {
    return [problem("schedule.delaysSeconds", `must list 1 to ${longestTable} delays; it lists ${length}`)];
  }
  return schedule.delaysSeconds.flatMap((delay, index) => secondsProblems(`schedule.delaysSeconds[${index}]`, delay));
}

/** A cap below the first delay makes every delay the cap: the schedule that was written down would never be used. */
function capProblems({ capSeconds, schedule }: RetryPolicy): PolicyProblem[] {
  if (capSeconds === null) return [];
  const invalid = secondsProblems("capSeconds", capSeconds);
  if (invalid.length > 0) return invalid;
  const delays = schedule.kind === "table" ? schedule.delaysSeconds : [schedule.baseSeconds];
  const first = Math.min(...delays);
  if (delays.length === 0 || !(capSeconds < first)) return [];
  const name = schedule.kind === "table" ? "every delay" : "baseSeconds";
  return [problem("capSeconds", `${capSeconds} is below ${name} (${first}): raise the cap or shorten the schedule`)];
}

function attemptProblems(maxAttempts: number): PolicyProblem[] {
  const sound = Number.isInteger(maxAttempts) && maxAttempts >= 1 && maxAttempts <= mostAttempts;
  return sound ? [] : [problem("maxAttempts", `must be a whole number from 1 to ${mostAttempts}`)];
}

function statusListProblems(field: "retryOn" | "neverRetry", codes: readonly number[]): PolicyProblem[] {
  return codes.flatMap((code, index) =>
    Number.isInteger(code) && code >= 300 && code <= 599
      ? []
      : [problem(`${field}[${index}]`, "must be a status code from 300 to 599: a 2xx is always a success")],
  );
}

function contradictions({ retryOn, neverRetry }: RetryPolicy): PolicyProblem[] {
  const both = [...new Set(retryOn)].filter((code) => neverRetry.includes(code));
  return both.map((code) => problem("retryOn", `${code} stands in neverRetry too: take it out of one of them`));
}

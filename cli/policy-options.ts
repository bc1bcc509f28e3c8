import { type Command, Option } from "commander";
import { given, type JsonObject } from "./json-document.js";
import { number, numbers, orNone, schedule as parseSchedule, seconds } from "./option-values.js";

/** Options for the fields of a retry policy, its preset apart. Null: `none` was said. */
export interface PolicyOptions {
  readonly schedule?: object | null;
  readonly cap?: number | null;
  readonly jitter?: number | null;
  readonly maxAttempts?: number | null;
  readonly maxAge?: number | null;
  readonly rules?: string;
  readonly retryOn?: readonly number[] | null;
  readonly neverRetry?: readonly number[] | null;
  readonly retryAfterCap?: number | null;
  readonly disableOnGone?: boolean;
}

export function addPolicyOptions(command: Command, heading: string): Command {
  const option = (flags: string, meaning: string, parse: (value: string) => unknown) =>
    command.addOption(new Option(flags, meaning).argParser(orNone(parse)).helpGroup(heading));
  const flag = (flags: string, meaning: string) => command.addOption(new Option(flags, meaning).helpGroup(heading));

  option("--schedule <schedule>", "fixed:30, linear:30, exponential:30 or table:1m,5m,1h", parseSchedule);
  option("--cap <duration>", "longest computed delay", seconds);
  option("--jitter <fraction>", "0 to 1", number);
  option("--max-attempts <n>", "the first one counts", number);
  option("--max-age <duration>", "time from receipt to the last attempt", seconds);
  command.addOption(
    new Option("--rules <set>", "which failures are worth another attempt")
      .choices(["strict", "lenient"])
      .helpGroup(heading),
  );
  option("--retry-on <codes>", "status codes to retry all the same, such as 409,423", numbers);
  option("--never-retry <codes>", "status codes never to retry", numbers);
  option("--retry-after-cap <duration>", "most that a Retry-After may ask for", seconds);
  flag("--disable-on-gone", "a 410 disables the subscription");
  flag("--no-disable-on-gone", "a 410 is a failure like others");
  return command;
}

/** The policy's fields: what was said, and nothing else. */
export function policyFieldsOf(options: PolicyOptions): JsonObject {
  const { jitter, maxAttempts, rules, retryOn, neverRetry, disableOnGone } = options;
  const { cap: capSeconds, maxAge: maxAgeSeconds, retryAfterCap: retryAfterCapSeconds } = options;
  const durations = { capSeconds, maxAgeSeconds, retryAfterCapSeconds };
  const { schedule } = options;
  return given({ schedule, ...durations, jitter, maxAttempts, rules, retryOn, neverRetry, disableOnGone });
}

/** How the sink answers a request, read from its query. */
export interface SinkScript {
  /** Status while the script applies. */
  readonly status: number;
  /** How many first requests per `webhook-id` get that status, then 200; null: every one. */
  readonly times: number | null;
  /** Seconds in the Retry-After header of those answers; null: no header. */
  readonly retryAfterSeconds: number | null;
  /** Wait before the answer. */
  readonly delaySeconds: number;
  /** Response body; null: a JSON acknowledgement. */
  readonly body: string | null;
}

/** A parameter that the sink cannot follow. */
export interface SinkScriptProblem {
  readonly parameter: string;
  readonly reason: string;
}

const limits: Record<string, readonly [least: number, most: number]> = {
  status: [200, 599],
  times: [1, 1000],
  retryAfter: [0, 86_400],
  delay: [0, 120],
};

/**
 * `?status=503&times=2`, `?retryAfter=5`, `?delay=3`, `?body=…` and combinations. `retryAfter` alone means one 503;
 * other parameters are the sender's own and mean nothing here.
 */
export function sinkScript(rawQueryString: string): SinkScript | SinkScriptProblem {
  const query = new URLSearchParams(rawQueryString);
  const numbers: Record<string, number | null> = {};
  for (const [parameter, [least, most]] of Object.entries(limits)) {
    const text = query.get(parameter);
    const value = text === null ? null : Number(text);
    const whole = parameter === "delay" || Number.isInteger(value);
    if (value !== null && (text?.trim() === "" || !whole || !(value >= least && value <= most))) {
      const kind = parameter === "delay" ? "a number" : "a whole number";
      return { parameter, reason: `must be ${kind} from ${least} to ${most}` };
    }
    numbers[parameter] = value;
  }
  const { status, times, retryAfter, delay } = numbers;
  const failing = status ?? (retryAfter != null || times != null ? 503 : 200);
  return {
    status: failing,
    times: times ?? (status == null && retryAfter != null ? 1 : null),
    retryAfterSeconds: retryAfter ?? null,
    delaySeconds: delay ?? 0,
    body: query.get("body"),
  };
}

import { randomUUID } from "node:crypto";
import type { FunctionPool } from "./function-pool.js";
import { accountId, region } from "./local-account.js";
import type { TimerWiring } from "./wiring.js";

/** A restart soon brings the first run, so that what waited for it does not wait for a whole period again. */
const firstRunMs = 5_000;

/** Runs a function by the clock, one run at a time; the answer stops it. */
export function startTimer(
  timer: TimerWiring,
  pool: FunctionPool,
  report: (label: string, text: string) => void,
): () => void {
  let running = false;
  const run = async (): Promise<void> => {
    if (running) return;
    running = true;
    const result = await pool.invoke(timer.input === null ? scheduledEvent(timer) : JSON.parse(timer.input));
    running = false;
    if (!result.ok) report("timer", `${timer.name} failed: ${result.errorType}: ${result.errorMessage}`);
  };
  const first = setTimeout(() => void run(), firstRunMs);
  const period = setInterval(() => void run(), timer.everySeconds * 1000);
  return () => {
    clearTimeout(first);
    clearInterval(period);
  };
}

/** What EventBridge sends when the rule gives no input. */
function scheduledEvent(timer: TimerWiring): Record<string, unknown> {
  return {
    version: "0",
    id: randomUUID(),
    "detail-type": "Scheduled Event",
    source: "aws.events",
    account: accountId,
    time: `${new Date().toISOString().slice(0, 19)}Z`,
    region,
    resources: [`arn:aws:events:${region}:${accountId}:rule/${timer.name}`],
    detail: {},
  };
}

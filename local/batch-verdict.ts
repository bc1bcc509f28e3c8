import type { InvocationResult } from "./function-worker.js";

/** Which messages of a batch stay on the queue. */
export interface BatchVerdict {
  readonly failedIds: ReadonlySet<string>;
  /** A sentence for the log when the whole batch failed; null otherwise. */
  readonly problem: string | null;
}

/**
 * Reads a function's answer to a batch as Lambda does. With ReportBatchItemFailures null, an empty object and an empty
 * list mean success; an unknown, empty or repeated-but-wrong `itemIdentifier` and any other shape fail the whole batch.
 */
export function batchVerdict(
  result: InvocationResult,
  messageIds: readonly string[],
  reportsItemFailures: boolean,
): BatchVerdict {
  const wholeBatch = (why: string): BatchVerdict => ({
    failedIds: new Set(messageIds),
    problem: `a batch of ${messageIds.length} failed as a whole: ${why}`,
  });
  if (!result.ok) return wholeBatch(`${result.errorType}: ${result.errorMessage}`);
  const success: BatchVerdict = { failedIds: new Set(), problem: null };
  if (!reportsItemFailures) return success;
  const answer: unknown = JSON.parse(result.payload);
  if (answer === null) return success;
  if (typeof answer !== "object" || Array.isArray(answer)) return wholeBatch("the answer is not an object");
  const failures = (answer as Record<string, unknown>)["batchItemFailures"];
  if (failures === undefined || failures === null) return success;
  if (!Array.isArray(failures)) return wholeBatch("batchItemFailures is not a list");
  const failedIds = new Set<string>();
  for (const failure of failures as Array<{ itemIdentifier?: unknown } | null>) {
    const id = failure?.itemIdentifier;
    if (typeof id !== "string" || !messageIds.includes(id)) return wholeBatch(`itemIdentifier ${JSON.stringify(id)}`);
    failedIds.add(id);
  }
  return { failedIds, problem: null };
}

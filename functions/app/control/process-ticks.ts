import { decodeRelease } from "../messages.js";
import { type ReleaseContext, releaseParked } from "./release-parked.js";

/** One SQS record of the control queue. */
export interface TickRecord {
  readonly messageId: string;
  readonly body: string;
}

/** Works on ticks one after the other; returns the ids of those that failed on our side, to be received again. */
export async function processTicks(
  context: ReleaseContext,
  records: readonly TickRecord[],
): Promise<readonly string[]> {
  const failed: string[] = [];
  for (const { messageId, body } of records) {
    try {
      await releaseParked(context, decodeRelease(body));
    } catch (error) {
      context.log("error", "tick not processed", { messageId, error });
      failed.push(messageId);
    }
  }
  return failed;
}

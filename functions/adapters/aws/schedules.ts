import type { SchedulerClient } from "@aws-sdk/client-scheduler";
import { encodeMessage } from "../../app/messages.js";
import type { DeliveryMessage, RetryScheduler } from "../../app/ports.js";

export interface ScheduleSettings {
  readonly groupName: string;
  readonly queueArn: string;
  /** Role that EventBridge Scheduler assumes to send to the queue. */
  readonly roleArn: string;
}

/** One-time schedules of EventBridge Scheduler. They fire within 60 s after their time. Its SDK is loaded by the first. */
export class SchedulerSchedules implements RetryScheduler {
  constructor(
    private readonly client: () => Promise<SchedulerClient>,
    private readonly settings: ScheduleSettings,
  ) {}

  async scheduleDelivery(name: string, message: DeliveryMessage, atMs: number): Promise<void> {
    const [{ ConflictException, CreateScheduleCommand }, client] = await Promise.all([
      import("./scheduler.js"),
      this.client(),
    ]);
    try {
      await client.send(
        new CreateScheduleCommand({
          Name: name,
          GroupName: this.settings.groupName,
          ScheduleExpression: atExpression(atMs),
          ScheduleExpressionTimezone: "UTC",
          FlexibleTimeWindow: { Mode: "OFF" },
          // Without it a schedule that has fired stays, and the account's quota fills up.
          ActionAfterCompletion: "DELETE",
          Target: {
            Arn: this.settings.queueArn,
            RoleArn: this.settings.roleArn,
            Input: encodeMessage(message),
          },
        }),
      );
    } catch (error) {
      // The name is the attempt's identity: whoever created it, the attempt is scheduled.
      if (error instanceof ConflictException) return;
      throw error;
    }
  }
}

/** `at(…)` takes whole seconds without a zone; rounded up, since a message that comes early is only sent again. */
function atExpression(atMs: number): string {
  const wholeSecond = new Date(Math.ceil(atMs / 1000) * 1000);
  return `at(${wholeSecond.toISOString().slice(0, "yyyy-mm-ddThh:mm:ss".length)})`;
}

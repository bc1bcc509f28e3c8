import { GetQueueAttributesCommand, type SQSClient } from "@aws-sdk/client-sqs";
import type { QueueDepth, QueueDepths, QueueName } from "../../app/admin/ports.js";

/** How much waits in each queue, as SQS estimates it. */
export class SqsQueueDepths implements QueueDepths {
  constructor(
    private readonly client: () => SQSClient,
    private readonly urls: Readonly<Record<QueueName, string>>,
  ) {}

  async depths(): Promise<Readonly<Record<QueueName, QueueDepth>>> {
    const entries = Object.entries(this.urls).map(async ([name, url]) => [name, await this.depthOf(url)] as const);
    return Object.fromEntries(await Promise.all(entries)) as Record<QueueName, QueueDepth>;
  }

  private async depthOf(url: string): Promise<QueueDepth> {
    const { Attributes: found = {} } = await this.client().send(
      new GetQueueAttributesCommand({
        QueueUrl: url,
        AttributeNames: [
          "ApproximateNumberOfMessages",
          "ApproximateNumberOfMessagesDelayed",
          "ApproximateNumberOfMessagesNotVisible",
        ],
      }),
    );
    return {
      visible: Number(found["ApproximateNumberOfMessages"] ?? 0),
      delayed: Number(found["ApproximateNumberOfMessagesDelayed"] ?? 0),
      inFlight: Number(found["ApproximateNumberOfMessagesNotVisible"] ?? 0),
    };
  }
}

import { DynamoDBClient, ListTablesCommand, QueryCommand } from "@aws-sdk/client-dynamodb";
import { ListSchedulesCommand, SchedulerClient } from "@aws-sdk/client-scheduler";
import { GetQueueAttributesCommand, ListQueuesCommand, ReceiveMessageCommand, SQSClient } from "@aws-sdk/client-sqs";
import { duePartition } from "../../functions/adapters/aws/keys.js";
import { indexShards, tableLayout } from "../../functions/shared/table-layout.js";

/** What lies in the relay's queues, schedules and faults, seen from outside by the AWS SDK. */
export interface Aftermath {
  /** Messages in the queues that work comes from, visible or not, and schedules. */
  readonly pending: number;
  readonly faults: number;
}

/** Looks at the local AWS endpoint of a running relay. */
export class AwsView {
  private readonly sqs: SQSClient;
  private readonly dynamodb: DynamoDBClient;
  private readonly scheduler: SchedulerClient;

  constructor(endpoint: string) {
    const settings = { endpoint, region: "us-east-1", credentials: { accessKeyId: "any", secretAccessKey: "any" } };
    this.sqs = new SQSClient(settings);
    this.dynamodb = new DynamoDBClient(settings);
    this.scheduler = new SchedulerClient(settings);
  }

  async aftermath(): Promise<Aftermath> {
    const urls = await this.queueUrls();
    const counts = await Promise.all(urls.filter((url) => !isDeadLetterQueue(url)).map((url) => this.messagesIn(url)));
    const { Schedules = [] } = await this.scheduler.send(new ListSchedulesCommand({}));
    const pending = counts.reduce((sum, count) => sum + count, Schedules.length);
    return { pending, faults: await this.faults() };
  }

  /** Ids of the deliveries that are named on the dead-letter queue, once each. Takes the messages. */
  async deadLetters(): Promise<ReadonlySet<string>> {
    const found = new Set<string>();
    const QueueUrl = (await this.queueUrls()).find(isDeadLetterQueue);
    for (;;) {
      const { Messages = [] } = await this.sqs.send(new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: 10 }));
      if (Messages.length === 0) return found;
      for (const { Body } of Messages) found.add((JSON.parse(Body ?? "{}") as { deliveryId: string }).deliveryId);
    }
  }

  close(): void {
    for (const client of [this.sqs, this.dynamodb, this.scheduler]) client.destroy();
  }

  private async queueUrls(): Promise<readonly string[]> {
    return (await this.sqs.send(new ListQueuesCommand({}))).QueueUrls ?? [];
  }

  private async messagesIn(QueueUrl: string): Promise<number> {
    const { Attributes = {} } = await this.sqs.send(
      new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ["All"] }),
    );
    const names = ["", "NotVisible", "Delayed"].map((which) => `ApproximateNumberOfMessages${which}`);
    return names.reduce((sum, name) => sum + Number((Attributes as Record<string, string>)[name] ?? 0), 0);
  }

  private async faults(): Promise<number> {
    const { name, partitionKey } = tableLayout.indexes.due;
    let found = 0;
    for (let shard = 0; shard < indexShards; shard++) {
      const answer = await this.dynamodb.send(
        new QueryCommand({
          TableName: await this.tableName(),
          IndexName: name,
          KeyConditionExpression: `${partitionKey} = :list`,
          ExpressionAttributeValues: { ":list": { S: duePartition("FAULT", shard) } },
        }),
      );
      found += answer.Count ?? 0;
    }
    return found;
  }

  private async tableName(): Promise<string> {
    return (await this.dynamodb.send(new ListTablesCommand({}))).TableNames?.[0] ?? "";
  }
}

const isDeadLetterQueue = (url: string): boolean => url.toLowerCase().includes("deadletter");

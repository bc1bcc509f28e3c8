import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  CreateTableCommand,
  type CreateTableCommandInput,
  DescribeTableCommand,
  DynamoDBClient,
} from "@aws-sdk/client-dynamodb";
import { KMSClient } from "@aws-sdk/client-kms";
import { S3Client } from "@aws-sdk/client-s3";
import { SchedulerClient } from "@aws-sdk/client-scheduler";
import { SQSClient } from "@aws-sdk/client-sqs";
import { expect, onTestFinished, vi } from "vitest";
import type { LocalClock } from "../../../local/aws/clock.js";
import { type LocalAws, type LocalAwsOptions, startLocalAws } from "../../../local/aws/endpoint.js";

/** A clock that stands until a test moves it. */
export interface ManualClock extends LocalClock {
  /** Moves on, running what becomes due in its order. */
  advance(milliseconds: number): void;
  /** Resolves when the next timer is set: somebody waits now. */
  nextTimer(): Promise<void>;
}

export function manualClock(startMs = Date.UTC(2026, 0, 15, 12)): ManualClock {
  let nowMs = startMs;
  let timers: { readonly timeMs: number; readonly callback: () => void }[] = [];
  let watchers: (() => void)[] = [];
  return {
    now: () => nowMs,
    at(timeMs, callback) {
      const timer = { timeMs, callback };
      timers.push(timer);
      for (const watcher of watchers) watcher();
      watchers = [];
      return () => {
        timers = timers.filter((other) => other !== timer);
      };
    },
    advance(milliseconds) {
      const endMs = nowMs + milliseconds;
      for (;;) {
        const [next] = timers.filter((timer) => timer.timeMs <= endMs).sort((a, b) => a.timeMs - b.timeMs);
        if (next === undefined) break;
        timers = timers.filter((timer) => timer !== next);
        nowMs = Math.max(nowMs, next.timeMs);
        next.callback();
      }
      nowMs = endMs;
    },
    nextTimer: () => new Promise((resolve) => watchers.push(resolve)),
  };
}

/** A folder of its own for the running test. */
export async function aDataDir(): Promise<string> {
  const dataDir = await mkdtemp(join(tmpdir(), "local-aws-"));
  onTestFinished(() => rm(dataDir, { recursive: true, force: true }));
  return dataDir;
}

/** The endpoint for the running test; closed when the test ends, if it is not already. */
export async function startAws(options: Partial<LocalAwsOptions> = {}): Promise<LocalAws> {
  const aws = await startLocalAws({ dataDir: options.dataDir ?? (await aDataDir()), ...options });
  let closing: Promise<void> | null = null;
  const close = (): Promise<void> => {
    closing ??= aws.close();
    return closing;
  };
  onTestFinished(close);
  return { ...aws, close };
}

const config = (endpoint: string) => ({
  endpoint,
  region: "us-east-1",
  credentials: { accessKeyId: "local", secretAccessKey: "local" },
  // A test sees the first answer.
  maxAttempts: 1,
});

export const sqsClient = (aws: { readonly url: string }): SQSClient => new SQSClient(config(aws.url));
export const schedulerClient = (aws: { readonly url: string }): SchedulerClient => new SchedulerClient(config(aws.url));
export const kmsClient = (aws: { readonly url: string }): KMSClient => new KMSClient(config(aws.url));
export const dynamodbClient = (aws: { readonly url: string }): DynamoDBClient => new DynamoDBClient(config(aws.url));
export const s3Client = (aws: { readonly url: string }): S3Client =>
  new S3Client({ ...config(aws.url), forcePathStyle: true });

/** Creates a table and waits until it takes items, as one must on AWS. */
export async function createTable(client: DynamoDBClient, input: CreateTableCommandInput): Promise<void> {
  await client.send(new CreateTableCommand(input));
  await vi.waitFor(async () => {
    const { Table } = await client.send(new DescribeTableCommand({ TableName: input.TableName }));
    expect(Table?.TableStatus).toBe("ACTIVE");
  });
}

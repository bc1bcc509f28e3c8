import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import type { Context, SQSBatchResponse, SQSEvent } from "aws-lambda";
import { dynamodb as dynamodbOfFunctions } from "../../functions/adapters/aws/clients.js";
import { CachedGates } from "../../functions/adapters/aws/gates.js";
import { handler as admin } from "../../functions/admin/handler.js";
import { handler as delivery } from "../../functions/delivery/handler.js";
import { handler as ingress } from "../../functions/ingress/handler.js";
import { env } from "../../functions/shared/env.js";
import { handler as sweeper } from "../../functions/sweeper/handler.js";
import type { LocalClock } from "../../local/aws/clock.js";
import { type LocalAws, startLocalAws } from "../../local/aws/endpoint.js";
import type { Sqs } from "../../local/aws/sqs/sqs.js";
import { cloudAssembly } from "../../local/cloud-assembly.js";
import { CloudTemplate } from "../../local/cloud-template.js";
import { clientSettings } from "../../local/engine-parts.js";
import { accountId, region } from "../../local/local-account.js";
import { packageRoot } from "../../local/paths.js";
import { sqsRecord } from "../../local/poller.js";
import { provision } from "../../local/provision.js";
import { readWiring } from "../../local/read-wiring.js";
import type { QueueWiring, Wiring } from "../../local/wiring.js";
import { CallMeter } from "./counting-calls.js";
import { Recorder, type Recording } from "./counting-recorder.js";
import { type Destination, startDestination } from "./destination.js";
import { type HttpApiRequest, httpApiEvent } from "./http-api-event.js";

export type FunctionName = "ingress" | "delivery" | "admin" | "sweeper";

/**
 * The real handlers in this process, on the local AWS endpoint, with time standing still: they keep their memory
 * between invocations as a warm environment does. One per process, since the handlers keep their clients.
 */
export interface CountingRelay {
  readonly destination: Destination;
  /** Moves time on, for the functions, the queues and the schedules. */
  advance(seconds: number): void;
  /** A request to ingress; fails when it is not accepted. */
  accept(request: HttpApiRequest): Promise<Recording>;
  /** A call of the admin API; fails when the answer is no 2xx. */
  admin(method: string, path: string, body?: unknown): Promise<AdminCall>;
  /** One invocation of the delivery function with what is visible on its queue, ten messages at most. */
  deliver(): Promise<QueueTurn>;
  /** The same with what is visible on the slow lane. */
  deliverSlow(): Promise<QueueTurn>;
  /** Notes what an attempt would that is open for too long: the seconds until then do not pass here. */
  noteSlow(subscriptionId: string): Promise<Recording>;
  /** One invocation of the sweeper function with the ticks that are due. */
  tick(): Promise<QueueTurn>;
  /** One invocation of the sweeper function by the clock. */
  sweep(): Promise<Recording>;
  close(): Promise<void>;
}

export interface AdminCall {
  readonly recording: Recording;
  // biome-ignore lint/suspicious/noExplicitAny: a test reads whatever shape it expects.
  readonly body: any;
}

export interface QueueTurn {
  readonly recording: Recording;
  /** Messages that the invocation received. */
  readonly received: number;
  /** Their texts. */
  readonly messages: readonly string[];
}

/** Starts it; `close` gives the process its clock and environment back. */
export async function startCountingRelay(): Promise<CountingRelay> {
  const dataDir = await mkdtemp(join(tmpdir(), "steadyhook-counters-"));
  const clock = standingClock(Date.UTC(2026, 0, 1, 12));
  const aws = await startLocalAws({ dataDir, accountId, region, clock });
  const { template } = await cloudAssembly({ root: packageRoot, outputDir: join(dataDir, "cdk.out"), context: {} });
  const wiring = readWiring(new CloudTemplate(template, { awsUrl: aws.url, gatewayUrl: "http://127.0.0.1" }));

  const restore = enterFunction(wiring, aws, clock);
  const dynamodb = new DynamoDBClient(clientSettings(aws.url));
  await provision(aws, wiring);
  const [table] = wiring.tables;
  if (table === undefined) throw new Error("the template has no table");
  const recorder = await Recorder.install(new CallMeter(table, dynamodb));
  const destination = await startDestination();
  return {
    destination,
    advance: clock.advance,
    accept: (request) =>
      recorder.record(async () => {
        const { statusCode, body } = await ingress(httpApiEvent(request));
        if (statusCode !== 202) throw new Error(`not accepted: ${statusCode} ${body}`);
      }),
    async admin(method, path, body) {
      const headers = { "content-type": "application/json" };
      const event = httpApiEvent({
        method,
        path,
        headers,
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      let answer = "";
      const recording = await recorder.record(async () => {
        const { statusCode, body: text } = await admin(event);
        if (statusCode >= 300) throw new Error(`${method} ${path}: ${statusCode} ${text}`);
        answer = text;
      });
      return { recording, body: JSON.parse(answer) };
    },
    deliver: () => turn(recorder, aws.sqs, queueOf(wiring, env.deliveryQueueUrl), delivery),
    deliverSlow: () => turn(recorder, aws.sqs, queueOf(wiring, env.slowQueueUrl), delivery),
    noteSlow(subscriptionId) {
      const gates = new CachedGates({ client: dynamodbOfFunctions, tableName: table.name, now: clock.now });
      return recorder.record(() => gates.noteSlow(subscriptionId, clock.now()));
    },
    tick: () => turn(recorder, aws.sqs, queueOf(wiring, env.controlQueueUrl), sweeper),
    sweep: () => recorder.record(() => sweeper({}, context)),
    async close() {
      recorder.uninstall();
      restore();
      dynamodb.destroy();
      await destination.close();
      await aws.close();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

/** A message that has not come by then never will. */
const longestWaitMs = 10_000;

type QueueHandler = (event: SQSEvent, context: Context) => Promise<SQSBatchResponse>;

const context = { getRemainingTimeInMillis: () => 90_000 } as Context;

/** As the event source mapping does it, without being counted: receive, invoke, delete what is done. */
async function turn(recorder: Recorder, sqs: Sqs, queue: QueueWiring, handler: QueueHandler): Promise<QueueTurn> {
  // Time stands still: this waits until a message comes.
  const signal = AbortSignal.timeout(longestWaitMs);
  const messages = await sqs.receive(queue.name, { max: 10, waitSeconds: 20, signal });
  const event = { Records: messages.map((message) => sqsRecord(message, queue.arn)) } as unknown as SQSEvent;
  const recording = await recorder.record(async () => {
    const { batchItemFailures } = await handler(event, context);
    if (batchItemFailures.length > 0) throw new Error("a message was handed back: see the log line above");
  });
  for (const { receiptHandle } of messages) await sqs.delete(queue.name, receiptHandle);
  return { recording, received: messages.length, messages: messages.map(({ body }) => body) };
}

/** The queue that the functions know under this variable. */
function queueOf(wiring: Wiring, variable: string): QueueWiring {
  const url = wiring.functions.map(({ environment }) => environment[variable]).find((value) => value !== undefined);
  const queue = wiring.queues.find((each) => each.url === url);
  if (queue === undefined) throw new Error(`no function of the template knows a queue as ${variable}`);
  return queue;
}

/** Makes this process look like one of the functions; the answer undoes it. */
function enterFunction(wiring: Wiring, aws: LocalAws, clock: LocalClock): () => void {
  const before = { ...process.env };
  const { now } = Date;
  Date.now = clock.now;
  for (const { environment } of wiring.functions) Object.assign(process.env, environment);
  Object.assign(process.env, {
    AWS_REGION: region,
    AWS_ACCESS_KEY_ID: "local",
    AWS_SECRET_ACCESS_KEY: "local",
    AWS_ENDPOINT_URL: aws.url,
    AWS_CONFIG_FILE: "no-aws-config",
    AWS_SHARED_CREDENTIALS_FILE: "no-aws-config",
    AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: "true",
    [env.allowLoopback]: "true",
    [env.logLevel]: "error",
  });
  const { stdout } = process;
  const write = stdout.write.bind(stdout);
  // Who counts calls reads the tables, not the lines that CloudWatch makes metrics of.
  stdout.write = ((text: string, ...rest: []) =>
    String(text).startsWith('{"_aws":') ? true : write(text, ...rest)) as typeof stdout.write;
  return () => {
    stdout.write = write;
    Date.now = now;
    process.env = before;
  };
}

/** A clock that stands still until it is moved on; then it wakes whoever is due. */
function standingClock(startMs: number): LocalClock & { advance(seconds: number): void } {
  let nowMs = startMs;
  const sleepers = new Set<{ readonly atMs: number; readonly wake: () => void }>();
  return {
    now: () => nowMs,
    at(atMs, wake) {
      const sleeper = { atMs, wake };
      sleepers.add(sleeper);
      return () => sleepers.delete(sleeper);
    },
    advance(seconds) {
      nowMs += seconds * 1000;
      for (const sleeper of [...sleepers].filter(({ atMs }) => atMs <= nowMs)) {
        sleepers.delete(sleeper);
        sleeper.wake();
      }
    },
  };
}

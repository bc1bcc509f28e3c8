import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { StartError } from "../start-error.js";
import type { LocalAccount } from "./arns.js";
import { type LocalClock, systemClock } from "./clock.js";
import { MetricSums } from "./cloudwatch/metric-sums.js";
import { DynamoDb } from "./dynamodb/dynamodb.js";
import type { MissingPermission } from "./iam/needs.js";
import { Kms } from "./kms/kms.js";
import { loadMasterKey } from "./kms/master-key.js";
import { answer, type Services } from "./route.js";
import { Objects } from "./s3/objects.js";
import { fireTo, type OnInvoke } from "./scheduler/firing.js";
import { Scheduler } from "./scheduler/scheduler.js";
import { MoveTasks } from "./sqs/move-tasks.js";
import { Sqs } from "./sqs/sqs.js";
import { StateStore } from "./state-store.js";

export interface LocalAwsOptions {
  /** Everything that survives a restart; made when it does not exist. One process at a time. */
  readonly dataDir: string;
  /** Default 0: a free one. */
  readonly port?: number;
  /** Default 127.0.0.1. */
  readonly host?: string;
  /** Default us-east-1. */
  readonly region?: string;
  /** Default 000000000000. */
  readonly accountId?: string;
  /** Epoch milliseconds; ignored when `clock` is given. Default: the machine's. */
  readonly now?: () => number;
  readonly clock?: LocalClock;
  /** Takes what a schedule fires at anything but a queue. Absent: such a schedule fails and is tried again. */
  readonly onInvoke?: OnInvoke;
  /** Default: whoever calls may do everything. */
  readonly missingPermission?: MissingPermission;
  /** Seconds to which a schedule's time is rounded up. Default 1; AWS fires within 60. */
  readonly precisionSeconds?: number;
  /** Told of failures that no caller sees. Default: a line on stderr. */
  readonly onFault?: (what: string, error: unknown) => void;
}

/** The running endpoint. The services are the same ones that HTTP callers reach, without the HTTP. */
export interface LocalAws extends LocalAccount {
  /** `http://127.0.0.1:4567`, for `AWS_ENDPOINT_URL`. */
  readonly url: string;
  readonly port: number;
  readonly dynamodb: DynamoDb;
  readonly sqs: Sqs;
  readonly scheduler: Scheduler;
  readonly objects: Objects;
  readonly kms: Kms;
  /** What the functions' metric lines came to. */
  readonly metrics: MetricSums;
  /** Answers what is under way, ends long polls with nothing, then frees the port and the data folder. */
  close(): Promise<void>;
}

/** How long a close waits for callers that do not finish their requests. */
const graceMs = 5000;

/** The port is taken. */
export class PortInUseError extends StartError {
  override readonly name = "PortInUseError";
}

/**
 * DynamoDB, SQS, EventBridge Scheduler, S3, KMS and CloudWatch's GetMetricData behind one port, for any AWS SDK or the aws CLI. Credentials are
 * required as a form, not checked; what their access key id stands for may be held to permissions.
 *
 * @throws {DataFolderInUseError} when another process has the data folder.
 * @throws {PortInUseError} when the port is taken.
 */
export async function startLocalAws(options: LocalAwsOptions): Promise<LocalAws> {
  const store = await StateStore.open(options.dataDir);
  try {
    return await startOn(store, options);
  } catch (error) {
    await store.close();
    throw error;
  }
}

async function startOn(store: StateStore, options: LocalAwsOptions): Promise<LocalAws> {
  const { dataDir, region = "us-east-1", accountId = "000000000000", onFault = reportFault } = options;
  const account: LocalAccount = { region, accountId };
  const clock = options.clock ?? systemClock(options.now);
  const shared = { ...account, store, clock, onFault };
  const sqs = await Sqs.open(shared);
  const kms = await Kms.open({ ...shared, masterKey: await loadMasterKey(dataDir) });
  const objects = await Objects.open(store, clock, dataDir);
  const { precisionSeconds = 1, missingPermission = () => null } = options;
  const fire = fireTo(sqs, options.onInvoke, missingPermission, account);
  const scheduler = await Scheduler.open({ ...shared, fire, precisionSeconds });
  const dynamodb = await DynamoDb.open(dataDir, store, account);
  const moveTasks = new MoveTasks(sqs, clock);
  const metrics = new MetricSums(clock.now);
  const parts = { sqs, moveTasks, kms, objects, scheduler, dynamodb, metrics };
  const services: Services = { ...account, ...parts, clock, missingPermission, onFault };
  const end = async (): Promise<void> => {
    await scheduler.close();
    sqs.close();
    await dynamodb.close();
  };
  let server: Server;
  try {
    server = await listen(services, options.host ?? "127.0.0.1", options.port ?? 0);
  } catch (error) {
    await end();
    throw error;
  }
  scheduler.start();
  const { port, address } = server.address() as AddressInfo;
  return {
    ...account,
    url: `http://${address}:${port}`,
    port,
    dynamodb,
    sqs,
    scheduler,
    objects,
    kms,
    metrics,
    async close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      const impatience = setTimeout(() => server.closeAllConnections(), graceMs);
      // Long polls end now; every other call is answered before the last connection closes.
      sqs.close();
      await closed;
      clearTimeout(impatience);
      await end();
      await store.close();
    },
  };
}

async function listen(services: Services, host: string, port: number): Promise<Server> {
  const server = createServer((request, response) => {
    // A connection that falls idle while the server closes would keep it open.
    response.once("finish", () => setImmediate(() => server.listening || server.closeIdleConnections()));
    void answer(services, request, response);
  });
  // Longer than the SDK keeps an idle connection, so that it never writes into one that is closing.
  server.keepAliveTimeout = 65_000;
  await new Promise<void>((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) => {
      const taken = new PortInUseError(`Port ${port} is in use: stop what listens there, or choose another port.`);
      reject(error.code === "EADDRINUSE" ? taken : error);
    });
    server.listen(port, host, resolve);
  });
  return server;
}

function reportFault(what: string, error: unknown): void {
  console.error(`local AWS: ${what} failed:`, error);
}

import { join } from "node:path";
import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { SQSClient } from "@aws-sdk/client-sqs";
import { type LocalAws, PortInUseError, startLocalAws } from "./aws/endpoint.js";
import { cloudAssembly } from "./cloud-assembly.js";
import { CloudTemplate } from "./cloud-template.js";
import { endStaleLeases } from "./end-stale-leases.js";
import { FunctionSet, localConcurrency } from "./function-set.js";
import { Gateway } from "./gateway.js";
import { accountId, region } from "./local-account.js";
import { packageRoot } from "./paths.js";
import { Poller } from "./poller.js";
import { provision } from "./provision.js";
import { readWiring } from "./read-wiring.js";
import { seedDemo } from "./seed-demo.js";
import { Sink } from "./sink.js";
import { startTimer } from "./timers.js";
import type { Wiring } from "./wiring.js";

export interface EngineOptions {
  /** Everything that survives: one engine at a time holds it. */
  readonly dataDir: string;
  /** Of the HTTP API; 0 (the default): a free one. */
  readonly port?: number;
  /** Of the AWS endpoint; 0 (the default): a free one. */
  readonly awsPort?: number;
  /** Destinations on loopback addresses are allowed. Default true. */
  readonly allowLoopback?: boolean;
  /** Create source `demo` and its subscription. Default false. */
  readonly seedDemo?: boolean;
  /** CDK context, e.g. `{"steadyhook:deliverySeconds": 5}`. */
  readonly context?: Readonly<Record<string, unknown>>;
  /** Variables over those of the template, for every function, e.g. `{ MAX_QUEUE_DELAY_SECONDS: "2" }`. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Replaces every function's timeout. */
  readonly functionTimeoutSeconds?: number;
  /** Each line that a function writes, with the function's name. Default: dropped. */
  readonly onFunctionLine?: (label: string, line: string) => void;
  /** What the engine itself has to say. Default: dropped. */
  readonly onEngineLine?: (label: string, text: string) => void;
}

export interface Engine {
  readonly gatewayUrl: string;
  readonly awsUrl: string;
  /** Names, URLs and ARNs of everything, as the template wires it. */
  readonly wiring: Wiring;
  /** Takes nothing new, gives what runs up to `graceMs` (default 2,000), then closes the stores. */
  close(graceMs?: number): Promise<void>;
}

/**
 * Starts the whole relay: resolves when it serves.
 *
 * @throws {PortInUseError} when the port of the HTTP API or of the AWS endpoint is taken.
 * @throws {DataFolderInUseError} when another process has the data folder.
 */
export async function startEngine(options: EngineOptions): Promise<Engine> {
  const cleanUp: Array<(graceMs: number) => Promise<void>> = [];
  const close = async (graceMs: number): Promise<void> => {
    for (const step of cleanUp.splice(0).reverse()) await step(graceMs);
  };
  try {
    return await start(options, cleanUp, close);
  } catch (error) {
    await close(0);
    throw error;
  }
}

/** Each step that takes hold of something first says how to let go of it; closing goes the other way. */
async function start(
  options: EngineOptions,
  cleanUp: Array<(graceMs: number) => Promise<void>>,
  close: (graceMs: number) => Promise<void>,
): Promise<Engine> {
  const say = options.onEngineLine ?? (() => {});
  let ending = false;
  const onProblem = (label: string) => (text: string) => (ending ? undefined : say(label, text));

  const gateway = await onPort("PORT", options.port ?? 0, (port) =>
    Gateway.open({ port, onProblem: onProblem("gateway") }),
  );
  cleanUp.push((graceMs) => gateway.close(graceMs));
  const functions: { set: FunctionSet | null } = { set: null };
  const aws = await onPort("STEADYHOOK_AWS_PORT", options.awsPort ?? 0, (port) =>
    startLocalAws({
      dataDir: options.dataDir,
      port,
      accountId,
      region,
      onInvoke: async (arn, input) => {
        // Rejecting means that the schedule is tried again: nothing can run before the functions are there.
        if (functions.set === null) throw new Error("the functions are not loaded yet");
        const result = await functions.set.byArn(arn).invoke(JSON.parse(input));
        if (!result.ok) throw new Error(`${result.errorType}: ${result.errorMessage}`);
      },
    }),
  );
  cleanUp.push(() => aws.close());

  const assembly = await cloudAssembly({
    root: packageRoot,
    outputDir: join(options.dataDir, "cdk.out"),
    context: options.context ?? {},
  });
  const endpoints = { awsUrl: aws.url, gatewayUrl: gateway.url };
  const wiring = readWiring(new CloudTemplate(assembly.template, endpoints));
  const set = new FunctionSet(wiring, {
    assembly,
    workerFile: join(packageRoot, "dist/local/worker.mjs"),
    awsUrl: aws.url,
    noAwsConfig: join(options.dataDir, "no-aws-config"),
    allowLoopback: options.allowLoopback ?? true,
    environment: options.environment ?? {},
    timeoutSeconds: options.functionTimeoutSeconds ?? null,
    onLine: options.onFunctionLine ?? (() => {}),
  });
  functions.set = set;
  cleanUp.push((graceMs) => set.close(graceMs));
  await Promise.all([set.warm(), prepareAccount(aws, wiring, say)]);

  const sqs = new SQSClient(clientSettings(aws));
  cleanUp.push(async () => sqs.destroy());
  const pollers = startPollers(wiring, set, sqs, onProblem);
  const timers = wiring.timers.map((timer) => startTimer(timer, set.byArn(timer.functionArn), onProblem("timer")));
  const sink = new Sink(({ method, path, query, answeredStatus }) => {
    say("sink", `${method} ${path}${query === "" ? "" : `?${query}`} → ${answeredStatus}`);
  });
  gateway.serve({
    routes: wiring.routes.map(({ routeKey, iam, functionArn }) => ({
      routeKey,
      target: { iam, invoke: (event: unknown) => set.byArn(functionArn).invoke(event) },
    })),
    local: (request, target, body) => sink.handle(request, target, body),
  });
  if (options.seedDemo === true) await seedDemo(gateway.url);

  return {
    gatewayUrl: gateway.url,
    awsUrl: aws.url,
    wiring,
    async close(graceMs = 2_000) {
      ending = true;
      gateway.drain();
      for (const stop of timers) stop();
      const stopped = pollers.map((poller) => poller.stop());
      await set.close(graceMs);
      await Promise.all(stopped);
      await close(0);
    },
  };
}

/** Queues, table and the rest as the template says, and nothing held by an earlier process. */
async function prepareAccount(
  aws: LocalAws,
  wiring: Wiring,
  say: (label: string, text: string) => void,
): Promise<void> {
  const dynamodb = new DynamoDBClient(clientSettings(aws));
  await provision(aws, dynamodb, wiring);
  for (const table of wiring.tables) {
    const ended = await endStaleLeases(dynamodb, table.name);
    if (ended > 0) say("engine", `${ended} attempts were under way when the relay ended: they are taken up again`);
  }
  dynamodb.destroy();
}

function startPollers(
  wiring: Wiring,
  set: FunctionSet,
  sqs: SQSClient,
  onProblem: (label: string) => (text: string) => void,
): Poller[] {
  return wiring.mappings.map((mapping) => {
    const queue = wiring.queues.find(({ arn }) => arn === mapping.queueArn);
    if (queue === undefined) throw new Error(`template: no queue has the ARN ${mapping.queueArn}`);
    const poller = new Poller({
      sqs,
      queueUrl: queue.url,
      queueArn: queue.arn,
      batchSize: mapping.batchSize,
      maxConcurrency: localConcurrency(mapping),
      reportsItemFailures: mapping.reportsItemFailures,
      invoke: (event) => set.byArn(mapping.functionArn).invoke(event),
      onProblem: onProblem("poller"),
    });
    poller.start();
    return poller;
  });
}

/** The user's own AWS settings have no say here. */
function clientSettings(aws: LocalAws) {
  return {
    endpoint: aws.url,
    region,
    credentials: { accessKeyId: "local", secretAccessKey: "local" },
    useFipsEndpoint: false,
    useDualstackEndpoint: false,
    maxAttempts: 3,
  };
}

async function onPort<T>(variable: string, port: number, open: (port: number) => Promise<T>): Promise<T> {
  try {
    return await open(port);
  } catch (error) {
    const taken = error instanceof PortInUseError || (error as NodeJS.ErrnoException).code === "EADDRINUSE";
    if (!taken) throw error;
    throw new PortInUseError(
      `Port ${port} is in use by another program (perhaps a relay that is running): end that one, or set ${variable} to a free port.`,
      { cause: error },
    );
  }
}

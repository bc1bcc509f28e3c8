import { join } from "node:path";
import { Access } from "./access.js";
import type { LocalAws } from "./aws/endpoint.js";
import { cloudAssembly } from "./cloud-assembly.js";
import { CloudTemplate } from "./cloud-template.js";
import { endStaleLeases } from "./end-stale-leases.js";
import { gatewayRoutes, type Loaded, openAws, openGateway, type Report, startPollers } from "./engine-parts.js";
import { FunctionSet } from "./function-set.js";
import { accountId, region } from "./local-account.js";
import { packageRoot } from "./paths.js";
import { provision } from "./provision.js";
import { readPermissions } from "./read-permissions.js";
import { readWiring } from "./read-wiring.js";
import { seedDemo } from "./seed-demo.js";
import { dataFolderProblem } from "./start-error.js";
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
 * @throws {StartError} when a port is taken or not allowed, or the data folder is in use or cannot be used.
 */
export async function startEngine(options: EngineOptions): Promise<Engine> {
  const releases: Release[] = [];
  const releaseAll = async (): Promise<void> => {
    for (const release of releases.splice(0).reverse()) await release();
  };
  try {
    return await start(options, releases, releaseAll);
  } catch (error) {
    await releaseAll();
    throw dataFolderProblem(options.dataDir, error) ?? error;
  }
}

type Release = () => Promise<void>;

/** What takes hold of something is released in the other order, by the engine's end or by a start that fails. */
async function start(options: EngineOptions, releases: Release[], releaseAll: Release): Promise<Engine> {
  const { dataDir } = options;
  let ending = false;
  const say = options.onEngineLine ?? (() => {});
  const report: Report = (label, text) => (ending ? undefined : say(label, text));

  const gateway = await openGateway(options.port ?? 0, report);
  releases.push(() => gateway.close(0));
  const loaded: Loaded = { functions: null, access: null };
  const aws = await openAws(dataDir, options.awsPort ?? 0, loaded);
  releases.push(() => aws.close());

  const outputDir = join(dataDir, "cdk.out");
  const assembly = await cloudAssembly({ root: packageRoot, outputDir, context: options.context ?? {} });
  const template = new CloudTemplate(assembly.template, { awsUrl: aws.url, gatewayUrl: gateway.url });
  const wiring = readWiring(template);
  loaded.access = new Access(wiring, readPermissions(template), { region, accountId });
  const functions = new FunctionSet(wiring, {
    assembly,
    workerFile: join(packageRoot, "dist/local/worker.mjs"),
    awsUrl: aws.url,
    noAwsConfig: join(dataDir, "no-aws-config"),
    allowLoopback: options.allowLoopback ?? true,
    environment: options.environment ?? {},
    timeoutSeconds: options.functionTimeoutSeconds ?? null,
    onLine: (label, line) => {
      aws.metrics.takeLine(line);
      options.onFunctionLine?.(label, line);
    },
  });
  releases.push(() => functions.close(0));
  await Promise.all([functions.warm(), prepareAccount(aws, wiring, report)]);
  loaded.functions = functions;

  gateway.serve(gatewayRoutes(wiring, functions, report));
  // Before anything is delivered: with another port than last time, the sink is elsewhere.
  if (options.seedDemo === true) await seedOrReport(gateway.url, report);
  const pollers = startPollers(wiring, functions, aws, report);
  const timers = wiring.timers.map((timer) => startTimer(timer, functions.byArn(timer.functionArn), report));

  return {
    gatewayUrl: gateway.url,
    awsUrl: aws.url,
    wiring,
    async close(graceMs = 2_000) {
      ending = true;
      gateway.drain();
      for (const stop of timers) stop();
      const stopped = pollers.map((poller) => poller.stop());
      await functions.close(graceMs);
      await Promise.all(stopped);
      await releaseAll();
    },
  };
}

/** Queues, table and the rest as the template says, and nothing held by an earlier process. */
async function prepareAccount(aws: LocalAws, wiring: Wiring, report: Report): Promise<void> {
  await provision(aws, wiring);
  for (const table of wiring.tables) {
    const ended = await endStaleLeases(aws.dynamodb, table.name);
    if (ended > 0) report("engine", `${ended} attempts were under way when the relay ended: they are taken up again`);
  }
}

/** A demo that cannot be set up (somebody changed it) is no reason to run nothing. */
async function seedOrReport(gatewayUrl: string, report: Report): Promise<void> {
  try {
    await seedDemo(gatewayUrl);
  } catch (error) {
    report("engine", error instanceof Error ? error.message : String(error));
  }
}

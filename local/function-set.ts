import { availableParallelism } from "node:os";
import { join } from "node:path";
import { env } from "../functions/shared/env.js";
import type { CloudAssembly } from "./cloud-assembly.js";
import { FunctionPool } from "./function-pool.js";
import type { FunctionDefinition } from "./function-worker.js";
import { region } from "./local-account.js";
import type { FunctionWiring, MappingWiring, Wiring } from "./wiring.js";

/**
 * Threads of a function per trigger: AWS starts far more, one machine has a few cores. A mapping's may all hang at
 * their destinations; a route's work is short, and more threads than cores only make each slower.
 */
const mostPerMapping = 8;
const mostForRoutes = Math.max(2, Math.min(4, availableParallelism()));

export interface FunctionSetOptions {
  readonly assembly: CloudAssembly;
  readonly workerFile: string;
  readonly awsUrl: string;
  /** A file that does not exist: keeps the user's own AWS settings out. */
  readonly noAwsConfig: string;
  readonly allowLoopback: boolean;
  /** Over the template's variables. */
  readonly environment: Readonly<Record<string, string>>;
  /** Replaces every function's timeout; null: the template's. */
  readonly timeoutSeconds: number | null;
  readonly onLine: (label: string, line: string) => void;
}

/** The stack's functions, each a pool of threads, found by ARN. */
export class FunctionSet {
  readonly #pools = new Map<string, FunctionPool>();
  readonly #triggered: ReadonlySet<string>;

  constructor(wiring: Wiring, options: FunctionSetOptions) {
    const triggers = [...wiring.routes, ...wiring.mappings, ...wiring.timers];
    this.#triggered = new Set(triggers.map(({ functionArn }) => functionArn));
    for (const wired of wiring.functions) {
      const definition = definitionOf(wired, wiring, options);
      const onLine = (line: string): void => options.onLine(wired.label, line);
      this.#pools.set(wired.arn, new FunctionPool(definition, { workerFile: options.workerFile, onLine }));
    }
  }

  byArn(arn: string): FunctionPool {
    const pool = this.#pools.get(arn);
    if (pool === undefined) throw new Error(`no function of the stack has the ARN ${arn}`);
    return pool;
  }

  /** Loads each function that something here triggers; rejects with the first that cannot be loaded. */
  async warm(): Promise<void> {
    const pools = [...this.#pools].filter(([arn]) => this.#triggered.has(arn));
    const warming = pools.map(async ([, pool]) => {
      const failure = await pool.warm();
      if (failure === null || failure.ok) return;
      const { errorType, errorMessage } = failure;
      throw new Error(`function ${pool.definition.functionName} cannot be loaded: ${errorType}: ${errorMessage}`);
    });
    await Promise.all(warming);
  }

  async close(graceMs: number): Promise<void> {
    await Promise.all([...this.#pools.values()].map((pool) => pool.close(graceMs)));
  }
}

/** Batches that a mapping may have in work at the same time here. */
export function localConcurrency(mapping: MappingWiring): number {
  return Math.min(mapping.maxConcurrency ?? mostPerMapping, mostPerMapping);
}

function definitionOf(wired: FunctionWiring, wiring: Wiring, options: FunctionSetOptions): FunctionDefinition {
  const folder = options.assembly.assetFolder(wired.assetKey);
  const [file, handlerName = "handler"] = wired.handler.split(".");
  const batches = wiring.mappings
    .filter(({ functionArn }) => functionArn === wired.arn)
    .reduce((sum, mapping) => sum + localConcurrency(mapping), 0);
  const routed = wiring.routes.some(({ functionArn }) => functionArn === wired.arn);
  return {
    handlerFile: join(folder, `${file}.mjs`),
    handlerName,
    functionName: wired.name,
    functionArn: wired.arn,
    memoryMb: wired.memoryMb,
    timeoutSeconds: options.timeoutSeconds ?? wired.timeoutSeconds,
    maxWorkers: Math.max(1, batches + (routed ? mostForRoutes : 0)),
    // Batches: their poller knows when another one helps.
    eagerWorkers: Math.max(1, batches),
    environment: environmentOf(wired, folder, options),
  };
}

/** What Lambda sets, what the template sets, and what makes the SDK talk to the local endpoint. */
function environmentOf(wired: FunctionWiring, folder: string, options: FunctionSetOptions): Record<string, string> {
  return {
    AWS_REGION: region,
    AWS_DEFAULT_REGION: region,
    // Whose call it is: the endpoint holds it to the function's role.
    AWS_ACCESS_KEY_ID: wired.name,
    AWS_SECRET_ACCESS_KEY: "local",
    AWS_ENDPOINT_URL: options.awsUrl,
    AWS_CONFIG_FILE: options.noAwsConfig,
    AWS_SHARED_CREDENTIALS_FILE: options.noAwsConfig,
    AWS_LAMBDA_FUNCTION_NAME: wired.name,
    AWS_LAMBDA_FUNCTION_VERSION: "$LATEST",
    AWS_LAMBDA_FUNCTION_MEMORY_SIZE: String(wired.memoryMb),
    AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: "true",
    LAMBDA_TASK_ROOT: folder,
    TZ: "UTC",
    ...wired.environment,
    [env.allowLoopback]: String(options.allowLoopback),
    ...options.environment,
  };
}

/** What the engine needs of the stack: read from the synthesized template, so that the two cannot drift. */
export interface Wiring {
  readonly functions: readonly FunctionWiring[];
  readonly mappings: readonly MappingWiring[];
  readonly queues: readonly QueueWiring[];
  readonly tables: readonly TableWiring[];
  readonly buckets: readonly string[];
  readonly keys: readonly string[];
  readonly scheduleGroups: readonly string[];
  readonly routes: readonly RouteWiring[];
  readonly timers: readonly TimerWiring[];
}

export interface FunctionWiring {
  readonly arn: string;
  /** The function's local name. */
  readonly name: string;
  /** What it may do is said of its role. */
  readonly roleArn: string;
  /** Its folder under functions/, e.g. `delivery`: what a person calls it. */
  readonly label: string;
  /** Name of the zip in the assets bucket: the hash in it leads to the asset's folder. */
  readonly assetKey: string;
  /** `file.export`, e.g. `index.handler`. */
  readonly handler: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly timeoutSeconds: number;
  readonly memoryMb: number;
}

export interface MappingWiring {
  readonly functionArn: string;
  readonly queueArn: string;
  readonly batchSize: number;
  /** Null: the template sets none. */
  readonly maxConcurrency: number | null;
  readonly reportsItemFailures: boolean;
}

export interface QueueWiring {
  readonly name: string;
  readonly url: string;
  readonly arn: string;
  /** As CreateQueue takes them. */
  readonly attributes: Readonly<Record<string, string>>;
}

export interface TableWiring {
  readonly name: string;
  readonly keySchema: readonly KeyElement[];
  readonly attributeDefinitions: ReadonlyArray<{ readonly AttributeName: string; readonly AttributeType: string }>;
  readonly indexes: ReadonlyArray<{
    readonly IndexName: string;
    readonly KeySchema: readonly KeyElement[];
    readonly Projection: { readonly ProjectionType: string };
  }>;
  /** Null: nothing expires. */
  readonly ttlAttribute: string | null;
}

export interface KeyElement {
  readonly AttributeName: string;
  readonly KeyType: string;
}

export interface RouteWiring {
  readonly routeKey: string;
  readonly iam: boolean;
  readonly functionArn: string;
}

/** A function that runs by the clock. */
export interface TimerWiring {
  readonly name: string;
  readonly functionArn: string;
  /** Only `rate(…)` is used. */
  readonly everySeconds: number;
  /** What the function receives; null: the scheduled-event envelope. */
  readonly input: string | null;
}

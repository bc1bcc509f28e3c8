import type { Access } from "./access.js";
import { type LocalAws, PortInUseError, startLocalAws } from "./aws/endpoint.js";
import type { MissingPermission } from "./aws/iam/needs.js";
import { ConsolePage } from "./console-page.js";
import { type FunctionSet, localConcurrency } from "./function-set.js";
import { Gateway, type GatewayRoutes } from "./gateway.js";
import { accountId, region } from "./local-account.js";
import { Poller } from "./poller.js";
import { Sink } from "./sink.js";
import { StartError } from "./start-error.js";
import type { MappingWiring, Wiring } from "./wiring.js";

/** A line for the person who watches: which part says it, and what. */
export type Report = (label: string, text: string) => void;

/** The HTTP API's port, bound first: a busy one is the most likely reason that a start fails. */
export function openGateway(port: number, report: Report): Promise<Gateway> {
  const onProblem = (text: string): void => report("gateway", text);
  return onPort("PORT", port, () => Gateway.open({ port, onProblem }));
}

/** What the AWS endpoint needs of the stack, which is read once its address is known; null until then. */
export interface Loaded {
  functions: FunctionSet | null;
  access: Access | null;
}

/** The AWS endpoint. */
export function openAws(dataDir: string, port: number, loaded: Loaded): Promise<LocalAws> {
  const onInvoke = async (arn: string, input: string): Promise<void> => {
    // Rejecting means that the schedule is tried again.
    const result = await loaded.functions?.byArn(arn).invoke(JSON.parse(input));
    if (result?.ok !== true) throw new Error(result?.errorMessage ?? "the functions are not loaded yet");
  };
  const missingPermission: MissingPermission = (caller, call) => loaded.access?.missing(caller, call) ?? null;
  const options = { dataDir, port, accountId, region, onInvoke, missingPermission };
  return onPort("STEADYHOOK_AWS_PORT", port, () => startLocalAws(options));
}

/** The template's routes, the console, and the sink. */
export function gatewayRoutes(wiring: Wiring, functions: FunctionSet, report: Report): GatewayRoutes {
  const sink = new Sink(({ method, path, query, answeredStatus }) => {
    report("sink", `${method} ${path}${query === "" ? "" : `?${query}`} → ${answeredStatus}`);
  });
  const page = new ConsolePage();
  return {
    routes: wiring.routes.map(({ routeKey, iam, functionArn }) => {
      const pool = functions.byArn(functionArn);
      return { routeKey, target: { iam, invoke: (event: unknown) => pool.invoke(event) } };
    }),
    local: (request, target, body) => page.handle(request, target) ?? sink.handle(request, target, body),
  };
}

/** One poller per event source mapping, started. */
export function startPollers(wiring: Wiring, functions: FunctionSet, aws: LocalAws, report: Report): Poller[] {
  const pollerOf = (mapping: MappingWiring): Poller => {
    const queue = wiring.queues.find(({ arn }) => arn === mapping.queueArn);
    if (queue === undefined) throw new Error(`template: no queue has the ARN ${mapping.queueArn}`);
    const pool = functions.byArn(mapping.functionArn);
    return new Poller({
      sqs: aws.sqs,
      queueName: queue.name,
      queueArn: queue.arn,
      batchSize: mapping.batchSize,
      maxConcurrency: localConcurrency(mapping),
      reportsItemFailures: mapping.reportsItemFailures,
      invoke: (event) => pool.invoke(event),
      activeMs: () => pool.activeMs(),
      onProblem: (text) => report("poller", text),
    });
  };
  const pollers = wiring.mappings.map(pollerOf);
  for (const poller of pollers) poller.start();
  return pollers;
}

/** For SDK clients that look into a running engine's AWS: the user's AWS settings have no say here. */
export function clientSettings(awsUrl: string) {
  return {
    endpoint: awsUrl,
    region,
    credentials: { accessKeyId: "local", secretAccessKey: "local" },
    useFipsEndpoint: false,
    useDualstackEndpoint: false,
    maxAttempts: 3,
  };
}

async function onPort<T>(variable: string, port: number, open: () => Promise<T>): Promise<T> {
  try {
    return await open();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "EACCES") {
      throw new StartError(`Port ${port} needs more rights than you have: set ${variable} to one above 1023.`);
    }
    const taken = error instanceof PortInUseError || code === "EADDRINUSE";
    if (!taken) throw error;
    throw new PortInUseError(
      `Port ${port} is in use by another program (perhaps a relay that is running): end that one, or set ${variable} to a free port.`,
      { cause: error },
    );
  }
}

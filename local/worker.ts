/** Entry of a function's worker thread: loads the deployed bundle and runs its handler as Lambda's runtime does. */
import { pathToFileURL } from "node:url";
import { parentPort, workerData } from "node:worker_threads";
import type { RunMessage, WorkerMessage, WorkerSetup } from "./worker-protocol.js";

type Handler = (event: unknown, context: unknown) => unknown;

const setup = workerData as WorkerSetup;
const engine = parentPort;
if (engine === null) throw new Error("worker.mjs runs only as a worker thread of the local engine");

const bundle = (await import(pathToFileURL(setup.handlerFile).href)) as Record<string, unknown>;
const handler = bundle[setup.handlerName];
if (typeof handler !== "function") throw new Error(`${setup.handlerName} is not a function in ${setup.handlerFile}`);

const say = (message: WorkerMessage): void => engine.postMessage(message);

engine.on("message", (message: RunMessage) => {
  void run(handler as Handler, message).then(say);
});
say({ kind: "ready" });

async function run(handle: Handler, message: RunMessage): Promise<WorkerMessage> {
  try {
    const result = await handle(JSON.parse(message.payload), contextOf(message));
    return {
      kind: "result",
      requestId: message.requestId,
      payload: (JSON.stringify(result) as string | undefined) ?? "null",
    };
  } catch (thrown) {
    // A handler's exception is an answer of the runtime, not an end of the thread.
    const error = thrown instanceof Error ? thrown : new Error(String(thrown));
    const { name, message: text, stack } = error;
    return { kind: "failure", requestId: message.requestId, errorType: name, errorMessage: text, stack: stack ?? text };
  }
}

function contextOf(message: RunMessage): Record<string, unknown> {
  return {
    awsRequestId: message.requestId,
    functionName: setup.functionName,
    functionVersion: "$LATEST",
    invokedFunctionArn: setup.functionArn,
    memoryLimitInMB: String(setup.memoryMb),
    logGroupName: `/aws/lambda/${setup.functionName}`,
    logStreamName: "local",
    callbackWaitsForEmptyEventLoop: true,
    getRemainingTimeInMillis: () => Math.max(0, message.deadlineMs - Date.now()),
  };
}

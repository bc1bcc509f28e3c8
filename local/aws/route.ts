import type { IncomingMessage, ServerResponse } from "node:http";
import type { LocalAccount } from "./arns.js";
import { AwsError } from "./aws-error.js";
import type { LocalClock } from "./clock.js";
import type { MetricSums } from "./cloudwatch/metric-sums.js";
import { callCloudWatch } from "./cloudwatch/protocol.js";
import type { DynamoDb } from "./dynamodb/dynamodb.js";
import { goneSignal, parseInput, readWhole, reply } from "./http.js";
import type { AwsCall, MissingPermission } from "./iam/needs.js";
import type { Kms } from "./kms/kms.js";
import { callKms } from "./kms/protocol.js";
import type { Objects } from "./s3/objects.js";
import { callS3 } from "./s3/protocol.js";
import { locate } from "./s3/request.js";
import { xmlDocument } from "./s3/xml.js";
import { callScheduler, isSchedulerPath } from "./scheduler/protocol.js";
import type { Scheduler } from "./scheduler/scheduler.js";
import type { MoveTasks } from "./sqs/move-tasks.js";
import { callSqs } from "./sqs/protocol.js";
import type { Sqs } from "./sqs/sqs.js";

/** Everything that a request may be for. */
export interface Services extends LocalAccount {
  readonly clock: LocalClock;
  readonly sqs: Sqs;
  readonly moveTasks: MoveTasks;
  readonly kms: Kms;
  readonly objects: Objects;
  readonly scheduler: Scheduler;
  readonly dynamodb: DynamoDb;
  readonly metrics: MetricSums;
  readonly missingPermission: MissingPermission;
  readonly onFault: (what: string, error: unknown) => void;
}

/** One request with its body, on its way to a service. */
interface Call {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly location: Location;
  readonly body: Buffer;
  /** Ends when the caller is gone. */
  readonly signal: AbortSignal;
}

/** A request's target, its path still encoded: an object's key may hold `..` or `//`, which a URL would resolve. */
interface Location {
  readonly path: string;
  readonly query: URLSearchParams;
}

/** How a service is spoken to, errors included. */
interface Route {
  serve(services: Services, call: Call): Promise<void>;
  refuse(call: Pick<Call, "request" | "response">, error: AwsError): Promise<void>;
}

/** Answers one request; never rejects. */
export async function answer(services: Services, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const signal = goneSignal(response);
  const location = locationOf(request);
  const route = routeOf(request, location);
  try {
    const body = await readWhole(request);
    checkCaller(request, location);
    await route.serve(services, { request, response, location, body, signal });
  } catch (error) {
    // The caller broke off: nobody to answer.
    if (signal.aborted || !request.complete) return void response.destroy();
    await route.refuse({ request, response }, translate(services, request, error));
  }
}

function locationOf(request: IncomingMessage): Location {
  const [path = "/", ...query] = (request.url ?? "/").split("?");
  return { path, query: new URLSearchParams(query.join("?")) };
}

function translate(services: Services, request: IncomingMessage, error: unknown): AwsError {
  if (error instanceof AwsError) return error;
  services.onFault(`${request.method} ${request.url}`, error);
  return new AwsError("InternalFailure", "The local endpoint failed; its log says why.", { statusCode: 500 });
}

/**
 * A page in a browser must not reach the data: no foreign `Host` (DNS rebinding), no `Origin`, and credentials, which
 * no page sends by itself.
 */
function checkCaller(request: IncomingMessage, { query }: Location): void {
  const host = (request.headers.host ?? "").replace(/:\d+$/, "");
  const local = /^(.+\.)?localhost$/.test(host) || /^127(\.\d{1,3}){3}$/.test(host) || host === "[::1]";
  if (!local || request.headers.origin !== undefined) {
    throw new AwsError("AccessDenied", "The local endpoint answers local programs only.", { statusCode: 403 });
  }
  if (request.headers.authorization?.startsWith("AWS4-") || query.has("X-Amz-Algorithm")) return;
  throw new AwsError(
    "MissingAuthenticationToken",
    "Request is missing Authentication Token: any credentials will do.",
    {
      statusCode: 403,
    },
  );
}

/** @throws {AwsError} `AccessDenied` where a caller that is held to permissions lacks one. */
function authorize({ missingPermission }: Services, caller: string, call: AwsCall): void {
  const missing = missingPermission(caller, call);
  if (missing === null) return;
  const code = call.service === "s3" ? "AccessDenied" : "AccessDeniedException";
  const what = `${caller} is not authorized to perform: ${missing.action} on resource: ${missing.resource}`;
  throw new AwsError(code, what, { statusCode: call.service === "s3" ? 403 : 400 });
}

/** The access key id that a request is signed with. */
function callerOf({ headers }: IncomingMessage, { query }: Location): string {
  const signed = /Credential=([^/]*)/.exec(headers.authorization ?? "")?.[1];
  return signed ?? query.get("X-Amz-Credential")?.split("/")[0] ?? "";
}

function routeOf(request: IncomingMessage, location: Location): Route {
  const target = String(request.headers["x-amz-target"] ?? "");
  if (target !== "") return jsonRoute;
  return isForScheduler(request, location) ? schedulerRoute : s3Route;
}

/** By the service that the request is signed for, so that a bucket may be called `schedules`; else by the path. */
function isForScheduler(request: IncomingMessage, { path, query }: Location): boolean {
  const scope = request.headers.authorization ?? query.get("X-Amz-Credential") ?? "";
  const service = /\/([a-z0-9-]+)\/aws4_request/.exec(scope)?.[1];
  return service === undefined ? isSchedulerPath(path.split("/")[1]) : service === "scheduler";
}

const operationOf = (request: IncomingMessage): string => String(request.headers["x-amz-target"]).split(".")[1] ?? "";

const jsonServices = [
  ["AmazonSQS", "sqs"],
  ["DynamoDB_", "dynamodb"],
  ["TrentService", "kms"],
  ["GraniteServiceVersion20100801", "cloudwatch"],
] as const;

const jsonRoute: Route = {
  async serve(services, call) {
    const service = String(call.request.headers["x-amz-target"]).split(".")[0];
    const input = parseInput(call.body);
    const operation = operationOf(call.request);
    const named = jsonServices.find(([prefix]) => service?.startsWith(prefix));
    if (named !== undefined)
      authorize(services, callerOf(call.request, call.location), { service: named[1], operation, input });
    if (service === "AmazonSQS") {
      const baseUrl = `http://${call.request.headers.host}`;
      return replyJson(call, await callSqs(operation, { ...services, input, baseUrl, signal: call.signal }));
    }
    if (service?.startsWith("DynamoDB_") === true)
      return replyJson(call, await services.dynamodb.call(operation, input));
    if (service === "TrentService") return replyJson(call, await callKms(operation, services.kms, input));
    if (service === "GraniteServiceVersion20100801") {
      return replyJson(call, callCloudWatch(operation, services.metrics, input));
    }
    throw new AwsError("UnknownOperationException", `Nothing here answers ${service}.`);
  },
  refuse: refuseJson,
};

const schedulerRoute: Route = {
  async serve(services, { request, response, location, body }) {
    const path = location.path.split("/").slice(1).map(decodeSegment);
    const call = { method: request.method ?? "GET", path, query: location.query, input: parseInput(body) };
    authorize(services, callerOf(request, location), { service: "scheduler", ...call });
    const result = await callScheduler(services.scheduler, call);
    await reply(response, 200, { "content-type": "application/json" }, JSON.stringify(result));
  },
  async refuse({ response }, error) {
    const headers = { "content-type": "application/json", "x-amzn-errortype": error.code };
    await reply(response, error.statusCode, headers, JSON.stringify({ Message: error.message }));
  },
};

const s3Route: Route = {
  async serve(services, { request, response, location, body }) {
    const { headers, method = "GET" } = request;
    const place = locate(location.path, headers.host ?? "");
    authorize(services, callerOf(request, location), { service: "s3", method, ...place });
    const result = await callS3(services, { ...place, method, query: location.query, headers, body });
    await reply(response, result.statusCode, result.headers ?? {}, result.body ?? "");
  },
  async refuse({ request, response }, error) {
    const body = xmlDocument("Error", { Code: error.code, Message: error.message }, false);
    const headers = { "content-type": "application/xml" };
    await reply(response, error.statusCode, headers, request.method === "HEAD" ? "" : body);
  },
};

function decodeSegment(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    throw new AwsError("ValidationException", "The path is not valid.");
  }
}

function replyJson({ request, response }: Call, result: object): Promise<void> {
  const contentType = request.headers["content-type"] ?? "application/x-amz-json-1.0";
  return reply(response, 200, { "content-type": contentType }, JSON.stringify(result));
}

async function refuseJson({ request, response }: Pick<Call, "request" | "response">, error: AwsError): Promise<void> {
  const fault = error.statusCode < 500 ? "Sender" : "Receiver";
  const headers = {
    "content-type": request.headers["content-type"] ?? "application/x-amz-json-1.0",
    "x-amzn-query-error": `${error.queryCode};${fault}`,
  };
  const body = { __type: `com.amazonaws.local#${error.code}`, message: error.message };
  await reply(response, error.statusCode, headers, JSON.stringify(body));
}

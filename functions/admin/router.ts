import type { APIGatewayProxyEventV2 } from "aws-lambda";
import { beginTrace, endTrace } from "../app/admin/audit.js";
import type { AdminContext } from "../app/admin/context.js";
import type { JsonObject } from "../app/admin/merge-patch.js";
import { AdminProblem, refusal } from "../app/admin/problem.js";
import type { log as writeLog } from "../shared/log.js";
import { type HttpAnswer, problem, refused } from "./answer.js";
import { type AdminRequest, readRequest, requireNoParameters } from "./request.js";
import type { Route } from "./route.js";
import { routes } from "./routes.js";

/** Answers one request: finds its route, runs it, and makes an HTTP answer of whatever it throws. */
export async function route(
  context: AdminContext,
  log: typeof writeLog,
  event: APIGatewayProxyEventV2,
): Promise<HttpAnswer> {
  const request = readRequest(event);
  try {
    const { found, ids } = match(request);
    const operation = writeOf(found, request);
    const run = async () => {
      if (found.takesParameters !== true) requireNoParameters(request.query);
      return found.run(context, request, ...ids);
    };
    return await (operation === null ? run() : traced(context, log, { operation, request, ids }, run));
  } catch (error) {
    return answerOf(error, request, log);
  }
}

function answerOf(error: unknown, request: AdminRequest, log: typeof writeLog): HttpAnswer {
  if (error instanceof AdminProblem) return refused(error);
  if (isContentMissing(error)) return refused(contentExpired);
  log("error", "admin request failed", { method: request.method, path: request.path, error });
  return problem({ status: 500, code: "internal_error", detail: "The relay itself failed; the log says why." });
}

/** What the write is called in log and trail; null: the request reads. */
function writeOf({ writes }: Route, request: AdminRequest): string | null {
  return typeof writes === "function" ? writes(request) : (writes ?? null);
}

interface Write {
  readonly operation: string;
  readonly request: AdminRequest;
  readonly ids: readonly string[];
}

/** Runs a write between the two halves of its trace: without the first it is not run. */
async function traced(
  context: AdminContext,
  log: typeof writeLog,
  { operation, request, ids }: Write,
  run: () => Promise<HttpAnswer>,
): Promise<HttpAnswer> {
  const { caller, method, path, reason } = request;
  const body = givenBody(request);
  const entry = await beginTrace(context, { operation, caller, method, path, ids, body, reason });
  const answer = await run().catch((error: unknown) => answerOf(error, request, log));
  const { statusCode, headers } = answer;
  const { location } = headers as { readonly location?: string };
  if (statusCode < 400) log("info", "admin write", writeFields(operation, request, answer));
  try {
    const code = statusCode < 400 ? null : (JSON.parse(answer.body) as { readonly code: string }).code;
    await endTrace(context, entry, { status: statusCode, code }, location?.split("/").at(-1) ?? null);
  } catch (error) {
    // What was done is done, and the trail shows that it was begun.
    log("warn", "outcome not noted in the audit trail", { auditId: entry.auditId, statusCode, error });
  }
  return answer;
}

/** Null where there is none that can be read: the route says what is wrong with it. */
function givenBody(request: AdminRequest): JsonObject | null {
  try {
    return request.optionalBody();
  } catch {
    return null;
  }
}

/** Who changed what: ids only, never the document. */
function writeFields(operation: string, request: AdminRequest, { statusCode, headers }: HttpAnswer) {
  // A creation names what it made.
  const { location: path = request.path } = headers as { readonly location?: string };
  return { operation, caller: request.caller ?? "local", path, statusCode };
}

const compiled = routes.map((route) => ({
  route,
  pattern: new RegExp(`^${route.path.replaceAll(/\{\w+\}/g, "([^/]+)")}/?$`),
}));

interface Match {
  readonly found: Route;
  readonly ids: readonly [id: string, name: string];
}

function match({ method, path }: AdminRequest): Match {
  const matching = compiled.flatMap(({ route, pattern }) => {
    const parts = pattern.exec(path);
    return parts === null ? [] : [{ found: route, ids: [parts[1] ?? "", parts[2] ?? ""] as const }];
  });
  const wanted = matching.find(({ found }) => found.method === method);
  if (wanted !== undefined) return wanted;
  if (matching.length === 0) throw refusal(404, "not_found", `There is nothing at ${path}.`);
  const allow = matching.map(({ found }) => found.method).join(", ");
  const detail = `${path} takes ${allow}.`;
  throw new AdminProblem({ status: 405, code: "method_not_allowed", detail, headers: { allow } });
}

/** The bucket's own error, known by its name: the store behind the port may be another. */
const isContentMissing = (error: unknown): boolean => error instanceof Error && error.name === "ContentMissingError";

const contentExpired = refusal(404, "content_expired", "The event's headers and body are no longer stored.");

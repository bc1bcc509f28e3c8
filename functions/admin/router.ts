import type { APIGatewayProxyEventV2 } from "aws-lambda";
import type { AdminContext } from "../app/admin/context.js";
import { AdminProblem, refusal } from "../app/admin/problem.js";
import type { log as writeLog } from "../shared/log.js";
import { type HttpAnswer, problem, refused } from "./answer.js";
import { type AdminRequest, readRequest } from "./request.js";
import { type Route, routes } from "./routes.js";

/** Answers one request: finds its route, runs it, and makes an HTTP answer of whatever it throws. */
export async function route(
  context: AdminContext,
  log: typeof writeLog,
  event: APIGatewayProxyEventV2,
): Promise<HttpAnswer> {
  const request = readRequest(event);
  try {
    const { found, ids } = match(request);
    const answer = await found.run(context, request, ...ids);
    if (found.writes !== undefined) log("info", "admin write", writeFields(found.writes, request, answer));
    return answer;
  } catch (error) {
    if (error instanceof AdminProblem) return refused(error);
    if (isContentMissing(error)) return refused(contentExpired);
    log("error", "admin request failed", { method: request.method, path: request.path, error });
    return problem({ status: 500, code: "internal_error", detail: "The relay itself failed; the log says why." });
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

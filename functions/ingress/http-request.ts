import type { InboundRequest } from "../app/ingress/inbound-request.js";
import type { Refusal } from "./answers.js";
import type { GatewayRequest } from "./gateway-event.js";

/** Lambda takes 6 MB, so more than this comes only through another front. */
export const maxBodyBytes = 6 * 1024 * 1024;

/** Suffix and query together. The gateway takes 10,240 bytes of request line and headers. */
export const maxTargetCharacters = 16 * 1024;

/** The routes and what is behind them: a source id needs no encoding, the suffix is kept with its slashes. */
const routePattern = /^\/(in|publish)\/([A-Za-z0-9_-]{1,64})(\/.*)?$/s;

/** A method is an HTTP token (RFC 9110 §5.6.2). */
const methodPattern = /^[A-Z0-9!#$%&'*+.^_`|~-]{1,64}$/;

/** Finds door, source and suffix, and checks the limits; the body's bytes are taken as they are. */
export function parseRequest(request: GatewayRequest): InboundRequest | Refusal {
  const [, door, sourceId, suffix = ""] = routePattern.exec(routedPath(request)) ?? [];
  if (door === undefined || sourceId === undefined || !agrees(door, request.routeKey)) return { refused: "not_found" };
  if (door === "publish" && suffix !== "") return { refused: "not_found" };
  const { method, headers, query } = request;
  if (method === null || !methodPattern.test(method)) return { refused: "malformed_request", sourceId };
  if (door === "publish" && method !== "POST") return { refused: "method_not_allowed", sourceId };
  if (request.bodyBytes > maxBodyBytes) return { refused: "body_too_large", sourceId };
  if (suffix.length + query.length > maxTargetCharacters) return { refused: "uri_too_long", sourceId };
  const common = { sourceId, headers, body: request.body() };
  return door === "publish" ? { door: "publish", ...common } : { door: "in", ...common, method, suffix, query };
}

/**
 * The path from the route on. A custom domain puts its base path before it; then the source id of the gateway's own
 * match shows where the route begins.
 */
function routedPath({ path, matchedSourceId }: GatewayRequest): string {
  if (routePattern.test(path) || matchedSourceId === "") return path;
  const starts = ["in", "publish"].map((door) => path.indexOf(`/${door}/${matchedSourceId}`)).filter((at) => at > 0);
  return starts.length === 0 ? path : path.slice(Math.min(...starts));
}

/** Authorisation hangs on the gateway's route: a path may not lead to another door than the route that it matched. */
function agrees(door: string, routeKey: string): boolean {
  const [, routed] = / \/(in|publish)\//.exec(routeKey) ?? [];
  return routed === undefined || routed === door;
}

/** Route matching of an HTTP API: `METHOD /path/{param}/{greedy+}`, `ANY …` and `$default`. */

export interface RouteMatch<Target> {
  readonly target: Target;
  readonly routeKey: string;
  readonly pathParameters: Readonly<Record<string, string>>;
}

export interface Route<Target> {
  readonly routeKey: string;
  readonly target: Target;
}

type Segment = { readonly kind: "literal" | "param" | "greedy"; readonly text: string };

interface CompiledRoute<Target> extends Route<Target> {
  readonly method: string;
  /** Null for `$default`. */
  readonly segments: readonly Segment[] | null;
  readonly rank: string;
}

/** The gateway's priority: an exact path before `{param}`, before a greedy one, before `$default`; a method before ANY. */
export function routeMatcher<Target>(
  routes: ReadonlyArray<Route<Target>>,
): (method: string, path: string) => RouteMatch<Target> | null {
  const compiled = routes.map(compile).sort((a, b) => (a.rank < b.rank ? -1 : a.rank > b.rank ? 1 : 0));
  return (method, path) => {
    for (const route of compiled) {
      if (route.method !== "ANY" && route.method !== method) continue;
      const pathParameters = match(route.segments, path);
      if (pathParameters !== null) return { target: route.target, routeKey: route.routeKey, pathParameters };
    }
    return null;
  };
}

function compile<Target>(route: Route<Target>): CompiledRoute<Target> {
  if (route.routeKey === "$default") return { ...route, method: "ANY", segments: null, rank: "9" };
  const [method, path] = route.routeKey.split(" ");
  if (method === undefined || path === undefined || !path.startsWith("/")) {
    throw new Error(`route key "${route.routeKey}" is neither "METHOD /path" nor "$default"`);
  }
  const segments = split(path).map(segmentOf);
  const ranks = { literal: "0", param: "1", greedy: "2" };
  // "3" ends the list, so that a route with a further literal or parameter comes before its parent's greedy tail.
  const rank = `${segments.map((segment) => ranks[segment.kind]).join("")}3${method === "ANY" ? "1" : "0"}`;
  return { ...route, method, segments, rank };
}

function segmentOf(text: string): Segment {
  const name = /^\{([^}+]+)(\+?)\}$/.exec(text);
  if (name === null) return { kind: "literal", text };
  return { kind: name[2] === "+" ? "greedy" : "param", text: name[1] as string };
}

/** A trailing slash does not change the route; it stays in `rawPath`. */
function split(path: string): string[] {
  return path.replace(/^\//, "").replace(/\/$/, "").split("/");
}

function match(segments: readonly Segment[] | null, path: string): Record<string, string> | null {
  if (segments === null) return {};
  const parts = split(path);
  const parameters: Record<string, string> = {};
  for (const [index, segment] of segments.entries()) {
    const part = parts[index];
    if (part === undefined) return null;
    if (segment.kind === "greedy") {
      parameters[segment.text] = parts.slice(index).join("/");
      return parameters;
    }
    if (segment.kind === "literal" && segment.text !== part) return null;
    if (segment.kind === "param") {
      if (part === "") return null;
      parameters[segment.text] = part;
    }
  }
  return parts.length === segments.length ? parameters : null;
}

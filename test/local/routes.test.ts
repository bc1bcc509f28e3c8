import { expect, test } from "vitest";
import { routeMatcher } from "../../local/routes.js";

const keys = [
  "$default",
  "ANY /admin/{proxy+}",
  "ANY /in/{sourceId}",
  "ANY /in/{sourceId}/{suffix+}",
  "GET /in/{sourceId}",
  "GET /in/health",
  "POST /publish/{sourceId}",
];
const match = routeMatcher(keys.map((routeKey) => ({ routeKey, target: routeKey })));
const keyOf = (method: string, path: string) => match(method, path)?.routeKey;

test.each([
  ["GET", "/in/health", "GET /in/health", "an exact path before a parameter"],
  ["POST", "/in/health", "ANY /in/{sourceId}", "a parameter where the exact path has another method"],
  ["GET", "/in/src_1", "GET /in/{sourceId}", "a method before ANY"],
  ["PUT", "/in/src_1", "ANY /in/{sourceId}", "ANY for the other methods"],
  ["PUT", "/in/src_1/a/b", "ANY /in/{sourceId}/{suffix+}", "a greedy parameter for what is deeper"],
  ["POST", "/publish/src_1", "POST /publish/{sourceId}", "the method of the route"],
  ["GET", "/publish/src_1", "$default", "$default where no method matches"],
  ["GET", "/nothing", "$default", "$default for any other path"],
  ["GET", "/admin/a/b/c", "ANY /admin/{proxy+}", "a greedy parameter over several segments"],
  ["GET", "//admin/a", "$default", "no route for a doubled slash"],
])("%s %s leads to %s: %s", (method, path, routeKey) => {
  expect(keyOf(method, path)).toBe(routeKey);
});

test("parameters are cut out of the path, a greedy one with its slashes", () => {
  expect(match("POST", "/in/src_1/a/b c/")?.pathParameters).toEqual({ sourceId: "src_1", suffix: "a/b c" });
});

test("a trailing slash leads to the same route", () => {
  expect(match("PUT", "/in/src_1/")).toMatchObject({ routeKey: "ANY /in/{sourceId}" });
});

test("a parameter needs a value", () => {
  expect(keyOf("PUT", "/in/")).toBe("$default");
});

test("without $default an unknown path has no route", () => {
  expect(routeMatcher([{ routeKey: "GET /a", target: 1 }])("GET", "/b")).toBeNull();
});

test("a route key that is none is refused", () => {
  expect(() => routeMatcher([{ routeKey: "GET", target: 1 }])).toThrow('route key "GET"');
});

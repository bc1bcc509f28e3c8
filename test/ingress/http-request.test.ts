import { describe, expect, it } from "vitest";
import { readGatewayEvent } from "../../functions/ingress/gateway-event.js";
import { maxTargetCharacters, parseRequest } from "../../functions/ingress/http-request.js";
import { type HttpApiRequest, httpApiEvent } from "../support/http-api-event.js";

const parse = (request: HttpApiRequest) => parseRequest(readGatewayEvent(httpApiEvent(request)));

describe("a request's route", () => {
  it.each([
    ["/in/src_1", ""],
    ["/in/src_1/", "/"],
    ["/in/src_1/a/b//c/", "/a/b//c/"],
    ["/in/src_1/a?b#c/d%\n", "/a?b#c/d%\n"],
    ["/in/src_1/publish/src_2", "/publish/src_2"],
  ])("%j leads to the source, with its suffix as the gateway decoded it", (path, suffix) => {
    expect(parse({ path })).toMatchObject({ door: "in", sourceId: "src_1", suffix });
  });

  it.each(["GET", "HEAD", "OPTIONS", "PUT", "PATCH", "DELETE", "PURGE"])("takes the method %s", (method) => {
    expect(parse({ method })).toMatchObject({ door: "in", method });
  });

  it.each([
    "",
    "/",
    "/in",
    "/in/",
    "/in//a",
    "/in/a b",
    "/in/ä",
    `/in/${"a".repeat(65)}`,
    "/IN/src",
    "/inner/src",
    "/publish",
    "/publish/src/",
    "/publish/src/a",
    "/admin/sources",
  ])("%j leads nowhere", (path) => {
    expect(parse({ path })).toEqual({ refused: "not_found" });
  });

  it("publishes with POST only", () => {
    expect(parse({ path: "/publish/src" })).toMatchObject({ door: "publish", sourceId: "src" });
    expect(parse({ path: "/publish/src", method: "GET" })).toMatchObject({ refused: "method_not_allowed" });
  });

  it.each([
    ["/hooks/in/src/a", "/a"],
    ["/v1/hooks/in/src", ""],
    ["/in-house/in/src/in/src", "/in/src"],
    ["/hooks/in/src/publish/src", "/publish/src"],
  ])("begins behind the base path of a custom domain: %s", (path, suffix) => {
    const request = { path, pathParameters: { sourceId: "src" }, routeKey: "ANY /in/{sourceId}/{suffix+}" };
    expect(parse(request)).toMatchObject({ door: "in", sourceId: "src", suffix });
  });

  it("is refused when the path names another door than the route that the gateway authorised", () => {
    const request = { path: "/publish/src", routeKey: "ANY /in/{sourceId}/{suffix+}" };
    expect(parse(request)).toEqual({ refused: "not_found" });
  });

  it("may be as long as a queue message can carry, and no longer", () => {
    const query = "q".repeat(maxTargetCharacters);
    expect(parse({ query })).toMatchObject({ query });
    expect(parse({ query, path: "/in/src/" })).toMatchObject({ refused: "uri_too_long" });
  });
});

import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import type { FunctionPool } from "../../local/function-pool.js";
import { Gateway, type GatewayRoutes } from "../../local/gateway.js";
import { Sink } from "../../local/sink.js";
import { rawHttp, requestText } from "./raw-http.js";
import { stubFunction } from "./stub-function.js";

const problems: string[] = [];
let gateway: Gateway;
let echo: FunctionPool;
let scripted: FunctionPool;

/** Gives the event back; `/in/answer` answers what the body says. */
const echoSource = "export const handler = async (event) => ({ statusCode: 200, body: JSON.stringify(event) });";
const scriptedSource = `export const handler = async (event) => {
  const script = JSON.parse(event.body);
  if (script.fail) throw new Error("no");
  if (script.hang) return new Promise(() => {});
  return script.answer;
};`;

beforeAll(async () => {
  echo = stubFunction(echoSource);
  scripted = stubFunction(scriptedSource);
  gateway = await Gateway.open({ port: 0, onProblem: (text) => problems.push(text), integrationTimeoutMs: 5_000 });
  const route = (routeKey: string, pool: FunctionPool, iam = false) => ({
    routeKey,
    target: { iam, invoke: (event: unknown) => pool.invoke(event) },
  });
  const routes: GatewayRoutes = {
    routes: [
      route("ANY /in/{sourceId}", echo),
      route("ANY /in/{sourceId}/{suffix+}", echo),
      route("POST /in/answer", scripted),
      route("ANY /admin/{proxy+}", echo, true),
      route("POST /publish/{sourceId}", echo, true),
    ],
    local: () => null,
  };
  gateway.serve(routes);
});
afterEach(() => problems.splice(0));
afterAll(async () => {
  await gateway.close(0);
  await Promise.all([echo.close(0), scripted.close(0)]);
});

interface SeenEvent {
  rawPath: string;
  rawQueryString: string;
  routeKey: string;
  headers: Record<string, string>;
  cookies?: string[];
  queryStringParameters?: Record<string, string>;
  pathParameters?: Record<string, string>;
  body?: string;
  isBase64Encoded: boolean;
  requestContext: Record<string, unknown> & { http: Record<string, string> };
}

async function post(path: string, body: string | Buffer, headers: Record<string, string> = {}): Promise<SeenEvent> {
  const response = await fetch(gateway.url + path, { method: "POST", body, headers });
  return (await response.json()) as SeenEvent;
}

async function raw(line: string, headers: string[], body = ""): Promise<SeenEvent> {
  const { text } = await rawHttp(gateway.port, requestText(line, headers, body));
  return JSON.parse(text.slice(text.indexOf("\r\n\r\n") + 4)) as SeenEvent;
}

describe("the path and query of an event", () => {
  test("the path is decoded and cut at a decoded question mark, the query stays as sent", async () => {
    const event = await raw("GET /in/src_1/a%3Fb%23c%2Fd%25?x=1%202&x=a+b", ["host: h"]);

    expect(event.rawPath).toBe("/in/src_1/a");
    expect(event.requestContext.http["path"]).toBe("/in/src_1/a");
    expect(event.pathParameters).toEqual({ sourceId: "src_1", suffix: "a" });
    expect(event.rawQueryString).toBe("x=1%202&x=a+b");
    expect(event.queryStringParameters).toEqual({ x: "1 2,a b" });
  });

  test("other decoded characters stay in the path", async () => {
    expect((await raw("GET /in/src_1/b%23c%2Fd%25%20%C3%A9/", ["host: h"])).rawPath).toBe("/in/src_1/b#c/d% é/");
  });

  test("without a query the parameters are left out", async () => {
    const event = await raw("GET /in/src_1", ["host: h"]);

    expect(event.rawQueryString).toBe("");
    expect(event).not.toHaveProperty("queryStringParameters");
  });

  test("a path that cannot be decoded is a 400", async () => {
    expect((await rawHttp(gateway.port, requestText("GET /in/%zz", ["host: h"]))).status).toBe(400);
  });

  test("an unknown route is a 404 with the gateway's message", async () => {
    const response = await fetch(`${gateway.url}/nothing`);

    expect([response.status, await response.json()]).toEqual([404, { message: "Not Found" }]);
  });
});

describe("the headers of an event", () => {
  test("names are lower-case, repeated ones joined by comma", async () => {
    const event = await raw("GET /in/src_1", ["Host: h", "X-GitHub-Event: push", "X-Twice: a", "x-twice: b, c"]);

    expect(event.headers).toMatchObject({ host: "h", "x-github-event": "push", "x-twice": "a,b, c" });
  });

  test("cookies are moved to their list", async () => {
    const event = await raw("GET /in/src_1", ["host: h", "Cookie: a=1; b=2", "cookie: c=3"]);

    expect(event.cookies).toEqual(["a=1", "b=2", "c=3"]);
    expect(event.headers).not.toHaveProperty("cookie");
  });

  test("the gateway adds its own and follows the sender's x-forwarded-for", async () => {
    const { headers } = await raw("GET /in/src_1", [
      "host: h",
      "x-forwarded-for: 203.0.113.9",
      "x-forwarded-proto: gopher",
    ]);

    expect(headers["x-forwarded-for"]).toBe("203.0.113.9, 127.0.0.1");
    expect(headers["x-forwarded-proto"]).toBe("http");
    expect(headers["x-forwarded-port"]).toBe(String(gateway.port));
    expect(headers["x-amzn-trace-id"]).toMatch(/^Root=1-[0-9a-f]{8}-[0-9a-f]{24}$/);
  });

  test("bytes above 127 arrive as Latin-1", async () => {
    const request = Buffer.from(requestText("GET /in/src_1", ["host: h", "x-name: M\u00fcller"]), "latin1");
    const { text } = await rawHttp(gateway.port, request);

    expect(text).toContain('"x-name":"Müller"');
  });

  test("request line and headers above 10,240 bytes are a 431", async () => {
    const status = async (size: number) =>
      (await rawHttp(gateway.port, requestText("GET /in/src_1", ["host: h", `x-long: ${"a".repeat(size)}`]))).status;

    expect(await status(10_000)).toBe(200);
    expect(await status(10_240)).toBe(431);
    expect(await status(70_000)).toBe(431);
  });

  test("thousands of small headers count as they stand on the wire", async () => {
    const headers = Array.from({ length: 3_000 }, (_, index) => `a${index}: b`);
    const { status } = await rawHttp(gateway.port, requestText("GET /in/a", ["host: x", ...headers]));

    expect(status).toBe(431);
  });

  test("an upgrade that is asked for is ignored, its body read", async () => {
    const lines = ["host: h", "upgrade: h2c", "content-type: text/plain", "content-length: 3"];
    const request = [`POST /in/src_1 HTTP/1.1`, ...lines, "connection: upgrade, close", "", "abc"].join("\r\n");
    const { text } = await rawHttp(gateway.port, request);

    expect(text).toContain('"body":"abc"');
  });
});

describe("the body of an event", () => {
  test.each([
    ["text/plain", false],
    ["text/csv; charset=utf-8", false],
    ["application/json", false],
    ["Application/JSON;charset=UTF-8;foo", false],
    ["application/xml", false],
    ["application/javascript", false],
    ["application/json; charset=iso-8859-1", true],
    ["application/x-www-form-urlencoded", true],
    ["application/cloudevents+json", true],
    ["application/octet-stream", true],
    ["multipart/form-data; boundary=b", true],
  ])("of type %s arrives in base64: %s", async (type, base64) => {
    const event = await post("/in/src_1", "a=1&b=é", { "content-type": type });

    expect(event.isBase64Encoded).toBe(base64);
    expect(Buffer.from(event.body ?? "", base64 ? "base64" : "utf8").toString()).toBe("a=1&b=é");
  });

  test("without a type arrives in base64", async () => {
    const event = await raw("POST /in/src_1", ["host: h", "content-length: 2"], "{}");

    expect([event.isBase64Encoded, event.body]).toEqual([true, "e30="]);
  });

  test("that is not UTF-8 stays exact under a text type", async () => {
    const bytes = Buffer.from([0x7b, 0x22, 0xe9, 0x22, 0x7d]);
    const event = await post("/in/src_1", bytes, { "content-type": "application/json" });

    expect(Buffer.from(event.body ?? "", "base64")).toEqual(bytes);
  });

  test("keeps a byte order mark", async () => {
    const bytes = Buffer.from("\ufeff{}");
    const event = await post("/in/src_1", bytes, { "content-type": "application/json" });

    expect(Buffer.from(event.body ?? "", "utf8")).toEqual(bytes);
  });

  test("that is empty is left out", async () => {
    const event = await raw("POST /in/src_1", ["host: h", "content-length: 0"]);

    expect(event).not.toHaveProperty("body");
    expect(event.isBase64Encoded).toBe(false);
  });

  test("in chunks arrives whole, with its length", async () => {
    const chunked = "3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n";
    const event = await raw(
      "POST /in/src_1",
      ["host: h", "content-type: text/plain", "transfer-encoding: chunked"],
      chunked,
    );

    expect(event.body).toBe("abcde");
    expect(event.headers["content-length"]).toBe("5");
    expect(event.headers).not.toHaveProperty("transfer-encoding");
  });

  test("above 10 MB is a 413, above the function's 6 MB too", async () => {
    const status = async (megabytes: number) => {
      const init = {
        method: "POST",
        body: Buffer.alloc(megabytes * 1024 * 1024, "a"),
        headers: { "content-type": "text/plain" },
      };
      return (await fetch(`${gateway.url}/in/src_1`, init)).status;
    };

    expect(await status(11)).toBe(413);
    expect(await status(7)).toBe(413);
    expect(problems).toEqual([]);
  });
});

describe("the context of an event", () => {
  test("tells method, address, route, stage and time", async () => {
    const { requestContext, ...event } = await post("/in/src_1", "x", { "user-agent": "curl/8" });

    expect(event).toMatchObject({ version: "2.0", routeKey: "ANY /in/{sourceId}" });
    expect(requestContext).toMatchObject({
      stage: "$default",
      routeKey: "ANY /in/{sourceId}",
      domainName: "127.0.0.1",
    });
    expect(requestContext.http).toMatchObject({
      method: "POST",
      protocol: "HTTP/1.1",
      sourceIp: "127.0.0.1",
      userAgent: "curl/8",
    });
    expect(requestContext["time"]).toMatch(/^\d\d\/[A-Z][a-z]{2}\/\d{4}:\d\d:\d\d:\d\d \+0000$/);
    expect(requestContext).not.toHaveProperty("authorizer");
  });

  test("of a signed route holds a local identity", async () => {
    const response = await fetch(`${gateway.url}/admin/sources`);
    const event = (await response.json()) as SeenEvent;

    expect(event.requestContext["authorizer"]).toMatchObject({
      iam: { userArn: expect.stringContaining("user/local") },
    });
  });
});

describe("a function's answer", () => {
  const answer = (script: unknown) =>
    fetch(`${gateway.url}/in/answer`, {
      method: "POST",
      body: JSON.stringify(script),
      headers: { "content-type": "application/json" },
    });

  test("gives status, headers, cookies and bytes", async () => {
    const response = await answer({
      answer: {
        statusCode: 202,
        headers: { "Content-Type": "application/octet-stream", "X-Number": 5 },
        cookies: ["a=1; Path=/", "b=2"],
        body: Buffer.from([0, 255, 10]).toString("base64"),
        isBase64Encoded: true,
      },
    });

    expect(response.status).toBe(202);
    expect(response.headers.get("x-number")).toBe("5");
    expect(response.headers.getSetCookie()).toEqual(["a=1; Path=/", "b=2"]);
    expect(Buffer.from(await response.arrayBuffer())).toEqual(Buffer.from([0, 255, 10]));
  });

  test("that is a bare object is a 200 of JSON", async () => {
    const response = await answer({ answer: { ok: true } });

    expect([response.status, response.headers.get("content-type")]).toEqual([200, "application/json"]);
    expect(await response.json()).toEqual({ ok: true });
  });

  test("without a content type is plain text", async () => {
    expect((await answer({ answer: { statusCode: "200", body: "é" } })).headers.get("content-type")).toBe(
      "text/plain;charset=UTF-8",
    );
  });

  test.each([
    ["a status that is none", { statusCode: "abc" }],
    ["a status out of range", { statusCode: 99 }],
    ["a body that is no text", { statusCode: 200, body: { a: 1 } }],
    ["headers that are no object", { statusCode: 200, headers: ["a"] }],
    ["a header that HTTP cannot carry", { statusCode: 200, headers: { "x-a": "b\nc" } }],
    ["cookies that are no list", { statusCode: 200, cookies: "a=1" }],
  ])("with %s is a 500", async (_name, malformed) => {
    const response = await answer({ answer: malformed });

    expect([response.status, await response.json()]).toEqual([500, { message: "Internal Server Error" }]);
  });

  test("that is an exception is a 500 that tells nothing, and a line in the log", async () => {
    const response = await answer({ fail: true });

    expect([response.status, await response.json()]).toEqual([500, { message: "Internal Server Error" }]);
    expect(problems).toEqual(["POST /in/answer → 500: Error: no"]);
  });

  test("that does not come in time is a 503", async () => {
    const hanging = stubFunction("export const handler = () => new Promise(() => {});");
    const impatient = await Gateway.open({ port: 0, onProblem: () => {}, integrationTimeoutMs: 20 });
    impatient.serve({
      routes: [{ routeKey: "$default", target: { iam: false, invoke: (event) => hanging.invoke(event) } }],
      local: () => null,
    });

    expect((await fetch(`${impatient.url}/in/a`)).status).toBe(503);
    await impatient.close(0);
    await hanging.close(0);
  });
});

describe("who may call", () => {
  const status = async (line: string, headers: string[], body = "") =>
    (await rawHttp(gateway.port, requestText(line, headers, body))).status;
  const here = () => `host: 127.0.0.1:${gateway.port}`;

  test("any Host reaches /in, only this machine's names reach the rest", async () => {
    expect(await status("GET /in/a", ["host: abc.tunnel.example"])).toBe(200);
    for (const path of ["/admin/sources", "/nothing"]) {
      expect(await status(`GET ${path}`, ["host: abc.tunnel.example"])).toBe(403);
      expect(await status(`GET ${path}`, ["host: 127.0.0.1"])).toBe(403);
      expect(await status(`GET ${path}`, [`host: localhost.evil.example:${gateway.port}`])).toBe(403);
    }
    for (const name of ["localhost", "127.0.0.1", "[::1]"]) {
      expect(await status("GET /admin/sources", [`host: ${name}:${gateway.port}`])).toBe(200);
    }
  });

  test("a second Host is refused, and letters may be upper-case", async () => {
    expect(await status("GET /admin/sources", [here(), "host: evil.example"])).toBe(400);
    expect(await status("GET /admin/sources", [`host: LocalHost:${gateway.port}`])).toBe(200);
  });

  test("what a page sends to a source reaches the sink, whose list no page reads", async () => {
    const foreign = "origin: http://localhost:3000";
    expect(await status("POST /sink", [here(), foreign, "content-length: 0"])).toBe(404);
    expect(await status("GET /sink/requests", [here(), foreign])).toBe(403);
  });

  test("a page of another origin reaches neither admin nor publish, not even without a body", async () => {
    const foreign = "origin: http://localhost:3000";
    expect(await status("POST /admin/subscriptions/sub_1/pause", [here(), foreign, "content-length: 0"])).toBe(403);
    expect(await status("POST /publish/src_1", [here(), "origin: null", "content-length: 0"])).toBe(403);
    expect(await status("GET /admin/sources", [here(), `origin: http://localhost:${gateway.port}`])).toBe(200);
  });

  test("what an admin write's content type must be is the function's to say, as on AWS", async () => {
    expect(
      await status("PATCH /admin/sources/a", [here(), "content-type: text/plain", "content-length: 2"], "{}"),
    ).toBe(200);
    expect(await status("PATCH /admin/sources/a", [here(), "content-length: 2"], "{}")).toBe(200);
  });

  test("publish takes any content type", async () => {
    expect(await status("POST /publish/a", [here(), "content-type: text/csv", "content-length: 1"], "x")).toBe(200);
  });
});

test("a gateway that serves nothing yet answers 503", async () => {
  const starting = await Gateway.open({ port: 0, onProblem: () => {} });

  expect((await fetch(`${starting.url}/in/a`)).status).toBe(503);
  await starting.close(0);
});

test("a gateway that is drained answers 503 for functions, while local parts go on", async () => {
  const draining = await Gateway.open({ port: 0, onProblem: () => {} });
  const sink = new Sink();
  draining.serve({ routes: [], local: (request, target, body) => sink.handle(request, target, body) });
  draining.drain();

  expect((await fetch(`${draining.url}/in/a`)).status).toBe(503);
  expect((await fetch(`${draining.url}/sink`)).status).toBe(200);
  await draining.close(0);
});

test("a HEAD request gets no body", async () => {
  const response = await fetch(`${gateway.url}/in/src_1`, { method: "HEAD" });

  expect([response.status, await response.text()]).toEqual([200, ""]);
});

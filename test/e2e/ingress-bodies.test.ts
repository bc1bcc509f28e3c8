import { createHmac, randomBytes } from "node:crypto";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { rawHttp, requestText } from "../local/raw-http.js";
import { type Destination, startDestination } from "../support/destination.js";
import { githubSecret } from "../support/ingress-rig.js";
import { eventually, startRelay, type TestRelay } from "../support/relay.js";

/** What providers send, from socket to socket on the deployed bundles: bytes, headers, URLs, copies and sizes. */

let relay: TestRelay;
let destination: Destination;
let port: number;
beforeAll(async () => {
  relay = await startRelay();
  port = Number(new URL(relay.engine.gatewayUrl).port);
  destination = await startDestination(200);
  const verification = { scheme: "github", secrets: [githubSecret] };
  const subscription = { url: `${destination.url}/hooks`, forwardSuffix: true };
  await relay.source(
    { sourceId: "github", verification, dedupe: { from: "header", name: "x-github-delivery" } },
    subscription,
  );
  await relay.source({ sourceId: "open" }, subscription);
});
afterAll(async () => {
  await relay.close();
  await destination.close();
});

const signature = (body: string | Buffer) => `sha256=${createHmac("sha256", githubSecret).update(body).digest("hex")}`;

const arrivalsOf = (id: string) => destination.requests.filter(({ headers }) => headers["x-github-delivery"] === id);
const arrivalOf = (id: string) => eventually(async () => arrivalsOf(id)[0]);

describe("a signed body", () => {
  it.each<[string, string, Buffer, Record<string, string>?]>([
    ["of JSON, as it was escaped", "application/json", Buffer.from('{"u":"https:\\/\\/h.example","t":"\\u0026"}\n')],
    ["of JSON, with numbers that no parser keeps", "application/json", Buffer.from('{"p":7615917337495251231,"c":-0}')],
    ["of a form, which the gateway hands over in base64", "application/x-www-form-urlencoded", Buffer.from("a=%20b+~")],
    ["that is compressed", "application/json", gzipSync('{"a":1}'), { "content-encoding": "gzip" }],
    ["with a byte order mark", "application/json", Buffer.from('\ufeff{"a":1}')],
    ["that calls itself JSON and is not UTF-8", "application/json", Buffer.from("eyJhIjoi6SJ9", "base64")],
    ["with NUL and what queues refuse", "text/plain", Buffer.from("\u0000\u0007\u000b\u001f\uffff\ufffe")],
    [
      "of multipart with binary",
      "multipart/form-data; boundary=b",
      Buffer.from("--b\r\n\r\n\0\xff\xfe\r\n--b--", "latin1"),
    ],
    ["of nothing", "application/json", Buffer.alloc(0)],
    ["of characters beyond ASCII", "application/json", Buffer.from('{"tier":"Gold 😊"}')],
  ])("arrives byte for byte: %s", async (id, type, body, more = {}) => {
    const headers = { "content-type": type, "x-github-delivery": id, "x-hub-signature-256": signature(body), ...more };
    expect((await relay.post("/in/github", body, headers)).status).toBe(202);
    const arrived = await arrivalOf(id);
    expect(arrived.body).toEqual(body);
    expect(arrived.headers).toMatchObject({ "content-type": type, "content-length": String(body.length), ...more });
  });

  it.each([
    ["absent", []],
    ["of another body", [`x-hub-signature-256: ${signature("{ }")}`]],
    ["sent twice", [`x-hub-signature-256: ${signature("{}")}`, `x-hub-signature-256: ${signature("{}")}`]],
    ["of SHA-1 alone", [`x-hub-signature: sha1=${"0".repeat(40)}`]],
    ["beyond ASCII", [`x-hub-signature-256: sha256=é${"a".repeat(63)}`]],
    ["as long as the gateway lets it be", [`x-hub-signature-256: ${"a".repeat(9_000)}`]],
  ])("is refused with one and the same answer when its signature is %s", async (_, lines) => {
    const headers = ["host: h", "content-type: application/json", "content-length: 2", ...lines];
    const { status, text } = await rawHttp(port, requestText("POST /in/github", headers, "{}"));
    expect(status).toBe(401);
    const detail = "The request could not be verified.";
    const problem = { type: "about:blank", title: "Unauthorized", status: 401, detail, code: "unverified" };
    expect(JSON.parse(text.slice(text.indexOf("\r\n\r\n")))).toEqual(problem);
  });
});

describe("headers", () => {
  it("arrive joined where they were repeated, without those of the connection", async () => {
    const headers = [
      ...["host: h", "content-length: 2", "x-github-delivery: joined", "x-many: a", "X-Many: b", "x-hop: 1"],
      ...["connection: x-hop, close", "te: trailers", "proxy-authorization: x", "cookie: a=b", "accept-encoding: br"],
    ];
    const request = ["POST /in/open HTTP/1.1", ...headers, "", "{}"].join("\r\n");
    expect((await rawHttp(port, request)).status).toBe(202);
    const { headers: arrived } = await arrivalOf("joined");
    expect(arrived).toMatchObject({ "x-many": "a,b", "accept-encoding": "identity" });
    for (const name of ["x-hop", "te", "proxy-authorization", "cookie"]) expect(arrived).not.toHaveProperty(name);
  });
});

describe("path and query", () => {
  it.each([
    ["/a/b/", "/hooks/a/b/"],
    ["/?x=1&x=2&y=%20+&z", "/hooks/?x=1&x=2&y=%20+&z"],
    // The gateway decodes the path and ends it at a question mark; what a URL cannot hold is escaped again.
    ["/a%3Fb?x=1", "/hooks/a?x=1"],
    ["/a%2Fb%23c%25%20d", "/hooks/a/b%23c%25%20d"],
  ])("%s becomes %s", async (suffix, target) => {
    expect((await relay.post(`/in/open${suffix}`, "{}", { "x-github-delivery": suffix })).status).toBe(202);
    expect((await arrivalOf(suffix)).target).toBe(target);
  });
});

describe("an event that is sent five times at once", () => {
  it("is one event and one request, and the copies are counted", async () => {
    const headers = { "x-github-delivery": "five", "x-hub-signature-256": signature("{}") };
    const answers = await Promise.all([1, 2, 3, 4, 5].map(() => relay.post("/in/github", "{}", headers)));
    const texts = await Promise.all(answers.map((answer) => answer.text()));
    expect(new Set(texts).size).toBe(1);
    const counted = () => relay.lines.reduce((sum, { Duplicates = 0 }) => sum + Number(Duplicates), 0);
    // Those that came within one millisecond cannot be told from copies that the queue made.
    await eventually(async () => (counted() > 0 ? true : undefined));
    expect(arrivalsOf("five")).toHaveLength(1);
  });
});

describe("a large body", () => {
  const mib = 1024 * 1024;

  it.each<[string, string, number]>([
    ["4.4 MiB in base64", "application/octet-stream", 4.4 * mib],
    ["5.9 MiB of text", "text/plain", 5.9 * mib],
  ])("of %s arrives whole", async (id, type, size) => {
    const body = Buffer.from(randomBytes(Math.floor(size / 2)).toString("hex"));
    const sent = await relay.post("/in/open", body, { "content-type": type, "x-github-delivery": id });
    expect(sent.status).toBe(202);
    const arrived = await arrivalOf(id);
    expect(arrived.body.equals(body)).toBe(true);
  });

  it.each<[string, string, number]>([
    ["4.8 MiB in base64", "application/octet-stream", 4.8 * mib],
    ["6 MiB of text", "text/plain", 6 * mib],
    ["10 MiB of text", "text/plain", 10 * mib],
    ["25 MiB in base64", "application/octet-stream", 25 * mib],
  ])("of %s is 413 before the function sees it", async (_, type, size) => {
    const seen = relay.lines.length;
    const head = [`host: h`, `content-type: ${type}`, `content-length: ${Math.floor(size)}`];
    const request = requestText("POST /in/open", head, "a".repeat(size));
    expect((await rawHttp(port, request)).status).toBe(413);
    expect(relay.lines.slice(seen).filter(({ message }) => message === "request refused")).toEqual([]);
  });
});

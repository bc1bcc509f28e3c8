import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { CliError } from "../../cli/cli-error.js";
import type { Io } from "../../cli/io.js";
import { readSavedRequest } from "../../cli/saved-request/read-saved-request.js";
import { judgedTime } from "../../cli/saved-request/request-time.js";
import type { SavedRequest } from "../../cli/saved-request/saved-request.js";
import { shellWords } from "../../cli/saved-request/shell-words.js";
import { httpApiEvent } from "../support/http-api-event.js";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "steadyhook-saved-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

const read = (content: string | Buffer): Promise<SavedRequest> => {
  const io = { stdin: { isTTY: false, read: async () => Buffer.from(content as string), ask: async () => "" } };
  return readSavedRequest("-", io as unknown as Io);
};

const refusal = async (content: string | Buffer) => {
  const error = await read(content).then(
    () => null,
    (thrown: CliError) => thrown,
  );
  return { code: error?.exitCode, text: error?.message };
};

const bytes = Buffer.from([0x7b, 0x22, 0xe9, 0xff, 0x0d, 0x0a, 0x22, 0x7d]);
const header = (saved: SavedRequest, name: string) => saved.headers.find(([each]) => each === name)?.[1];

describe("raw HTTP", () => {
  it("is read byte for byte, with either line end in its head", async () => {
    for (const end of ["\r\n", "\n"]) {
      const head = ["POST /in/shop/a%20b?x=1&y HTTP/1.1", "Host: relay.example", "X-A: 1", "x-a:2", "", ""].join(end);
      const saved = await read(Buffer.concat([Buffer.from(head), bytes]));
      expect(saved).toMatchObject({
        format: "raw HTTP",
        method: "POST",
        path: "/in/shop/a%20b",
        query: "x=1&y",
        doubts: [],
      });
      expect(saved.body).toEqual(bytes);
      expect(header(saved, "x-a")).toBe("1,2");
    }
  });

  it("ends where Content-Length says, and says so; a body that is too short is doubted", async () => {
    const long = await read("POST /in/shop HTTP/1.1\nContent-Length: 2\n\n{}\n");
    expect(long.body.toString()).toBe("{}");
    expect(long.doubts).toEqual(["Content-Length says 2 bytes, the body has 3: what is more is left out."]);
    const short = await read("POST /in/shop HTTP/1.1\nContent-Length: 4\n\n{}");
    expect(short.body.toString()).toBe("{}");
    expect(short.doubts[0]).toContain("it is not what was sent");
  });

  it("may come in chunks, and without a body", async () => {
    const head = "POST /in/shop HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n";
    expect((await read(`${head}2;x=1\r\n{"\r\n4\r\na":1\r\n1\r\n}\r\n0\r\n\r\n`)).body.toString()).toBe('{"a":1}');
    expect((await read(`${head}{}`)).doubts).toHaveLength(1);
    expect((await read("GET /in/shop?challenge=1")).body.length).toBe(0);
  });

  it("with a line that is no header is refused", async () => {
    expect(await refusal("POST / HTTP/1.1\nnonsense\n\n{}")).toEqual({
      code: 2,
      text: "The request has a line in its head that is no header.",
    });
  });
});

describe("a curl command", () => {
  it("is read as browsers copy it, and nothing is run", async () => {
    const saved = await read(
      `$ curl 'https://relay.example/in/shop?a=1' \\\n  -X POST -H 'X-Sig: a b' \\\n  --compressed -sS --data-raw $'{"a":"it\\'s\\n\\u00e9"}'\n`,
    );
    expect(saved).toMatchObject({ format: "a curl command", method: "POST", path: "/in/shop", query: "a=1" });
    expect(saved.body.toString()).toBe('{"a":"it\'s\né"}');
    expect(header(saved, "x-sig")).toBe("a b");
    expect(header(saved, "content-type")).toBe("application/x-www-form-urlencoded");
  });

  it("reads a body from its file as curl would", async () => {
    const file = join(folder, "body");
    writeFileSync(file, "a\nb\n");
    const body = async (option: string) => (await read(`curl http://x/in/a ${option} @${file}`)).body.toString();
    expect(await body("--data-binary")).toBe("a\nb\n");
    expect(await body("-d")).toBe("ab");
    expect(await body("--data-raw")).toBe(`@${file}`);
    expect((await read("curl http://x/in/a -d a=1 -d b=2")).body.toString()).toBe("a=1&b=2");
  });

  it.each([
    ["curl -H 'a: b'", "The curl command names no URL."],
    ["curl http://x --proxy y", "The curl command has --proxy, which is not understood here."],
    ["curl http://x -H", "The curl command's -H has no value."],
    ["curl 'http://x", "The curl command has a quote that does not end."],
  ])("that cannot be read is refused: %s", async (command, text) => {
    expect(await refusal(command)).toEqual({ code: 2, text });
  });

  it("has words as a shell has them", () => {
    expect(shellWords(`a 'b c'"d\\"e"\\ f "" \\\n g$h`)).toEqual(["a", `b cd"e f`, "", "g$h"]);
  });
});

describe("JSON", () => {
  const request = {
    method: "POST",
    url: "https://relay.example/in/shop?a=1",
    headers: [{ name: "X-Sig", value: "1" }],
    postData: { text: '{"é":1}' },
  };
  const entry = { startedDateTime: "2026-01-01T00:00:00.000Z", request };

  it("may be a HAR entry, or a file with one POST", async () => {
    const get = { ...entry, request: { ...request, method: "GET" } };
    for (const file of [entry, { log: { entries: [entry] } }, { log: { entries: [get, entry, get] } }]) {
      const saved = await read(JSON.stringify(file));
      expect(saved).toMatchObject({
        format: "a HAR entry",
        path: "/in/shop",
        query: "a=1",
        atMs: Date.UTC(2026, 0, 1),
      });
      expect(saved.body.toString()).toBe('{"é":1}');
      expect(header(saved, "x-sig")).toBe("1");
    }
    expect(await refusal(JSON.stringify({ log: { entries: [entry, entry] } }))).toEqual({
      code: 2,
      text: "The HAR file has 2 POST requests of 2 entries, not one.",
    });
  });

  it("may be an event of API Gateway, of either payload version", async () => {
    const body = gzipSync("{}");
    const event = httpApiEvent({ path: "/in/shop/x", query: "a=%20", headers: { "X-Sig": "1" }, body });
    const saved = await read(JSON.stringify(event));
    expect(saved).toMatchObject({
      format: "an event of API Gateway",
      method: "POST",
      path: "/in/shop/x",
      query: "a=%20",
    });
    expect(saved.body).toEqual(body);
    expect(saved.atMs).toBe(Date.UTC(2026, 0, 1));
    const old = await read(
      JSON.stringify({
        httpMethod: "POST",
        path: "/in/shop",
        headers: { "X-Sig": "1" },
        queryStringParameters: { a: "1 2" },
        body: "{}",
        isBase64Encoded: false,
        requestContext: { requestTimeEpoch: 1 },
      }),
    );
    expect(old).toMatchObject({ path: "/in/shop", query: "a=1+2", atMs: 1, body: Buffer.from("{}") });
    expect(old.doubts).toHaveLength(1);
  });

  it("may be the plain form, its body as text or in base64", async () => {
    const plain = { method: "put", path: "/in/shop?a=1", headers: { "X-Sig": "1" } };
    const saved = await read(
      JSON.stringify({ ...plain, bodyBase64: bytes.toString("base64"), receivedAt: "2026-01-01T00:00:00Z" }),
    );
    expect(saved).toMatchObject({ method: "PUT", path: "/in/shop", query: "a=1", atMs: Date.UTC(2026, 0, 1) });
    expect(saved.body).toEqual(bytes);
    expect((await read(JSON.stringify({ headers: [["a", "1"]], body: "{}" }))).headers).toEqual([["a", "1"]]);
    expect((await refusal(JSON.stringify({ headers: {}, body: {} }))).text).toContain("body must be text");
    expect((await refusal('{"a":1}')).text).toBe("The JSON is no request.");
  });
});

it("what is none of these is refused, with what is known", async () => {
  expect(await refusal("hello")).toEqual({ code: 2, text: "stdin is no request that is understood here." });
  expect((await refusal("")).code).toBe(2);
});

describe("the time at which it is judged", () => {
  const at = async (text: string) => judgedTime(await read(text), 5);
  const post = (...lines: string[]) => ["POST /in/a HTTP/1.1", ...lines, "", "{}"].join("\n");

  it("is its record's, its Date header's, its signature's, or now", async () => {
    const signed = "Stripe-Signature: t=1700000000,v1=00";
    expect(await at(post("Date: Thu, 01 Jan 2026 00:00:00 GMT", signed))).toEqual({
      atMs: Date.UTC(2026, 0, 1),
      from: "its Date header",
    });
    expect(await at(post(signed))).toEqual({ atMs: 1_700_000_000_000, from: "its own timestamp" });
    expect((await at(post("X-Slack-Request-Timestamp: 1700000000"))).atMs).toBe(1_700_000_000_000);
    expect((await at(post("X-HubSpot-Request-Timestamp: 1700000000123"))).atMs).toBe(1_700_000_000_123);
    expect((await at(post("Paddle-Signature: ts=1700000000;h1=00"))).atMs).toBe(1_700_000_000_000);
    expect((await at(`${post("A: b")}`.replace("{}", '{"webhookTimestamp":1700000000123}'))).atMs).toBe(
      1_700_000_000_123,
    );
    expect(await at(post("Twitch-Eventsub-Message-Timestamp: 2026-01-01T00:00:00Z"))).toMatchObject({ atMs: 5 });
  });
});

import { createServer, request as httpRequest, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { executeApiSigner } from "../../cli/aws/sign.js";
import { type RunningConsole, startConsole } from "../../cli/console/console-server.js";
import { RelayClient } from "../../cli/relay-client.js";
import { packageRoot } from "../../local/paths.js";
import { runCli } from "./run-cli.js";
import { checkedSignature } from "./signature-check.js";

const secretAccessKey = "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY";

interface Call {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
  readonly signed: boolean;
}

let relay: Server;
let relayUrl: string;
let calls: Call[];
let running: RunningConsole;
let base: string;
let token: string;

beforeEach(async () => {
  vi.stubEnv("AWS_ACCESS_KEY_ID", "AKIDEXAMPLE");
  vi.stubEnv("AWS_SECRET_ACCESS_KEY", secretAccessKey);
  calls = [];
  relay = createServer(async (incoming, response) => {
    const body = await buffer(incoming);
    const { method = "", url = "", headers } = incoming;
    const signed = checkedSignature(incoming, body, secretAccessKey) !== null;
    calls.push({ method, url, headers, body: body.toString(), signed });
    if (url.endsWith("/body")) response.writeHead(302, { location: `${relayUrl}/bucket/key` }).end();
    else if (url.startsWith("/bucket"))
      response.writeHead(200, { "content-type": "application/octet-stream" }).end("bytes");
    else if (url.includes("absent")) response.writeHead(404, { "content-type": "application/problem+json" }).end("{}");
    else response.writeHead(200, { "content-type": "application/json", "set-cookie": "a=b", etag: '"3"' }).end("{}");
  });
  await new Promise<void>((resolve) => relay.listen(0, "127.0.0.1", resolve));
  relayUrl = `http://127.0.0.1:${(relay.address() as AddressInfo).port}`;
  const sign = executeApiSigner({ region: "eu-central-1", profile: undefined });
  running = await startConsole({
    client: new RelayClient({ baseUrl: relayUrl, ingressUrl: "https://hooks.example/in", sign }),
    relay: { label: "stack Relay", ingressUrl: "https://hooks.example/in", command: "npx steadyhook --stack Relay" },
    folder: `${packageRoot}/dist/console`,
    port: 0,
  });
  const url = new URL(running.url);
  base = url.origin;
  token = url.hash.slice("#token=".length);
});

afterEach(async () => {
  vi.unstubAllEnvs();
  await running.close();
  relay.closeAllConnections();
  await new Promise<void>((resolve) => relay.close(() => resolve()));
});

interface Answer {
  readonly status: number;
  readonly headers: IncomingMessage["headers"];
  readonly text: string;
}

/** A request with exactly these headers: `fetch` would choose some by itself. */
function ask(path: string, headers: Record<string, string> = {}, method = "GET", body = ""): Promise<Answer> {
  const { port } = new URL(base);
  return new Promise((resolve, reject) => {
    const outgoing = httpRequest({ host: "127.0.0.1", port, path, method, headers }, async (incoming) => {
      const text = (await buffer(incoming)).toString();
      resolve({ status: incoming.statusCode ?? 0, headers: incoming.headers, text });
    });
    outgoing.on("error", reject).end(body);
  });
}

const withToken = (more: Record<string, string> = {}) => ({ "x-steadyhook-console": token, ...more });

describe("a call of the page", () => {
  it("goes on to the relay, signed, without the token and whatever else the browser sent", async () => {
    const headers = withToken({ cookie: "other=page", "content-type": "application/json", "if-match": '"3"' });
    const answer = await ask(
      "/admin/subscriptions/sub_1?a=1%202",
      { ...headers, origin: base },
      "PATCH",
      '{"url":"x"}',
    );
    expect(answer).toMatchObject({ status: 200, text: "{}" });
    expect(calls).toMatchObject([
      { method: "PATCH", url: "/admin/subscriptions/sub_1?a=1%202", body: '{"url":"x"}', signed: true },
    ]);
    expect(calls[0]?.headers).toMatchObject({ "if-match": '"3"' });
    expect(JSON.stringify(calls)).not.toContain(token);
    expect(calls[0]?.headers).not.toHaveProperty("cookie");
  });

  it("brings back what the page needs of an answer, refusals too, and no cookie", async () => {
    const answer = await ask("/admin/sources", withToken());
    expect(answer.headers).toMatchObject({
      etag: '"3"',
      "cache-control": "no-store",
      "x-content-type-options": "nosniff",
    });
    expect(answer.headers).not.toHaveProperty("set-cookie");
    expect((await ask("/admin/deliveries/absent", withToken())).status).toBe(404);
  });

  it("follows a body to where it lies, without the signature", async () => {
    expect((await ask("/admin/events/evt_1/body", withToken())).text).toBe("bytes");
    expect(calls[1]?.headers).not.toHaveProperty("authorization");
  });

  it("reaches nothing but /admin", async () => {
    for (const path of [
      "/publish/shop",
      "/admin/../publish/shop",
      "/admin/%2e%2e/publish/shop",
      "//admin/x",
      "/admin",
    ]) {
      expect((await ask(path, withToken())).status).toBe(404);
    }
    expect((await ask("/admin/sources", withToken(), "OPTIONS")).status).toBe(405);
    expect(calls).toEqual([]);
  });

  it("is told what keeps it from the relay", async () => {
    await new Promise<void>((resolve) => {
      relay.close(() => resolve());
      relay.closeAllConnections();
    });
    const { status, text } = await ask("/admin/stats", withToken());
    expect(status).toBe(502);
    expect(JSON.parse(text)).toMatchObject({
      code: "not_reachable",
      detail: expect.stringContaining("nothing listens there"),
    });
    relay.listen(0);
  });
});

describe("anybody else", () => {
  const refused = async (path: string, headers: Record<string, string>, method = "GET") => {
    const { status, headers: answered } = await ask(path, headers, method);
    expect(status).toBe(403);
    expect(Object.keys(answered).filter((name) => name.startsWith("access-control"))).toEqual([]);
    expect(calls).toEqual([]);
  };

  it("without the token of this start is refused, reading too", async () => {
    await refused("/admin/stats", {});
    await refused("/console/relay.json", {});
    await refused("/admin/stats", { "x-steadyhook-console": `${token.slice(0, -1)}_` });
    await refused(`/admin/stats?token=${token}`, { cookie: `token=${token}` });
    await refused("/admin/sources", { "content-type": "application/json" }, "POST");
  });

  it("under another name is refused, the page itself included", async () => {
    const { port } = new URL(base);
    for (const host of [
      "evil.example",
      `evil.example:${port}`,
      "127.0.0.1",
      "127.0.0.1:1",
      `127.0.0.1.evil.example:${port}`,
    ]) {
      await refused("/admin/stats", withToken({ host }));
      await refused("/console/", { host });
    }
  });

  it("from another origin is refused, with the token too", async () => {
    const { port } = new URL(base);
    for (const origin of [
      "https://evil.example",
      "null",
      `http://127.0.0.1:${Number(port) + 1}`,
      `https://127.0.0.1:${port}`,
    ]) {
      await refused("/admin/stats", withToken({ origin }));
      await refused("/admin/sources", withToken({ origin }), "OPTIONS");
    }
    await refused("/admin/stats", withToken({ "sec-fetch-site": "cross-site" }));
    await refused("/admin/stats", withToken({ "sec-fetch-site": "same-site" }));
  });
});

describe("the page", () => {
  it("is served with a policy that lets it do nothing but its work", async () => {
    const { status, headers, text } = await ask("/console/");
    expect(status).toBe(200);
    expect(headers["content-security-policy"]).toMatchInlineSnapshot(
      `"default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; base-uri 'none'; frame-ancestors 'none'; form-action 'none'; require-trusted-types-for 'script'; trusted-types 'none'"`,
    );
    for (const [, name] of text.matchAll(/(?:src|href)="\.\/([^"]+)"/g)) {
      const asset = await ask(`/console/${name}`);
      expect(asset).toMatchObject({ status: 200, headers: { "cache-control": expect.stringContaining("immutable") } });
    }
    expect((await ask("/")).headers.location).toBe("/console/");
  });

  it("has its own files and no other", async () => {
    for (const name of ["manifest.json", "../../package.json", "%2e%2e/%2e%2e/package.json", "x.js"]) {
      expect((await ask(`/console/${name}`)).status).not.toBe(200);
    }
  });
});

describe("the command", () => {
  it("refuses a port that is taken or none", async () => {
    const { port } = new URL(base);
    const taken = await runCli(["console", "--url", relayUrl, "--port", port, "--no-open"]);
    expect(taken).toMatchObject({ code: 2, stderr: expect.stringContaining("EADDRINUSE") });
    expect((await runCli(["console", "--port", "99999"])).code).toBe(2);
  });

  it("has another token at each start", async () => {
    const client = new RelayClient({ baseUrl: relayUrl, ingressUrl: `${relayUrl}/in`, sign: null });
    const again = await startConsole({
      client,
      relay: { label: "", ingressUrl: "", command: "" },
      folder: `${packageRoot}/dist/console`,
      port: 0,
    });
    expect(new URL(again.url).hash).not.toBe(new URL(running.url).hash);
    await again.close();
  });
});

import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, expect, test } from "vitest";
import { seedDemo } from "../../local/seed-demo.js";

/** A tiny admin API: what it holds, and the writes that it saw. */
let server: Server;
let url: string;
let source: object | null;
let subscriptions: Array<{ subscriptionId: string; name: string; url: string; policy?: object }>;
let writes: string[];

beforeEach(async () => {
  [source, subscriptions, writes] = [null, [], []];
  server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = chunks.length === 0 ? null : JSON.parse(Buffer.concat(chunks).toString());
    const [status, answer] = handle(`${request.method} ${request.url}`, body);
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(answer));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterEach(() => new Promise((resolve) => server.close(resolve)));

function handle(call: string, body: object | null): [number, unknown] {
  if (!call.startsWith("GET")) writes.push(call);
  switch (call) {
    case "GET /admin/sources/demo":
      return source === null ? [404, {}] : [200, source];
    case "POST /admin/sources":
      source = body;
      return [201, body];
    case "GET /admin/sources/demo/subscriptions":
      return source === null ? [404, {}] : [200, { items: subscriptions, cursor: null }];
    case "POST /admin/sources/demo/subscriptions":
      subscriptions.push({ ...(body as (typeof subscriptions)[0]), subscriptionId: "sub_1" });
      return [201, body];
    case "PATCH /admin/subscriptions/sub_1":
      Object.assign(subscriptions[0] ?? {}, body);
      return [200, {}];
    default:
      return [500, { call }];
  }
}

test("the first start creates source and subscription, with short delays", async () => {
  await seedDemo(url);

  expect(source).toEqual({ sourceId: "demo" });
  expect(subscriptions).toMatchObject([{ name: "sink", url: `${url}/sink` }]);
  expect(subscriptions[0]?.policy).toMatchObject({ schedule: { kind: "table", delaysSeconds: [3, 10, 20] } });
});

test("the next start changes nothing", async () => {
  await seedDemo(url);
  writes = [];
  await seedDemo(url);

  expect(writes).toEqual([]);
});

test("a start on another port re-points the subscription", async () => {
  await seedDemo(url);
  Object.assign(subscriptions[0] ?? {}, { url: "http://127.0.0.1:1/sink" });
  await seedDemo(url);

  expect(subscriptions[0]?.url).toBe(`${url}/sink`);
});

test("a URL that somebody chose stays", async () => {
  await seedDemo(url);
  Object.assign(subscriptions[0] ?? {}, { url: "https://my.example/hook" });
  await seedDemo(url);

  expect(subscriptions[0]?.url).toBe("https://my.example/hook");
});

test("a refusal is an error with what the relay said", async () => {
  subscriptions = [{ subscriptionId: "sub_2", name: "sink", url: "http://127.0.0.1:1/sink" }];

  await expect(seedDemo(url)).rejects.toThrow("PATCH /admin/subscriptions/sub_2 answered 500");
});

import { afterAll, beforeAll, expect, test } from "vitest";
import { ConsolePage } from "../../local/console-page.js";
import { Gateway } from "../../local/gateway.js";
import { rawHttp, requestText } from "./raw-http.js";

let gateway: Gateway;

beforeAll(async () => {
  gateway = await Gateway.open({ port: 0, onProblem: () => {} });
  const page = new ConsolePage();
  gateway.serve({ routes: [], local: (request, target) => page.handle(request, target) });
});
afterAll(() => gateway.close(0));

test("the console is served with its policy, and knows the relay that serves it", async () => {
  const page = await fetch(`${gateway.url}/console`);
  expect(page.url).toBe(`${gateway.url}/console/`);
  expect(page.headers.get("content-security-policy")).toContain("default-src 'none'; script-src 'self'");
  expect(await page.text()).toContain('<div id="app">');
  expect(await (await fetch(`${gateway.url}/console/relay.json`)).json()).toEqual({
    label: "local relay",
    ingressUrl: `${gateway.url}/in`,
    command: `npx steadyhook --url ${gateway.url}`,
  });
});

test("the console answers to this machine's own names and origin only", async () => {
  for (const path of ["/console/", "/console/relay.json"]) {
    const rebound = await rawHttp(gateway.port, requestText(`GET ${path}`, ["host: evil.example"], ""));
    expect(rebound.text).toMatch(/^HTTP\/1.1 403 /);
    expect((await fetch(gateway.url + path, { headers: { origin: "https://evil.example" } })).status).toBe(403);
  }
  expect((await fetch(`${gateway.url}/console/`, { method: "POST" })).status).toBe(405);
  expect((await fetch(`${gateway.url}/console/manifest.json`)).status).toBe(404);
});

import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type RunningConsole, startConsole } from "../../cli/console/console-server.js";
import { RelayClient } from "../../cli/relay-client.js";
import { packageRoot } from "../../local/paths.js";
import { hasBrowser, launchBrowser, noMisdeeds, openPage } from "../support/browser.js";

/** Calls that came through to the relay. */
let calls: string[];
let relay: Server;
let stranger: Server;
let running: RunningConsole;
let browser: Browser;
let base: string;

const listen = (server: Server): Promise<string> =>
  new Promise((resolve) =>
    server.listen(0, "127.0.0.1", () => resolve(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)),
  );

describe.skipIf(!hasBrowser)("`steadyhook console`", () => {
  beforeAll(async () => {
    relay = createServer((request, response) => {
      calls.push(`${request.method} ${request.url}`);
      response.statusCode = request.url?.startsWith("/admin/sources") ? 200 : 404;
      response.setHeader("content-type", "application/json").end('{"items":[],"cursor":null}');
    });
    stranger = createServer((_request, response) =>
      response.setHeader("content-type", "text/html").end("<h1>Hello</h1>"),
    );
    const baseUrl = await listen(relay);
    await listen(stranger);
    running = await startConsole({
      client: new RelayClient({ baseUrl, ingressUrl: `${baseUrl}/in`, sign: null }),
      relay: { label: "stack Relay", ingressUrl: `${baseUrl}/in`, command: "npx steadyhook --stack Relay" },
      folder: `${packageRoot}/dist/console`,
      port: 0,
    });
    base = new URL(running.url).origin;
    browser = await launchBrowser();
  });

  beforeEach(() => {
    calls = [];
  });

  afterAll(async () => {
    await browser.close();
    await running.close();
    for (const server of [relay, stranger]) {
      server.closeAllConnections();
      server.close();
    }
  });

  it("works with the URL that it printed, whose token goes from the address at once", async () => {
    const { page, misdeeds, close } = await openPage(browser, base);
    const sent: string[] = [];
    page.on("request", (request) => sent.push(request.url()));
    await page.goto(running.url);
    await page.getByText("stack Relay").waitFor();
    await page.goto(`${base}/console/#/sources`);
    await page.getByText("There is no source yet").waitFor();
    await page.getByText("npx steadyhook --stack Relay sources create github").waitFor();
    await page.reload();
    await page.getByText("There is no source yet").waitFor();
    const token = new URL(running.url).hash.slice("#token=".length);
    expect(page.url()).toBe(`${base}/console/#/sources`);
    expect(
      sent.some((url) => new URL(url).pathname + new URL(url).search === token || url.split("#")[0]?.includes(token)),
    ).toBe(false);
    expect(misdeeds).toEqual(noMisdeeds);
    await close();
  });

  it("tells whoever has no token how to get in", async () => {
    const { page, close } = await openPage(browser, base);
    await page.goto(`${base}/console/`);
    await page.getByRole("alert").getByText("open the URL that `steadyhook console` printed").waitFor();
    expect(calls).toEqual([]);
    await close();
  });

  describe("is closed to a page of another site", () => {
    const onStranger = async (visit: (page: Page) => Promise<void>) => {
      const { port } = stranger.address() as AddressInfo;
      const context = await browser.newContext();
      const page = await context.newPage();
      await page.goto(`http://localhost:${port}/`);
      await visit(page);
      await context.close();
      expect(calls).toEqual([]);
    };

    it.each([
      ["reads", "{}"],
      ["reads without CORS", "{ mode: 'no-cors' }"],
      ["reads with credentials", "{ credentials: 'include' }"],
      ["writes JSON", "{ method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' }"],
      ["writes as a form does", "{ method: 'POST', mode: 'no-cors', body: new URLSearchParams({ a: 1 }) }"],
      ["guesses a token", "{ headers: { 'x-steadyhook-console': 'guess' } }"],
    ])("that %s", async (_what, init) => {
      await onStranger(async (page) => {
        const told = await page.evaluate(
          `fetch("${base}/admin/sources", ${init}).then((answer) => answer.text(), () => "refused")`,
        );
        expect(["", "refused"]).toContain(told);
      });
    });

    it("that posts a form, frames it, or loads it as a script", async () => {
      await onStranger(async (page) => {
        await page.evaluate(`new Promise((resolve) => {
          const frame = document.createElement("iframe");
          frame.name = "frame";
          frame.onload = resolve;
          document.body.append(frame);
          const form = document.createElement("form");
          Object.assign(form, { action: "${base}/admin/sources", method: "post", target: "frame" });
          document.body.append(form);
          form.submit();
        })`);
        await page.evaluate(`new Promise((resolve) => {
          const script = document.createElement("script");
          script.onload = script.onerror = resolve;
          script.src = "${base}/admin/sources";
          document.body.append(script);
        })`);
        const frame = page.frame({ name: "frame" });
        await frame?.goto(`${base}/console/`).catch(() => {});
        expect(await page.locator("iframe").contentFrame().locator("#app").count()).toBe(0);
      });
    });
  });

  it("is closed to a name that was made to point here", async () => {
    const rebound = await launchBrowser(
      "--host-resolver-rules=MAP rebound.example 127.0.0.1",
      // Newer browsers refuse this by themselves: here they must not.
      "--disable-features=LocalNetworkAccessChecks",
    );
    const page = await rebound.newPage();
    const name = base.replace("127.0.0.1", "rebound.example");
    // The stranger's own page, from before its name was made to point here.
    await page.route(`${name}/trap`, (route) => route.fulfill({ contentType: "text/html", body: "<h1>Hello</h1>" }));
    await page.goto(`${name}/trap`);
    for (const path of ["/admin/sources", "/console/", "/console/relay.json"]) {
      expect(await page.evaluate(`fetch("${path}").then(({ status }) => status)`)).toBe(403);
    }
    expect(calls).toEqual([]);
    await rebound.close();
  });
});

import { SendMessageCommand, SQSClient } from "@aws-sdk/client-sqs";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { hasBrowser, launchBrowser, noMisdeeds, openPage, type WatchedPage } from "../support/browser.js";
import { type Destination, startDestination } from "../support/destination.js";
import { eventually, isFinal, startRelay, type TestRelay } from "../support/relay.js";

/** What would do something if it ever became markup, a URL, a style or a template. */
const corpus = [
  '<img src=x onerror="alert(1)">',
  '"><script>alert(2)</script>',
  "'><svg/onload=alert(3)>",
  '</pre></code></textarea></title><iframe src="//evil.example/4"></iframe>',
  '<a href="javascript:alert(5)">press</a>',
  '<style>@import "//evil.example/6.css"; * { display: none }</style>',
  '<link rel=stylesheet href="//evil.example/7.css"><base href="//evil.example/">',
  '<meta http-equiv=refresh content="0;url=//evil.example/8">',
  '<form action="//evil.example/9"><button autofocus onfocus=alert(9)>',
  "{{constructor.constructor('alert(10)')()}}#{alert(10)}",
  '<object data="//evil.example/11"></object><embed src="//evil.example/11">',
].join(" ");

/** What text can never become. The page itself has none of these: its one script stands outside of `#app`. */
const injected = [
  ...[
    "img",
    "script",
    "svg",
    "iframe",
    "style",
    "link",
    "meta",
    "base",
    "object",
    "embed",
    "[onerror]",
    "[onload]",
    "[onfocus]",
  ],
  '[href^="javascript:"]',
  '[action*="evil"]',
].map((selector) => `#app ${selector}`);

const hostileHeader = corpus.replaceAll(/[^ -~]/g, "");
const rightToLeft = "\u202Egnp.exe";

let browser: Browser;
let relay: TestRelay;
let destination: Destination;
let sqs: SQSClient | undefined;
let watched: WatchedPage;
let ids: Readonly<Record<"delivery" | "redirected" | "event" | "subscription" | "fault" | "quarantined", string>>;

describe.skipIf(!hasBrowser)("what others wrote", () => {
  beforeAll(async () => {
    [browser, relay, destination] = await Promise.all([launchBrowser(), startRelay(), startDestination(200)]);
    ids = await storeHostileText();
    watched = await openPage(browser, relay.engine.gatewayUrl);
  }, 120_000);

  afterAll(async () => {
    sqs?.destroy();
    await browser.close();
    await relay.close();
    await destination.close();
  });

  const inert = async () => {
    const { page, misdeeds } = watched;
    expect(await page.locator(injected.join(", ")).count()).toBe(0);
    expect(page.url()).toContain(relay.engine.gatewayUrl);
    expect(misdeeds).toEqual(noMisdeeds);
  };

  const views: ReadonlyArray<readonly [view: string, path: () => string, shown: string]> = [
    ["overview", () => "", "Overview"],
    ["list of deliveries", () => "deliveries", "HTTP 400"],
    ["delivery: type, query, headers, body, preview", () => `deliveries/${ids.delivery}`, "alert(1)"],
    ["delivery: location, Retry-After, request id", () => `deliveries/${ids.redirected}`, "Redirects to"],
    ["event: query, suffix, headers, body", () => `events/${ids.event}`, "alert(2)"],
    ["quarantined event", () => `events/${ids.quarantined}`, "alert(1)"],
    ["list of events", () => "events", "evt_"],
    ["quarantine", () => "quarantine", "evt_"],
    ["sources: descriptions", () => "sources", "alert(1)"],
    ["source", () => "sources/shop", "alert(1)"],
    [
      "subscription: URL, description, types, filter, own headers",
      () => `subscriptions/${ids.subscription}`,
      "alert(3)",
    ],
    ["faults: causes", () => "faults", "alert(1)"],
    ["fault: its message", () => `faults/${ids.fault}`, "alert(2)"],
    ["audit trail: reasons", () => "audit", "alert(1)"],
    [
      "an address of one's own making",
      () => `sources/${encodeURIComponent(corpus)}?status=${encodeURIComponent(corpus)}`,
      "Source",
    ],
  ];

  it.each(views)("stays text: %s", async (_view, path, shown) => {
    // The text that is waited for must not be the last view's.
    await watched.page.goto("about:blank");
    await watched.page.goto(`${relay.engine.gatewayUrl}/console/#/${path()}`);
    await watched.page.getByText(shown).first().waitFor();
    await watched.page.waitForLoadState("networkidle");
    await inert();
  });

  it("stays text in every view of a body, and cannot turn round what stands beside it", async () => {
    await watched.page.goto(`${relay.engine.gatewayUrl}/console/#/events/${ids.event}`);
    for (const name of ["JSON", "Text", "Hex"]) {
      await watched.page.getByRole("tab", { name }).click();
      await inert();
    }
    await watched.page.getByRole("tab", { name: "Text" }).click();
    await watched.page.getByText(String.raw`\u{202e}gnp.exe`).first().waitFor();
  });

  it("is a file when a body is downloaded, whatever its type says", async () => {
    await watched.page.goto(`${relay.engine.gatewayUrl}/console/#/events/${ids.event}`);
    const download = watched.page.waitForEvent("download");
    await watched.page.getByRole("link", { name: "Download the body" }).click();
    expect((await download).suggestedFilename()).toBe(`${ids.event}.body`);
    await inert();
  });
});

/** Puts the corpus into every field that takes it. */
async function storeHostileText(): Promise<typeof ids> {
  destination.answer(({ target }) =>
    target.startsWith("/redirects")
      ? {
          status: 302,
          headers: {
            location: `javascript:alert(1)//${hostileHeader}`,
            "retry-after": hostileHeader,
            "x-request-id": hostileHeader,
          },
        }
      : { status: 400, headers: { "content-type": "text/html", "x-request-id": hostileHeader }, body: corpus },
  );
  const [refusing, redirecting] = await relay.source(
    {
      sourceId: "shop",
      description: corpus.slice(0, 1_000),
      eventType: { from: "json", pointer: "/type" },
      managedBy: corpus.slice(0, 64),
    },
    {
      url: `${destination.url}/refuses?q=${encodeURIComponent(corpus)}`,
      description: corpus.slice(0, 1_000),
      filter: { not: { json: "/none", equals: corpus } },
      headers: { "x-own": hostileHeader },
      managedBy: corpus.slice(0, 64),
    },
    { url: `${destination.url}/redirects`, policy: { maxAttempts: 1 } },
  );
  await relay.source({
    sourceId: "guarded",
    description: corpus.slice(0, 1_000),
    verification: { scheme: "github", secrets: ["a shared secret"], onFailure: "quarantine" },
  });
  const headers = { "content-type": "text/html", "x-note": hostileHeader, "x-onerror": "<img src=x onerror=alert(1)>" };
  const body = JSON.stringify({ type: corpus.slice(0, 200), text: corpus, name: rightToLeft });
  const path = `/${encodeURIComponent("<svg onload=alert(1)>")}?q=${encodeURIComponent(corpus)}`;
  const accepted = await relay.post(`/in/shop${path}`, body, headers);
  const { eventId } = (await accepted.json()) as { eventId: string };
  await relay.post(`/in/guarded${path}`, body, { ...headers, "x-hub-signature-256": hostileHeader });
  const deliveries = await relay.deliveries(eventId, isFinal);
  await fetch(`${relay.engine.gatewayUrl}/admin/subscriptions/${refusing?.subscriptionId}/pause`, {
    method: "POST",
    headers: { "content-type": "application/json", "steadyhook-reason": encodeURIComponent(corpus).slice(0, 900) },
  });
  const byId = (id: string | undefined) =>
    deliveries.find(({ subscriptionId }) => subscriptionId === id)?.deliveryId ?? "";
  const { items } = await relay.admin<{ items: { eventId: string }[] }>("GET", "/admin/events?state=quarantined");
  return {
    delivery: byId(refusing?.subscriptionId),
    redirected: byId(redirecting?.subscriptionId),
    event: eventId,
    subscription: refusing?.subscriptionId ?? "",
    fault: await storeFault(),
    quarantined: items[0]?.eventId ?? "",
  };
}

/** A message with a cause as a stranger might word it, on the queue of faults. */
async function storeFault(): Promise<string> {
  const credentials = { accessKeyId: "local", secretAccessKey: "local" };
  const client = new SQSClient({ endpoint: relay.engine.awsUrl, region: "us-east-1", credentials });
  sqs = client;
  const attribute = (StringValue: string) => ({ DataType: "String", StringValue });
  await client.send(
    new SendMessageCommand({
      QueueUrl: relay.engine.wiring.queues.find(({ name }) => name.includes("Fault"))?.url ?? "",
      MessageBody: corpus,
      MessageAttributes: { queue: attribute("delivery"), cause: attribute(corpus) },
    }),
  );
  return eventually(async () => {
    const { items } = await relay.admin<{ items: { faultId: string }[] }>("GET", "/admin/faults");
    return items[0]?.faultId;
  });
}

import type { Browser, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { hasBrowser, launchBrowser, noMisdeeds, openPage, type WatchedPage } from "../support/browser.js";
import { type Scene, setScene } from "../support/console-scene.js";
import { type Destination, startDestination } from "../support/destination.js";
import { eventually, gateChangeKnown, startRelay, type TestRelay } from "../support/relay.js";
import { itCanBeRead } from "./looks.js";

let browser: Browser;
let relay: TestRelay;
let destination: Destination;
let scene: Scene;
let watched: WatchedPage;
let page: Page;

async function open(hash = "#/"): Promise<void> {
  watched = await openPage(browser, relay.engine.gatewayUrl, { viewport: { width: 1_280, height: 900 } });
  page = watched.page;
  await page.goto(`${relay.engine.gatewayUrl}/console/${hash}`);
}

const button = (name: string) => page.getByRole("button", { name, exact: true });
const dialog = () => page.getByRole("dialog");
const status = (text: string) => page.locator(".headline .status", { hasText: text }).waitFor();

describe.skipIf(!hasBrowser)("the console", () => {
  beforeAll(async () => {
    [browser, relay, destination] = await Promise.all([launchBrowser(), startRelay(), startDestination(200)]);
    scene = await setScene(relay, destination);
  }, 120_000);

  afterAll(async () => {
    await browser.close();
    await relay.close();
    await destination.close();
  });

  itCanBeRead(() => ({ browser, relay, scene }));

  describe("an operator", () => {
    afterEach(async () => {
      expect(watched.misdeeds).toEqual(noMisdeeds);
      await watched.close();
    });

    it("finds why a delivery failed from the overview, corrects its destination, and replays it", async () => {
      await open();
      const failed = page.getByRole("table", { name: "Newest dead letters" });
      await failed.getByText("HTTP 422").first().waitFor();
      await failed.getByText("shop/crm").first().waitFor();
      await failed.getByRole("link").first().click();

      await page.getByText("permanent: the destination refused it for good").waitFor();
      await page.getByText('{"error":"unknown customer"}').waitFor();
      await page.getByText('"name": "Ada"').waitFor();
      const failedAt = page.url();

      await page.getByRole("link", { name: "crm" }).click();
      await button("Change destination…").click();
      await dialog().getByLabel("URL").fill(`${destination.url}/ok`);
      await dialog().getByLabel("Why").fill("moved to the new CRM");
      await dialog().getByRole("button", { name: "Save" }).click();
      await dialog().waitFor({ state: "detached" });
      await page.getByText(`${destination.url}/ok`).waitFor();

      await page.goBack();
      expect(page.url()).toBe(failedAt);
      await button("Replay…").click();
      await dialog().getByText(`${destination.url}/ok`).waitFor();
      await dialog().getByRole("button", { name: "Replay", exact: true }).click();
      await page.getByText("Replay of").waitFor();
      await status("delivered");
      await page.getByText("HTTP 200").waitFor();

      await page.goto(`${relay.engine.gatewayUrl}/console/#/audit`);
      await page.getByText("moved to the new CRM").waitFor();
    });

    it("replays many after a look at what would happen", async () => {
      await open("#/deliveries?status=dead_lettered");
      await page.getByRole("link", { name: "Replay these…" }).click();
      const begin = page.getByRole("button", { name: /^Replay \d/ });
      await button("Look first (dry run)").click();
      await page.getByText("1 already replayed").first().waitFor();
      expect(await begin.textContent()).toBe("Replay 5 deliveries");
      const before = destination.requests.length;

      await page.getByLabel("Last HTTP status").fill("404");
      await begin.waitFor({ state: "detached" });
      await button("Look first (dry run)").click();
      await page.getByText("Nothing fits").waitFor();
      expect(destination.requests.length).toBe(before);

      await page.getByLabel("Last HTTP status").fill("");
      await button("Look first (dry run)").click();
      await begin.click();
      await status("done");
      await page.getByText("5 of 5").waitFor();
    });

    it("keeps the filter in the address: reload, back and a link show the same", async () => {
      await open("#/deliveries");
      await page.getByLabel("Status").selectOption("delivered");
      await page.waitForURL(/#\/deliveries\?status=delivered$/);
      await page.getByLabel("Source").fill("shop");
      await page.getByLabel("Source").press("Enter");
      await page.waitForURL(/status=delivered&sourceId=shop$/);
      await page.getByRole("button", { name: "24 h" }).click();
      await page.waitForURL(/since=/);
      const rows = page.getByRole("table", { name: "Deliveries" }).locator("tbody tr");
      await rows.first().waitFor();

      await page.reload();
      await rows.first().waitFor();
      expect(await page.getByLabel("Status").inputValue()).toBe("delivered");
      expect(await page.getByLabel("Source").inputValue()).toBe("shop");
      expect(await page.getByLabel("Since").inputValue()).not.toBe("");

      await page.goBack();
      await page.waitForURL(/status=delivered&sourceId=shop$/);
      await page.goBack();
      await page.goBack();
      await page.waitForURL(/#\/deliveries$/);
      // The address changes before the page is drawn.
      const isUnfiltered = async () => (await page.getByLabel("Status").inputValue()) === "" || undefined;
      await eventually(isUnfiltered);
      expect(await page.getByLabel("Source").inputValue()).toBe("");
    });

    it("walks without a mouse", async () => {
      await open();
      await page.getByRole("heading", { name: "Overview" }).waitFor();
      await page.keyboard.press("?");
      await dialog().getByText("Go to the filter").waitFor();
      await page.keyboard.press("Escape");
      await dialog().waitFor({ state: "detached" });

      await page.keyboard.press("g");
      await page.keyboard.press("d");
      await page.getByRole("heading", { name: "Deliveries" }).waitFor();
      await page.keyboard.press("/");
      await page.locator("select:focus").waitFor();
      expect(await page.evaluate("getComputedStyle(document.activeElement).outlineStyle")).toBe("solid");
      // What is written into a field is text: no view is left.
      await page.getByLabel("Source").focus();
      await page.keyboard.type("god/?");
      expect(await page.getByLabel("Source").inputValue()).toBe("god/?");
      await page.getByLabel("Source").fill("");
      await page.keyboard.press("Enter");

      await page.getByRole("table", { name: "Deliveries" }).getByRole("link").first().focus();
      await page.keyboard.press("Enter");
      await page.getByRole("heading", { name: "Delivery" }).waitFor();
      await page.getByRole("tab", { name: "JSON" }).focus();
      await page.keyboard.press("ArrowLeft");
      await page.getByText("7b 22 74 79 70 65", { exact: false }).waitFor();
      await button("Replay…").focus();
      await page.keyboard.press("Enter");
      await dialog().waitFor();
      await page.keyboard.press("Escape");
      await dialog().waitFor({ state: "detached" });
      await page.locator("button:focus", { hasText: "Replay…" }).waitFor();
    });

    it("pauses a subscription, sees what is parked, and sends a test event", async () => {
      await open(`#/subscriptions/${scene.crmSubscriptionId}`);
      await button("Pause…").click();
      await dialog().getByRole("button", { name: "Pause", exact: true }).click();
      await status("paused");
      await gateChangeKnown();
      await button("Send a test event…").click();
      await dialog().getByRole("button", { name: "Send" }).click();
      await status("parked");
      await page.goBack();
      await button("Resume…").click();
      await dialog().getByRole("button", { name: "Resume", exact: true }).click();
      await status("active");
    });

    it("sees why a request was not verified, and lets it go", async () => {
      await open("#/quarantine");
      await page.getByRole("table", { name: "Events" }).getByRole("link").first().click();
      await button("Verify again").click();
      await page.getByText("not verified", { exact: true }).waitFor();
      await button("Release…").click();
      await dialog().getByRole("button", { name: "Release", exact: true }).click();
      await dialog().waitFor({ state: "detached" });
      await status("released");
    });

    it("is told what to do where there is nothing, or nothing of that name", async () => {
      await open("#/faults");
      await page.getByText("No fault waits").waitFor();
      await page.goto(`${relay.engine.gatewayUrl}/console/#/deliveries/dlv_absent`);
      await page.getByRole("alert").first().waitFor();
      await page.goto(`${relay.engine.gatewayUrl}/console/#/nowhere`);
      await page.getByText("There is nothing at this address.").waitFor();
    });
  });
});

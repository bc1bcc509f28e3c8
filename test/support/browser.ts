import { existsSync } from "node:fs";
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";

const executablePath = "/usr/bin/chromium";

/** Whether tests in a browser can run. CI asks for them: there a browser that is missing is a failure. */
export const hasBrowser = browserIsThere();

function browserIsThere(): boolean {
  if (existsSync(executablePath)) return true;
  const fix = `no ${executablePath}: install it (Debian: apt-get install chromium)`;
  if (process.env["STEADYHOOK_REQUIRE_BROWSER"] === "1") throw new Error(`Tests in a browser cannot run: ${fix}.`);
  process.stderr.write(`Tests in a browser are skipped: ${fix}.\n`);
  return false;
}

/** A fresh profile each time; nothing that would call home. */
export const launchBrowser = (...more: readonly string[]): Promise<Browser> =>
  chromium.launch({
    executablePath,
    args: [
      "--headless",
      "--no-sandbox",
      "--disable-gpu",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
      ...more,
    ],
  });

/** What a page must never do. */
export interface Misdeeds {
  /** `alert` and its kind. */
  readonly dialogs: string[];
  /** URLs of requests to any other origin. */
  readonly elsewhere: string[];
  /** Errors, and what the page's policy has refused. */
  readonly errors: string[];
}

export const noMisdeeds: Misdeeds = { dialogs: [], elsewhere: [], errors: [] };

export interface WatchedPage {
  readonly page: Page;
  readonly misdeeds: Misdeeds;
  close(): Promise<void>;
}

/** A page in a context of its own, watched from the first byte. `origin`: the one that it may talk to. */
export async function openPage(
  browser: Browser,
  origin: string,
  options: BrowserContextOptions = {},
): Promise<WatchedPage> {
  const context = await browser.newContext(options);
  const misdeeds: Misdeeds = { dialogs: [], elsewhere: [], errors: [] };
  const page = await context.newPage();
  page.setDefaultTimeout(20_000);
  page.on("dialog", (dialog) => {
    misdeeds.dialogs.push(dialog.message());
    void dialog.dismiss();
  });
  context.on("request", (request) => {
    if (!request.url().startsWith(`${origin}/`) && !request.url().startsWith("data:,"))
      misdeeds.elsewhere.push(request.url());
  });
  page.on("pageerror", (error) => misdeeds.errors.push(error.message));
  page.on("console", (message) => {
    // A refusal of the API is shown on the page, and by the browser as an error.
    const isRefusal = message.text().startsWith("Failed to load resource");
    if (message.type() === "error" && !isRefusal) misdeeds.errors.push(message.text());
  });
  return { page, misdeeds, close: () => context.close() };
}

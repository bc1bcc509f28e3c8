import { mkdirSync } from "node:fs";
import { join } from "node:path";
import axe from "axe-core";
import type { Browser } from "playwright-core";
import { expect, it } from "vitest";
import { packageRoot } from "../../local/paths.js";
import { noMisdeeds, openPage } from "../support/browser.js";
import type { Scene } from "../support/console-scene.js";
import type { TestRelay } from "../support/relay.js";

const pictures = join(packageRoot, "docs/images");
const writesPictures = process.env["STEADYHOOK_WRITE_SCREENSHOTS"] === "1";

/** What the looks are looked at on. */
export interface LooksRig {
  readonly browser: Browser;
  readonly relay: TestRelay;
  readonly scene: Scene;
}

interface Finding {
  readonly id: string;
  readonly impact: string;
  readonly nodes: ReadonlyArray<{ readonly html: string }>;
}

/** View, its address, a text that is there once everything is, and the name of its picture. */
const views: ReadonlyArray<readonly [view: string, path: (of: Scene) => string, shown: string, picture?: string]> = [
  ["overview", () => "", "shop/crm", "overview"],
  ["deliveries", () => "deliveries", "shop/crm"],
  ["delivery", ({ refusedDeliveryId }) => `deliveries/${refusedDeliveryId}`, '"amount": 1990', "delivery"],
  ["subscription", ({ crmSubscriptionId }) => `subscriptions/${crmSubscriptionId}`, "Gives up", "subscription"],
  ["source", () => "sources/shop", "warehouse"],
  ["quarantine", () => "quarantine", "evt_"],
  ["events", () => "events", "order.paid"],
  ["faults", () => "faults", "No fault waits"],
  ["new replay", () => "replays/new?status=dead_lettered", "Look first"],
  ["audit trail", () => "audit", "subscription.create"],
];

/** Views that together have every colour. */
const coloured = ["overview", "delivery", "subscription", "quarantine", "new replay"];

/** Colours do not depend on the width, nothing else on the scheme: what depends on nothing new is not looked at again. */
const devices = [
  { scheme: "light", width: 1_100, height: 720, rules: "{}" },
  { scheme: "dark", width: 1_100, height: 720, rules: "{ runOnly: ['color-contrast'] }" },
  { scheme: "light", width: 360, height: 740, rules: "{}" },
] as const;

/**
 * Tests that every view can be read: by axe's rules, without scrolling sideways on a phone, and without a misdeed. A part of
 * a file of tests, so that they need no relay of their own.
 */
export function itCanBeRead(rig: () => LooksRig): void {
  it.each(devices)(
    "can be read by everybody: $scheme, $width px",
    async ({ scheme, width, height, rules }) => {
      const { browser, relay, scene } = rig();
      if (writesPictures) mkdirSync(pictures, { recursive: true });
      const options = { colorScheme: scheme, viewport: { width, height }, reducedMotion: "reduce" } as const;
      const { page, misdeeds, close } = await openPage(browser, relay.engine.gatewayUrl, options);
      for (const [view, path, shown, picture] of views) {
        if (scheme === "dark" && !coloured.includes(view)) continue;
        await page.goto(`${relay.engine.gatewayUrl}/console/#/${path(scene)}`);
        await page.getByText(shown).first().waitFor();
        const overflow = await page.evaluate("document.documentElement.scrollWidth - innerWidth");
        expect({ view, overflow }).toEqual({ view, overflow: 0 });
        await page.evaluate(axe.source);
        const found = (await page.evaluate(`axe.run(document, ${rules})`)) as {
          violations: Finding[];
        };
        const grave = found.violations.filter(({ impact }) => impact === "serious" || impact === "critical");
        expect({ view, grave: grave.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)]) }).toEqual({
          view,
          grave: [],
        });
        // On a phone one view is enough to show how it looks there.
        const isPictured = scheme === "light" && (width > 720 || picture === "delivery");
        if (!writesPictures || picture === undefined || !isPictured) continue;
        const name = `console-${picture}${width < 720 ? "-phone" : ""}.png`;
        await page.screenshot({ path: join(pictures, name) });
      }
      expect(misdeeds).toEqual(noMisdeeds);
      await close();
    },
    120_000,
  );
}

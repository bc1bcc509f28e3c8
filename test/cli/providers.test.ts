import { createHmac } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startRelay, type TestRelay } from "../support/relay.js";
import { runCli } from "./run-cli.js";

let relay: TestRelay;
let folder: string;
beforeAll(async () => {
  relay = await startRelay();
  folder = mkdtempSync(join(tmpdir(), "steadyhook-providers-"));
});
afterAll(async () => {
  await relay.close();
  rmSync(folder, { recursive: true });
});

const secret = "whsec_not_to_be_shown";
const cli = (...args: string[]) =>
  runCli(args, { env: { STEADYHOOK_URL: relay.engine.gatewayUrl, HOOK_SECRET: secret, TOKEN: "a verify token" } });
/** Without any relay: its address leads nowhere. */
const offline = (...args: string[]) => runCli(args, { env: { STEADYHOOK_URL: "http://127.0.0.1:9" } });

describe("steadyhook providers", () => {
  it("lists every preset, and shows one with what to do, without a relay", async () => {
    const { stdout } = await offline("providers", "list");
    expect(stdout).toMatch(/^stripe +Stripe +stripe +json:\/id +json:\/type$/m);
    expect(stdout).toMatch(/^microsoft-graph +Microsoft Graph +none +graph$/m);
    const shown = await offline("providers", "show", "square");
    expect(shown.code).toBe(0);
    expect(shown.stdout.split("\n")).toEqual([
      "provider      Square",
      "verification  square",
      "secret        the webhook subscription's signature key",
      "dedupe        json:/event_id (the value that Square gives for this purpose)",
      "event type    json:/type",
      "answer        event-id",
      "reference     https://developer.squareup.com/docs/webhooks/step2subscribe",
      "",
      "The source",
      "  steadyhook sources create square --provider square --secret env:SQUARE_SECRET --public-url https://hooks.example.com/in/square",
      "",
      "At Square",
      "  1. In the Developer Console open the application, Webhooks, Subscriptions, and add a subscription with the source's URL as notification URL.",
      "  2. Choose the API version and the events, and save.",
      "  3. Open the subscription's Endpoint Details, show its Signature Key and copy it.",
      "",
      "Good to know",
      "  - The URL is signed: --public-url must be exactly the notification URL.",
      "  - Each subscription has a key of its own, and so have sandbox and production.",
      "  - Square retries for 24 hours.",
      "",
    ]);
  });

  it("gives the same as JSON, and knows which name was meant", async () => {
    const { stdout } = await offline("providers", "show", "slack", "--json");
    expect(JSON.parse(stdout)).toMatchObject({ name: "slack", verification: { scheme: "slack" }, handshake: "slack" });
    const wrong = await offline("providers", "show", "strpe");
    expect(wrong).toMatchObject({ code: 2, stderr: expect.stringContaining('no preset for a provider "strpe"') });
    expect((await offline("providers", "show", "Stripe")).stderr).toContain("Did you mean stripe?");
  });
});

describe("sources create --provider", () => {
  it("sets all of the preset, says what it set, and what is left to do at the provider", async () => {
    const { code, stdout, stderr } = await cli(
      "sources",
      "create",
      "chat",
      "--provider",
      "slack",
      "--secret",
      "env:HOOK_SECRET",
    );
    expect([code, stderr]).toEqual([0, ""]);
    expect(stdout).toContain("verification  slack, else quarantine\n");
    expect(stdout).toContain("handshake     slack\n");
    expect(stdout).toContain("answer        empty\n");
    expect(stdout).toContain("dedupe        json:/event_id\n");
    expect(stdout).toContain("event type    json:/event/type\n");
    expect(stdout).toContain(
      `\nAt Slack\n  1. In the app's settings open Event Subscriptions, enable events, and paste ${relay.engine.gatewayUrl}/in/chat as Request URL`,
    );
    expect(stdout).not.toContain(secret);
  });

  it("lets what is said win, field by field", async () => {
    const line = "sources create shop --provider shopify --secret env:HOOK_SECRET --dedupe header:x-shopify-event-id";
    const { stdout } = await cli(...line.split(" "), "--event-type", "none", "--on-failure", "reject", "--json");
    expect(JSON.parse(stdout)).toMatchObject({
      verification: { scheme: "shopify", onFailure: "reject" },
      dedupe: { from: "header", name: "x-shopify-event-id" },
      eventType: null,
    });
    const other = await cli("sources", "create", "open", "--provider", "stripe", "--scheme", "none", "--json");
    expect(JSON.parse(other.stdout)).toMatchObject({ verification: null, dedupe: { pointer: "/id" } });
  });

  it("asks for what only its owner knows before it creates anything, with the way to it", async () => {
    const stripe = await cli("sources", "create", "pay", "--provider", "stripe");
    expect(stripe.code).toBe(2);
    expect(stripe.stderr).toContain(
      "error: A source for Stripe needs --secret: the event destination's signing secret",
    );
    expect(stripe.stderr).toContain(`  2. Paste ${relay.engine.gatewayUrl}/in/pay as the endpoint URL.`);
    const square = await cli("sources", "create", "sq", "--provider", "square", "--secret", "env:HOOK_SECRET");
    expect(square.stderr).toContain("A source for Square needs --public-url:");
    const meta = await cli("sources", "create", "wa", "--provider", "meta", "--secret", "env:HOOK_SECRET");
    expect(meta.stderr).toContain("needs --verify-token: a text of your own choice");
    const created = await cli(
      ..."sources create wa --provider meta --secret env:HOOK_SECRET --verify-token env:TOKEN --json".split(" "),
    );
    expect(JSON.parse(created.stdout)).toMatchObject({ handshake: { kind: "meta" }, answer: "empty" });
    expect((await cli("sources", "show", "pay")).code).toBe(1);
  });
});

describe("apply with providers", () => {
  it("makes sources as their presets are, and finds nothing to change the second time", async () => {
    const verification = { secrets: [{ env: "HOOK_SECRET" }] };
    const file = join(folder, "relay.json");
    const sources = [
      { sourceId: "a-slack", provider: "slack", verification },
      { sourceId: "a-form", provider: "typeform", verification },
      { sourceId: "a-meta", provider: "meta", verification, handshake: { verifyToken: { env: "TOKEN" } } },
      { sourceId: "a-graph", provider: "microsoft-graph" },
      {
        sourceId: "a-square",
        provider: "square",
        verification: { ...verification, publicUrl: "https://h.example/in/s" },
      },
    ];
    writeFileSync(file, JSON.stringify({ managedBy: "providers", sources }));
    const first = await cli("apply", file);
    expect([first.code, first.stderr]).toEqual([0, ""]);
    expect(first.stdout).toContain("done: 5 created, 0 changed, 0 deleted");
    expect((await cli("apply", file)).stdout).toBe("no changes (5 objects unchanged)\n");
    const changed = sources.map((each) => (each.sourceId === "a-slack" ? { ...each, dedupe: null } : each));
    writeFileSync(file, JSON.stringify({ managedBy: "providers", sources: changed }));
    const { stdout } = await cli("apply", file);
    expect(stdout).toContain("~ source a-slack");
    expect(stdout).toContain("1 changed");
  });

  it("says what of a preset is missing, with the place in the file", async () => {
    const file = join(folder, "wrong.json");
    writeFileSync(file, JSON.stringify({ sources: [{ sourceId: "a-none", provider: "stripe" }] }));
    const { code, stderr } = await cli("apply", file);
    expect(code).toBe(1);
    expect(stderr).toContain("sources[0].verification.secrets must name at least one secret");
  });
});

describe("sources verify of a relay's source", () => {
  it("asks the relay, with the secrets that it has, and fails where the request is not verified", async () => {
    await cli(..."sources create orders --provider typeform --secret env:HOOK_SECRET".split(" "));
    const file = join(folder, "request");
    const verify = async (body: string, signed: string) => {
      const signature = createHmac("sha256", secret).update(signed).digest("base64");
      writeFileSync(file, `POST /in/orders HTTP/1.1\nTypeform-Signature: sha256=${signature}\n\n${body}`);
      return cli("sources", "verify", "orders", "--request", file);
    };
    const right = await verify("{}", "{}");
    expect([right.code, right.stderr]).toEqual([0, ""]);
    expect(right.stdout).toMatch(/ok {2}signature: .*\nverified by sec_\w+ as of /);
    const wrong = await verify("{}\n", "{}");
    expect(wrong.code).toBe(1);
    expect(wrong.stdout).toContain("-   It verifies without the line break at its end");
    expect(wrong.stderr).toBe("error: The request is not verified: signature mismatch\n");
    expect(right.stdout + wrong.stdout).not.toContain(secret);
    const { items } = await relay.admin<{ items: unknown[] }>("GET", "/admin/events?sourceId=orders");
    expect(items).toEqual([]);
  });
});

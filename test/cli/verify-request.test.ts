import { createHmac } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { forged, type ProviderRequest, providerRequests, publicUrlOf } from "../support/provider-requests.js";
import { runCli } from "./run-cli.js";

const nowMs = Date.UTC(2026, 0, 4, 1);
const thenMs = Date.UTC(2026, 0, 1);
const secret = "whsec_not_to_be_shown";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "steadyhook-verify-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

function saved(content: string): string {
  const path = join(folder, "request");
  writeFileSync(path, content);
  return path;
}

function raw({ headers, body }: { headers: Readonly<Record<string, string>>; body: string }): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return ["POST /in/src HTTP/1.1", ...lines, "", body].join("\r\n");
}

const stripe = (body: string, signed = body) => {
  const seconds = thenMs / 1000;
  const v1 = createHmac("sha256", secret).update(`${seconds}.${signed}`).digest("hex");
  return raw({ headers: { "Stripe-Signature": `t=${seconds},v1=${v1}` }, body });
};

/** Without any relay: its address leads nowhere. */
const verify = (content: string, ...args: string[]) =>
  runCli(["sources", "verify", "--request", saved(content), ...args], {
    nowMs,
    env: { STEADYHOOK_URL: "http://127.0.0.1:9", HOOK_SECRET: secret, OTHER: "another" },
  });
const byStripe = ["--provider", "stripe", "--secret", "env:HOOK_SECRET"];

describe("a saved request that is verified on this machine", () => {
  it("is explained step by step, at its own time, without the secret", async () => {
    const { code, stdout, stderr } = await verify(stripe("{}"), ...byStripe);
    expect([code, stderr]).toEqual([0, ""]);
    expect(stdout.split("\n")).toEqual([
      "raw HTTP: POST /in/src, 1 header, 2 bytes of body; judged at 2026-01-01T00:00:00Z (its own timestamp)",
      "ok  configuration: is sound: scheme stripe",
      "ok  secrets: 1 of 1 can be used",
      "ok  header stripe-signature: is present",
      "ok  timestamp: is 0 s old, 300 s are allowed",
      expect.stringMatching(/^ok {2}encoding: /),
      expect.stringMatching(/^ok {2}signature: .*under secret number 1$/),
      "verified by secret number 1 as of 2026-01-01T00:00:00Z (3d 1h ago)",
      "",
    ]);
    expect(stdout).not.toContain(secret);
  });

  it("is too old at another time, and is told that only the time is off", async () => {
    const { code, stdout, stderr } = await verify(stripe("{}"), ...byStripe, "--at", "2026-01-01T01:00:00Z");
    expect(code).toBe(1);
    expect(stdout).toContain("no  timestamp: is 3600 s old, 300 s are allowed");
    expect(stdout).toContain("-   The signature is right, only its time is off.");
    expect(stderr).toBe("error: The request is not verified: timestamp is too old\n");
  });

  it("is told what of its body, or of its secret, is not what was signed", async () => {
    const newline = await verify(stripe("{}\n", "{}"), ...byStripe);
    expect(newline.code).toBe(1);
    expect(newline.stdout).toContain("-   It verifies without the line break at its end: something on the way");
    const other = await verify(stripe("{}"), "--provider", "stripe", "--secret", "env:OTHER");
    expect(other.stdout).toContain("most likely the secret is another one");
    const twice = await verify(stripe("{}"), ...byStripe, "--secret", "env:OTHER");
    expect(twice.code).toBe(0);
  });

  it("is told whose it looks like, when it lacks the header that is asked for", async () => {
    const { stdout } = await verify(stripe("{}"), "--scheme", "github", "--secret", "env:HOOK_SECRET");
    expect(stdout).toContain("no  header x-hub-signature-256: is missing");
    expect(stdout).toContain("-   It has the header stripe-signature: is it from Stripe (--provider stripe)?");
  });

  it("is answered as JSON too", async () => {
    const { code, stdout } = await verify(stripe("{}"), ...byStripe, "--json");
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      verified: true,
      scheme: "stripe",
      at: "2026-01-01T00:00:00.000Z",
      hints: [],
      request: { format: "raw HTTP", suffix: "", bytes: 2, timeFrom: "its own timestamp" },
    });
  });

  it.each([
    [["--secret", "env:HOOK_SECRET"], "How is it signed?"],
    [["--provider", "nobody"], "There is no preset"],
    [["--provider", "square", "--secret", "env:HOOK_SECRET"], "The options make no verification."],
    [["--provider", "stripe"], "The options make no verification."],
    [["--provider", "sns"], "a certificate that has to be fetched"],
    [["--provider", "microsoft-graph"], "There is nothing to verify by."],
    [[], "Whose secrets?"],
  ])("needs to know how: %j", async (args, text) => {
    const { code, stderr } = await verify(stripe("{}"), ...args);
    expect(code).toBe(2);
    expect(stderr).toContain(text);
  });
});

const signing = providerRequests.filter(({ provider }) => !["sns", "microsoft-graph"].includes(provider));

describe.each(signing.map((each) => [each.provider, each] as const))(
  "what %s sends",
  (provider, sample: ProviderRequest) => {
    const run = (content: string) =>
      runCli(
        ["sources", "verify", "--request", saved(content), "--provider", provider, "--secret", "env:KEY"].concat(
          ["square", "twilio", "hubspot"].includes(provider) ? ["--public-url", publicUrlOf("src")] : [],
        ),
        { nowMs, env: { KEY: sample.secret ?? "" } },
      );

    it("is verified from its file by its preset, days later, and not when it is forged", async () => {
      const sent = sample.request(thenMs);
      expect((await run(raw(sent))).code).toBe(0);
      const wrong = await run(raw(forged(sent)));
      expect(wrong.code).toBe(1);
      expect(wrong.stdout + wrong.stderr).not.toContain(sample.secret);
    });
  },
);

import { createHmac } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { eventIdFromKey } from "../../functions/core/ids.js";
import { eventually, startRelay, type TestRelay } from "../support/relay.js";
import { runCli } from "./run-cli.js";

let relay: TestRelay;

beforeAll(async () => {
  relay = await startRelay();
});
afterAll(() => relay.close());

const cli = (args: readonly string[], env: Record<string, string> = {}, person: { answer?: string } = {}) => {
  const terminal = person.answer === undefined ? {} : { terminal: 200, answer: person.answer };
  return runCli([...args], { env: { STEADYHOOK_URL: relay.engine.gatewayUrl, NO_COLOR: "1", ...env }, ...terminal });
};

const sign = (body: string, secret: string) => `sha256=${createHmac("sha256", secret).update(body).digest("hex")}`;

const post = (path: string, body: string, headers: Record<string, string> = {}) =>
  fetch(`${relay.engine.gatewayUrl}/in/${path}`, { method: "POST", body, headers });

describe("the quarantine, on a relay", () => {
  it("keeps what a wrong secret refuses, verifies it once the secret is right, and delivers it when it is released", async () => {
    const secret = { SECRET: "the wrong secret", NEXT: "the right secret" };
    const create = [
      "sources",
      "create",
      "shop",
      "--scheme",
      "github",
      "--secret",
      "env:SECRET",
      "--dedupe",
      "json:/id",
    ];
    expect((await cli(create, secret)).code).toBe(0);
    expect(await cli(["quarantine", "list"])).toMatchObject({ code: 0, stderr: "Nothing is quarantined.\n" });

    const body = '{"id":"order-1"}';
    expect((await post("shop", body, { "x-hub-signature-256": sign(body, secret.NEXT) })).status).toBe(401);
    const { stdout } = await cli(["quarantine", "list", "--source", "shop"]);
    expect(stdout).toMatch(/^EVENT +SOURCE +REASON/m);
    const [, eventId = ""] = /^(evt_\w+) +shop +signature mismatch/m.exec(stdout) ?? [];

    const wrong = await cli(["quarantine", "verify", eventId]);
    expect(wrong).toMatchObject({ code: 1 });
    expect(wrong.stdout).toMatch(/^no {2}signature: /m);
    expect(wrong.stderr).toContain("is not verified: signature mismatch");
    await cli(["sources", "update", "shop", "--secret", "env:NEXT"], secret);
    const right = await cli(["quarantine", "verify", eventId]);
    expect(right).toMatchObject({ code: 0 });
    expect(right.stdout).toMatch(/^verified by sec_\w+ as of /m);

    expect((await cli(["quarantine", "release", eventId], {}, { answer: "n" })).code).toBe(1);
    expect((await cli(["events", "show", eventId])).stdout).toMatch(/^state +quarantined$/m);
    const released = await cli(["quarantine", "release", eventId, "--yes"]);
    const [, releasedAs = ""] = /^evt_\w+ is released as (evt_\w+) /.exec(released.stdout) ?? [];
    const stored = await eventually(async () => {
      const shown = await cli(["events", "show", releasedAs]);
      return shown.code === 0 ? shown.stdout : undefined;
    });
    expect(stored).toMatch(new RegExp(`^released from +${eventId}$`, "m"));
    expect(stored).toMatch(/^dedupe key +order-1$/m);
    // What the provider's own next try is, too.
    expect(releasedAs).toBe(eventIdFromKey("shop", "order-1"));
    expect((await cli(["quarantine", "release", eventId, "--yes", "--json"])).stdout).toContain(releasedAs);
  });
});

describe("handshakes, on a relay", () => {
  it("are configured by options, answered through the gateway, and leave no event", async () => {
    const create = [
      "sources",
      "create",
      "pages",
      "--handshake",
      "meta",
      "--verify-token",
      "env:TOKEN",
      "--answer",
      "empty",
    ];
    const shown = await cli(create, { TOKEN: "meaty ham hock" });
    expect(shown.stdout).toMatch(/^handshake +meta$/m);
    expect(shown.stdout).toMatch(/^answer +empty$/m);
    expect(shown.stdout).not.toContain("meaty");
    const url = `${relay.engine.gatewayUrl}/in/pages?hub.mode=subscribe&hub.challenge=1537258&hub.verify_token=`;
    const right = await fetch(`${url}meaty%20ham%20hock`);
    expect([right.status, await right.text()]).toEqual([200, "1537258"]);
    expect(right.headers.get("content-type")).toBe("text/plain; charset=utf-8");
    expect(right.headers.get("x-content-type-options")).toBe("nosniff");
    expect((await fetch(`${url}guess`)).status).toBe(403);
    const accepted = await post("pages", "{}");
    expect([accepted.status, await accepted.text()]).toEqual([200, ""]);
    const gone = await cli(["sources", "update", "pages", "--handshake", "none", "--answer", "twiml"]);
    expect(gone.stdout).not.toMatch(/^handshake/m);
    const echoed = await cli(["sources", "update", "pages", "--handshake", "graph"]);
    expect(echoed.code).toBe(0);
  });
});

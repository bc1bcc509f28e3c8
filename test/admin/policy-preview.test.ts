import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { previewPolicy } from "../../functions/core/policy-preview.js";
import { presets } from "../../functions/core/presets.js";
import { type AdminRelay, startAdminRelay } from "../support/admin-relay.js";

describe("the admin API's preview of a policy", () => {
  let relay: AdminRelay;

  beforeEach(async () => {
    relay = await startAdminRelay();
  });

  afterEach(() => relay.close());

  const preview = (body: unknown) => relay.call("POST", "/admin/policy/preview", body);

  test("is the core's, with the policy as it is in force", async () => {
    const policy = { preset: "hookwatch", maxAttempts: 4 };
    const { status, body } = await preview({ policy });
    const resolved = { ...presets.hookwatch, maxAttempts: 4 };
    expect(status).toBe(200);
    expect(body).toEqual({ policy: { preset: "hookwatch", ...resolved }, ...previewPolicy(resolved) });
  });

  test("without a policy is that of subscriptions that give none", async () => {
    for (const body of [{}, { policy: null }]) {
      expect((await preview(body)).body).toMatchObject({ policy: { preset: "default" }, end: { mostAttempts: 5 } });
    }
  });

  test("refuses what a subscription with this policy would be refused for, by the same fields", async () => {
    await relay.call("POST", "/admin/sources", { sourceId: "shop" });
    const url = "https://shop.example/hooks";
    const wrong = [
      { maxAttempts: 0, jitter: 2, capSeconds: 1 },
      { schedule: { kind: "table", delaysSeconds: [1, -2] } },
      { schedule: { kind: "fibonacci" } },
      { attempts: 3 },
      { preset: "none" },
      { retryOn: [409], neverRetry: [409] },
      [],
    ];
    for (const policy of wrong) {
      const previewed = await preview({ policy });
      const created = await relay.call("POST", "/admin/sources/shop/subscriptions", { url, policy });
      expect([previewed.status, previewed.body.code]).toEqual([400, "invalid_request"]);
      expect(previewed.body.errors).toEqual(created.body.errors);
      expect(previewed.body.errors[0].field).toMatch(/^policy/);
    }
    expect((await preview({ plan: {} })).body.errors).toMatchObject([{ field: "plan" }]);
  });

  test("uses the system's defaults", async () => {
    const defaults = { ...relay.context.defaults, policyPreset: "notification-rules", maxAttempts: 30 };
    Object.assign(relay.context, { defaults });
    expect((await preview({})).body).toMatchObject({
      policy: { preset: "notification-rules", maxAttempts: 30 },
      end: { mostAttempts: 30 },
    });
  });

  test("leaves no line in the log, since it changes nothing", async () => {
    await preview({});
    expect(relay.lines).toEqual([]);
  });
});

import { describe, expect, it } from "vitest";
import { aSubscription } from "../../support/builders.js";
import { memoryRelay } from "../../support/memory-relay.js";

describe("a destination that echoes what it was trusted with", () => {
  it("leaves no secret in the preview, also where the preview was cut inside it", async () => {
    const [secret] = aSubscription().secretValues;
    const key = (secret?.value ?? "").slice("whsec_".length);
    const relay = memoryRelay({ subscriptions: [aSubscription()] });
    const { send } = relay.context.sender;
    relay.context.sender.send = async (request) => {
      const preview = Buffer.from(`${"x".repeat(80)} ${key} ${"y".repeat(800)} ${key}`).subarray(0, 1000);
      return { ...(await send(request)), statusCode: relay.requests.length === 1 ? 500 : 200, preview };
    };
    await relay.accept();
    await relay.runToEnd();
    const shown = relay.delivery().attempts.map(({ preview }) => Buffer.from(preview ?? "", "base64").toString());
    expect(shown.map((text) => text.slice(81, 84))).toEqual(["***", "***"]);
    expect(shown.filter((text) => text.includes(key.slice(0, 4)))).toEqual([]);
  });
});

describe("a subscription that no request can be signed for", () => {
  it("is a permanent failure with its reason, not an attempt that is lost", async () => {
    const relay = memoryRelay({ subscriptions: [aSubscription({ secretValues: [] })] });
    await relay.accept();
    await relay.runToEnd();
    expect(relay.requests).toEqual([]);
    expect(relay.delivery()).toMatchObject({ status: "dead_lettered", deadLetterReason: "permanent" });
    const [attempt] = relay.delivery().attempts;
    expect(attempt).toMatchObject({ outcome: "permanent", error: "invalid_header" });
    expect(attempt?.errorDetail).toContain("without a secret");
  });
});

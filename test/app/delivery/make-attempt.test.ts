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

describe("a subscription with a secret header and a client certificate", () => {
  const subscription = aSubscription({
    headers: { "x-team": "billing", "x-api-key": { secret: true } },
    headerValues: [
      ["x-team", "billing"],
      ["x-api-key", "k-3f9a1c7e5b"],
    ],
    tls: { certificate: "CERTIFICATE", ca: "CA" },
    tlsKey: "KEY",
  });

  it("is sent them, and shows the secret nowhere: no preview, no header of the answer, no log", async () => {
    const echoes = [
      ["retry-after", "k-3f9a1c7e5b"],
      ["location", "https://d.example/?key=k-3f9a1c7e5b"],
      ["x-request-id", "id-k-3f9a1c7e5b"],
    ] as const;
    const answers = [503, 302].map((status) => ({ status, headers: echoes }));
    const relay = memoryRelay({ subscriptions: [subscription], answers });
    const { send } = relay.context.sender;
    relay.context.sender.send = async (request) => ({
      ...(await send(request)),
      preview: Buffer.from("you sent k-3f9a1c7e5b"),
    });
    await relay.accept();
    await relay.runToEnd();
    expect(Object.fromEntries(relay.requests[0]?.headers ?? [])).toMatchObject({
      "x-team": "billing",
      "x-api-key": "k-3f9a1c7e5b",
    });
    expect(relay.requests[0]?.tls).toEqual({ certificate: "CERTIFICATE", key: "KEY", ca: "CA" });
    const { attempts } = relay.delivery();
    expect(attempts.map(({ statusCode }) => statusCode)).toEqual([503, 302]);
    expect(attempts[0]).toMatchObject({ requestId: "id-************", retryAfterText: "************" });
    expect(attempts[1]?.location).toBe("https://d.example/?key=************");
    const previews = attempts.map(({ preview }) => Buffer.from(preview ?? "", "base64").toString());
    expect(JSON.stringify([attempts, previews, relay.logged])).not.toContain("k-3f9a");
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

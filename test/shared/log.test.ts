import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { log } from "../../functions/shared/log.js";

describe("log", () => {
  let written: string[] = [];

  beforeEach(() => {
    written = [];
    vi.spyOn(process.stdout, "write").mockImplementation((chunk) => {
      written.push(String(chunk));
      return true;
    });
  });

  afterEach(() => {
    vi.restoreAllMocks();
    vi.unstubAllEnvs();
  });

  const lines = () => written.map((line) => JSON.parse(line) as Record<string, unknown>);

  test("writes one line of JSON with level, message, time and fields", () => {
    log("info", "delivered\nin two lines", { deliveryId: "dlv_1", attempt: 2 });
    expect(written).toHaveLength(1);
    expect(written[0]?.indexOf("\n")).toBe((written[0]?.length ?? 0) - 1);
    expect(lines()[0]).toMatchObject({
      level: "info",
      message: "delivered\nin two lines",
      deliveryId: "dlv_1",
      attempt: 2,
      time: expect.stringMatching(/^\d{4}-.*Z$/),
    });
  });

  test("leaves out what is below LOG_LEVEL", () => {
    vi.stubEnv("LOG_LEVEL", "WARN");
    log("info", "quiet");
    log("warn", "loud");
    expect(lines().map((line) => line["message"])).toEqual(["loud"]);
  });

  test("leaves out debug lines by default", () => {
    vi.stubEnv("LOG_LEVEL", undefined);
    log("debug", "quiet");
    expect(written).toEqual([]);
  });

  test("shows an error's name, message, cause and a short stack", () => {
    log("error", "failed", { error: new TypeError("no queue", { cause: new Error("no socket") }) });
    const error = lines()[0]?.["error"] as { stack: string[] };
    expect(error).toMatchObject({ name: "TypeError", message: "no queue", cause: { message: "no socket" } });
    expect(error.stack.length).toBeLessThanOrEqual(8);
  });

  test("replaces values under secret names at any depth, but not ids or flags", () => {
    log("info", "x", {
      headers: [{ Authorization: "Bearer abc" }],
      signingSecret: "whsec_abc",
      secretId: "sec_1",
      hasSecret: true,
      "x-hub-signature-256": "sha256=abc",
    });
    expect(written[0]).not.toContain("abc");
    expect(lines()[0]).toMatchObject({ secretId: "sec_1", hasSecret: true, signingSecret: "(redacted)" });
  });

  test("survives cycles, big integers and bytes", () => {
    const cyclic: Record<string, unknown> = { count: 1n, bytes: Buffer.from("body") };
    cyclic["self"] = cyclic;
    log("info", "x", { cyclic });
    expect(lines()[0]).toMatchObject({ cyclic: { count: "1", bytes: "(4 bytes)" } });
  });
});

import { describe, expect, test } from "vitest";
import { duration, engineLine, functionLine } from "../../local/log-lines.js";

const plain = { colour: false, json: false };
const nowMs = new Date("2026-03-01T12:00:01").getTime();
const attempt = (fields: object): string | null =>
  functionLine(
    "delivery",
    JSON.stringify({ level: "warn", message: "attempt", time: "…", deliveryId: "dlv_1", attempt: 1, ...fields }),
    plain,
    nowMs,
  );

test("numbers for CloudWatch are no line for a person", () => {
  const line = '{"_aws":{"Timestamp":1,"CloudWatchMetrics":[]},"Attempts":1}';
  expect(functionLine("delivery", line, plain, nowMs)).toBeNull();
  expect(functionLine("delivery", line, { ...plain, json: true }, nowMs)).toBe(line);
});

describe("a sweep", () => {
  const sweep = (level: string, resent: number) =>
    functionLine("sweeper", JSON.stringify({ level, message: "sweep", resent }), plain, nowMs);

  test("is shown when it healed something, and not when all is well", () => {
    expect(sweep("info", 0)).toBeNull();
    expect(sweep("warn", 2)).toBe("12:00:01 sweeper  sweep resent=2");
  });
});

describe("an attempt", () => {
  test("that retries shows its status and when the next one is due", () => {
    const nextAttemptAt = new Date(nowMs + 30_000).toISOString();

    expect(attempt({ statusCode: 503, status: "retry_scheduled", nextAttemptAt })).toBe(
      "12:00:01 delivery dlv_1 attempt 1 → 503, next in 30 s",
    );
  });

  test("that never got an answer shows its error", () => {
    const fields = { statusCode: null, error: "refused", status: "dead_lettered", deadLetterReason: "exhausted" };

    expect(attempt(fields)).toBe("12:00:01 delivery dlv_1 attempt 1 → refused, dead-lettered (exhausted)");
  });

  test("that delivered shows how long it took", () => {
    expect(attempt({ statusCode: 200, status: "delivered", durationMs: 41, nextAttemptAt: null })).toBe(
      "12:00:01 delivery dlv_1 attempt 1 → 200, delivered in 41 ms",
    );
  });

  test("that left its delivery parked says so", () => {
    expect(attempt({ statusCode: 410, status: "parked", nextAttemptAt: null })).toBe(
      "12:00:01 delivery dlv_1 attempt 1 → 410, parked",
    );
  });
});

test("any other line shows its message and fields", () => {
  const line = JSON.stringify({
    level: "info",
    message: "accepted",
    time: "…",
    eventId: "evt_1",
    bytes: 3,
    none: null,
  });

  expect(functionLine("ingress", line, plain, nowMs)).toBe("12:00:01 ingress  accepted eventId=evt_1 bytes=3");
});

test("a line that is no JSON is shown as it is, without control characters", () => {
  expect(functionLine("ingress", "a \u001b[2Jb", plain, nowMs)).toBe("12:00:01 ingress  a \\x1b[2Jb");
});

test("colours are used only when asked for", () => {
  const error = JSON.stringify({ level: "error", message: "broken" });

  expect(functionLine("admin", error, { colour: true, json: false }, nowMs)).toContain("\u001b[31mbroken\u001b[0m");
  expect(functionLine("admin", error, plain, nowMs)).not.toContain("\u001b");
});

test("as JSON a function's line passes unchanged and the engine's own is JSON too", () => {
  const json = { colour: false, json: true };

  expect(functionLine("delivery", '{"message":"attempt"}', json, nowMs)).toBe('{"message":"attempt"}');
  expect(JSON.parse(engineLine("engine", "ready", json, nowMs))).toMatchObject({ message: "ready", label: "engine" });
});

test.each([
  [0, "0 s"],
  [-5, "0 s"],
  [30_400, "30 s"],
  [300_000, "5 min"],
  [5_405_000, "1 h 30 min"],
  [187_200_000, "2 d 4 h"],
])("%d ms reads %s", (ms, text) => {
  expect(duration(ms)).toBe(text);
});

import { afterEach, describe, expect, test } from "vitest";
import type { FunctionPool } from "../../local/function-pool.js";
import { stubFunction } from "./stub-function.js";

const pools: FunctionPool[] = [];
afterEach(() => Promise.all(pools.splice(0).map((pool) => pool.close(0))));

function pool(...args: Parameters<typeof stubFunction>): FunctionPool {
  const made = stubFunction(...args);
  pools.push(made);
  return made;
}

const value = (payload: unknown) => ({ ok: true, payload: JSON.stringify(payload) });

describe("an invocation", () => {
  test("gives the handler's answer to the event as JSON", async () => {
    const echo = pool("export const handler = async (event) => ({ got: event });");

    expect(await echo.invoke({ a: 1, gone: undefined })).toEqual(value({ got: { a: 1 } }));
  });

  test("without an answer is null", async () => {
    expect(await pool("export const handler = async () => {};").invoke({})).toEqual(value(null));
  });

  test("that throws fails with the error's type and message, and the environment goes on", async () => {
    const throwing = pool(
      "let calls = 0; export const handler = async (event) => { calls += 1; if (event.fail) throw new RangeError('no'); return calls; };",
    );

    expect(await throwing.invoke({ fail: true })).toMatchObject({
      ok: false,
      errorType: "RangeError",
      errorMessage: "no",
    });
    expect(await throwing.invoke({})).toEqual(value(2));
  });

  test("gets a context with its time left, request id and name", async () => {
    const source =
      "export const handler = async (_, context) => ({ left: context.getRemainingTimeInMillis(), name: context.functionName, id: context.awsRequestId });";
    const result = await pool(source, { timeoutSeconds: 7 }).invoke({});

    const answer = JSON.parse(result.ok ? result.payload : "{}");
    expect(answer.left).toBeGreaterThan(1_000);
    expect(answer.left).toBeLessThanOrEqual(7_000);
    expect(answer.name).toBe("stub");
    expect(answer.id).toMatch(/^[0-9a-f-]{36}$/);
  });

  test("above 6 MB is refused before the function sees it", async () => {
    const echo = pool("export const handler = async () => 1;");

    expect(await echo.invoke({ body: "x".repeat(6 * 1024 * 1024) })).toMatchObject({
      ok: false,
      errorType: "RequestTooLarge",
    });
  });

  test("with an answer above 6 MB fails", async () => {
    const big = pool("export const handler = async () => 'x'.repeat(6 * 1024 * 1024);");

    expect(await big.invoke({})).toMatchObject({ ok: false, errorType: "Function.ResponseSizeTooLarge" });
  });
});

describe("a function's environment", () => {
  test("holds what it is given and nothing of the engine's", async () => {
    process.env["ENGINE_ONLY"] = "here";
    const env = pool("export const handler = async () => ({ ...process.env });", { environment: { TABLE_NAME: "t" } });

    expect(await env.invoke({})).toEqual(value({ TABLE_NAME: "t" }));
    delete process.env["ENGINE_ONLY"];
  });

  test("is its own: a change does not reach the engine", async () => {
    await pool("export const handler = async () => { process.env.LEAK = 'x'; };").invoke({});

    expect(process.env["LEAK"]).toBeUndefined();
  });
});

describe("a function that goes wrong", () => {
  test("times out even in an endless loop, and the next invocation gets a fresh environment", async () => {
    const source =
      "let calls = 0; export const handler = async (event) => { calls += 1; while (event.loop) {} return calls; };";
    const stuck = pool(source, { timeoutSeconds: 0.3, maxWorkers: 1 });
    await stuck.warm();

    expect(await stuck.invoke({ loop: true })).toMatchObject({
      ok: false,
      errorType: "Sandbox.Timedout",
      errorMessage: "Task timed out after 0.30 seconds",
    });
    expect(await stuck.invoke({})).toEqual(value(1));
  });

  test("that ends its process fails its invocation only", async () => {
    const exits = pool("export const handler = async (event) => { if (event.exit) process.exit(3); return 'alive'; };");

    expect(await exits.invoke({ exit: true })).toMatchObject({ ok: false, errorType: "Runtime.ExitError" });
    expect(await exits.invoke({})).toEqual(value("alive"));
  });

  test("that throws outside its handler fails its invocation only", async () => {
    const source =
      "export const handler = (event) => new Promise((resolve) => { if (!event.crash) resolve('alive'); else setImmediate(() => { throw new Error('stray'); }); });";
    const crashes = pool(source);

    expect(await crashes.invoke({ crash: true })).toMatchObject({ ok: false, errorMessage: "stray" });
    expect(await crashes.invoke({})).toEqual(value("alive"));
  });

  test("whose bundle cannot be loaded fails each invocation with the reason", async () => {
    const broken = pool("throw new Error('broken at load'); export const handler = 1;");

    expect(await broken.invoke({})).toMatchObject({ ok: false, errorMessage: "broken at load" });
    expect(await broken.invoke({})).toMatchObject({ ok: false, errorMessage: "broken at load" });
  });

  test("that crashed while it was idle is replaced unseen", async () => {
    const source =
      "let calls = 0; export const handler = async (event) => { calls += 1; if (event.later) setTimeout(() => process.exit(1), 1); return calls; };";
    const idle = pool(source, { maxWorkers: 1 });
    await idle.invoke({ later: true });

    // Counted from 1 again: a new environment.
    await expect.poll(() => idle.invoke({})).toEqual(value(1));
  });
});

describe("a pool", () => {
  test("runs as many invocations at once as it has environments, one in each", async () => {
    const source =
      "let running = 0; export const handler = async () => { running += 1; const seen = running; await new Promise((r) => setTimeout(r, 50)); running -= 1; return seen; };";
    const two = pool(source, { maxWorkers: 2 });

    const results = await Promise.all(Array.from({ length: 6 }, () => two.invoke({})));

    expect(results).toEqual(Array.from({ length: 6 }, () => value(1)));
  });

  test("starts one more when all wait and nobody works", async () => {
    const source =
      "import { threadId } from 'node:worker_threads'; export const handler = async (event) => { if (event.hang) await new Promise(() => {}); return threadId; };";
    const waiting = pool(source, { eagerWorkers: 1, maxWorkers: 2 });
    const hanging = waiting.invoke({ hang: true });

    expect(await waiting.invoke({})).toMatchObject({ ok: true });
    expect(waiting.size).toBe(2);
    await waiting.close(0);
    await hanging;
  });

  test("starts no other while one works", async () => {
    const source =
      "export const handler = async (event) => { const untilMs = Date.now() + event.ms; while (Date.now() < untilMs) {} };";
    const working = pool(source, { eagerWorkers: 1, maxWorkers: 2 });
    await working.warm();

    await Promise.all([working.invoke({ ms: 300 }), working.invoke({ ms: 0 })]);
    expect(working.size).toBe(1);
  });

  test("ends the environments that nobody needs any more, all but one", async () => {
    const source =
      "import { threadId } from 'node:worker_threads'; export const handler = async (event) => { if (event.wait) await new Promise((r) => setTimeout(r, 30)); return threadId; };";
    const shrinking = pool(source, { maxWorkers: 3 }, () => {}, 50);
    const used = await Promise.all([1, 2, 3].map(() => shrinking.invoke({ wait: true })));
    expect(new Set(used.map((result) => JSON.stringify(result))).size).toBe(3);

    await expect.poll(() => shrinking.size).toBe(1);
    expect(used).toContainEqual(await shrinking.invoke({}));
  });

  test("hands over each line that a function writes", async () => {
    const lines = new Set<string>();
    const writes = pool(
      "export const handler = async () => { console.log('one'); process.stdout.write('two\\n'); console.error('three'); };",
      {},
      (line) => lines.add(line),
    );
    await writes.invoke({});

    await expect.poll(() => lines).toEqual(new Set(["one", "two", "three"]));
  });

  test("lets a running invocation finish when it is closed", async () => {
    const slow = pool(
      "export const handler = async () => { await new Promise((r) => setTimeout(r, 100)); return 'done'; };",
    );
    await slow.warm();
    const running = slow.invoke({});
    await slow.close(5_000);

    expect(await running).toEqual(value("done"));
  });

  test("ends what is still running after its grace", async () => {
    const endless = pool("export const handler = () => new Promise(() => {});");
    await endless.warm();
    const running = [endless.invoke({}), endless.invoke({}), endless.invoke({})];
    await endless.close(20);

    const shutdown = { ok: false, errorType: "Runtime.Shutdown" };
    expect(await Promise.all(running)).toMatchObject([shutdown, shutdown, shutdown]);
  });
});

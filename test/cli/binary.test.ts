import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const binary = fileURLToPath(new URL("../../bin/steadyhook.js", import.meta.url));

/** As many sources as a pipe does not hold. */
const items = Array.from({ length: 5_000 }, (_value, index) => ({
  sourceId: `source-${index}`,
  verification: null,
  dedupe: null,
  eventType: null,
  description: "one of many",
  managedBy: null,
  updatedAt: "2026-01-31T12:00:00.000Z",
}));

let server: Server;
let url: string;

beforeAll(async () => {
  const page = JSON.stringify({ items, cursor: null });
  server = createServer((request, response) => {
    if (request.url?.startsWith("/silent/")) server.emit("silent");
    else response.setHeader("content-type", "application/json").end(page);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

afterAll(() => {
  server.closeAllConnections();
  server.close();
});

/** Runs a shell line, in which `$CLI` is the binary, and gives what came of it. */
function shell(line: string): Promise<{ code: number | null; stdout: string; stderr: string }> {
  const { FORCE_COLOR: _ofTheTests, ...rest } = process.env;
  const env = { ...rest, CLI: `${process.execPath} ${binary}`, STEADYHOOK_URL: url };
  const child = spawn("bash", ["-c", `set -o pipefail; ${line}`], { env, stdio: ["ignore", "pipe", "pipe"] });
  const texts = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const) child[name].on("data", (chunk) => (texts[name] += String(chunk)));
  return new Promise((resolve) => child.on("close", (code) => resolve({ code, ...texts })));
}

describe("the binary", () => {
  it("prints the whole result into a pipe, without colours", async () => {
    const { code, stdout, stderr } = await shell("$CLI sources list | cat");
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout.trimEnd().split("\n")).toHaveLength(items.length + 1);
    expect(stdout).not.toContain("\u001b");
  });

  it("colours a pipe only where it is told to", async () => {
    const first = async (variables: string) => (await shell(`${variables} $CLI sources list | head -n 1`)).stdout;
    expect(await first("FORCE_COLOR=1")).toContain("\u001b[2mSOURCE");
    expect(await first("FORCE_COLOR=0")).not.toContain("\u001b");
    expect(await first("FORCE_COLOR=1 NO_COLOR=1")).not.toContain("\u001b");
  });

  it("ends quietly when its reader has seen enough", async () => {
    const { code, stdout, stderr } = await shell("$CLI sources list | head -n 2");
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toMatch(/^SOURCE .*\nsource-0 .*\n$/);
  });

  it("exits with 0, 1 or 2", async () => {
    const codes = await shell(
      "$CLI --version >&2; echo $?; $CLI stats --url http://127.0.0.1:9; echo $?; $CLI sources lst; echo $?",
    );
    expect(codes.stdout).toBe("0\n1\n2\n");
    expect(codes.stderr).toMatch(/^\d+\.\d+\.\d+\n/);
  });

  it("is ended by Ctrl-C while it waits for an answer, and that is no failure", async () => {
    const isAsked = new Promise<void>((resolve) => server.once("silent", resolve));
    const child = spawn(process.execPath, [binary, "tail", "--url", `${url}/silent`], { stdio: "pipe" });
    const ended = new Promise((resolve) => child.on("close", (code, signal) => resolve({ code, signal })));
    await isAsked;
    child.kill("SIGINT");
    expect(await ended).toEqual({ code: 0, signal: null });
  });

  it("takes a secret from stdin", async () => {
    const { code } = await shell("printf 'a secret' | $CLI sources create github --scheme github --secret - --json");
    expect(code).toBe(0);
  });
});

describe("the bundle", () => {
  it("leaves what AWS takes to chunks that a local command does not load", () => {
    const loaded = [...staticallyLoaded(fileURLToPath(new URL("../../dist/bin/steadyhook.mjs", import.meta.url)))];
    const text = loaded.map((path) => readFileSync(path, "utf8")).join("");
    expect(text).toContain("steadyhook sources list");
    expect(text).not.toMatch(/AWS4-HMAC-SHA256|AWS_ACCESS_KEY_ID|DescribeStacks/);
    // A start that nobody waits for: see the size with `ls -l dist/bin`. Commands and their checks, no client of AWS.
    expect(text.length).toBeLessThan(256 * 1024);
  });
});

/** A module of the bundle and what it imports before it runs. */
function staticallyLoaded(path: string, seen = new Set<string>()): Set<string> {
  if (seen.has(path)) return seen;
  seen.add(path);
  const imports = readFileSync(path, "utf8").matchAll(/(?:\bfrom|\bimport)\s*"(\.[^"]+)"/g);
  for (const [, specifier = ""] of imports) staticallyLoaded(join(dirname(path), specifier), seen);
  return seen;
}

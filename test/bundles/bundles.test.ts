import { execFile } from "node:child_process";
import { cpSync, mkdtempSync, readdirSync, readFileSync } from "node:fs";
import { isBuiltin } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { gzipSync } from "node:zlib";
import { build, type Metafile } from "esbuild";
import { describe, expect, test } from "vitest";
import { packageRoot } from "../../local/paths.js";

const functionsDir = join(packageRoot, "dist/functions");

/** What a cold start reads and parses before the first invocation, and with what opens the first secret. */
const loadedAtStartBytes = [
  { name: "ingress", before: 300_000, withSecrets: 350_000 },
  { name: "delivery", before: 332_000, withSecrets: 360_000 },
];

/** The files of a bundle, with their imports, as a bundler reads them. */
async function readBundle(name: string): Promise<Metafile["inputs"]> {
  const { metafile } = await build({
    absWorkingDir: join(functionsDir, name),
    entryPoints: ["index.mjs"],
    bundle: true,
    platform: "node",
    format: "esm",
    outdir: "out",
    write: false,
    metafile: true,
    logLevel: "silent",
  });
  return metafile.inputs;
}

/** Bytes of the entry, of chunks that are loaded later under these names, and of everything that they import statically. */
function loadedBytes(files: Metafile["inputs"], ...later: string[]): number {
  const seen = new Set<string>();
  const visit = (path: string): void => {
    if (seen.has(path)) return;
    seen.add(path);
    for (const { path: next, kind, external } of files[path]?.imports ?? []) {
      if (kind !== "dynamic-import" && external !== true) visit(next);
    }
  };
  visit("index.mjs");
  for (const name of later) visit(Object.keys(files).find((path) => path.startsWith(`${name}-`)) ?? `no ${name}`);
  return [...seen].reduce((sum, path) => sum + (files[path]?.bytes ?? 0), 0);
}

/** Runs code in a fresh process of the Node that runs the tests, with nothing of this environment. */
const inFreshProcess = (folder: string, code: string) =>
  promisify(execFile)(process.execPath, ["--input-type=module", "--eval", code], {
    cwd: folder,
    env: { AWS_REGION: "us-east-1" },
  });

describe.each(readdirSync(functionsDir))("the bundle %s", (name) => {
  test("is loaded where there is nothing but itself, and exports a handler", async () => {
    const folder = mkdtempSync(join(tmpdir(), "steadyhook-bundle-"));
    cpSync(join(functionsDir, name), folder, { recursive: true });

    const code = "const { handler } = await import('./index.mjs'); console.log(typeof handler, handler.length)";
    const { stdout, stderr } = await inFreshProcess(folder, code);

    expect(stderr).toBe("");
    // Lambda's Node 24 refuses handlers that take a callback, its third argument.
    expect(stdout).toMatch(/^function [012]\n$/);
  });

  test("holds every package that it uses, also in what is loaded later", async () => {
    const files = await readBundle(name);

    const outside = Object.values(files).flatMap(({ imports }) =>
      imports.filter(({ path, external }) => external === true && !isBuiltin(path)).map(({ path }) => path),
    );
    expect(outside).toEqual([]);
  });
});

/** What a browser loads before it shows the first thing, compressed as it would be on its way. */
const consoleBytes = 100 * 1000;

test("the console's whole page is small, and asks nobody else for anything", () => {
  const folder = join(packageRoot, "dist/console");
  const { files } = JSON.parse(readFileSync(join(folder, "manifest.json"), "utf8")) as { files: string[] };
  const contents = files.map((name) => readFileSync(join(folder, name)));
  const page = readFileSync(join(folder, "index.html"), "utf8");

  expect(files).toHaveLength(3);
  expect(contents.reduce((sum, content) => sum + gzipSync(content).length, 0)).toBeLessThan(consoleBytes);
  // No inline script, no inline style, nothing from elsewhere.
  expect(page).not.toMatch(/<script>|<style|style=|\bon[a-z]+=|https?:|src="\/\//);
  expect([...page.matchAll(/(?:src|href)="([^"]*)"/g)].map(([, url]) => url)).toEqual([
    "data:,",
    ...files.filter((name) => name.endsWith(".css")).map((name) => `./${name}`),
    ...files.filter((name) => name.endsWith(".js")).map((name) => `./${name}`),
  ]);
});

test.each(loadedAtStartBytes)("a cold start of $name loads little", async ({ name, before, withSecrets }) => {
  const files = await readBundle(name);

  expect(loadedBytes(files)).toBeLessThanOrEqual(before);
  expect(loadedBytes(files, "kms")).toBeGreaterThan(loadedBytes(files));
  expect(loadedBytes(files, "kms")).toBeLessThanOrEqual(withSecrets);
});

test("the delivery function loads what sends messages with the first one", async () => {
  const files = await readBundle("delivery");

  expect(loadedBytes(files, "queues")).toBeGreaterThan(loadedBytes(files) + 20_000);
});

import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { cp, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import type { TemplateDocument } from "./cloud-template.js";

/** The synthesized stack on disk. */
export interface CloudAssembly {
  readonly template: TemplateDocument;
  /** Folder of an asset by the name of its zip in the assets bucket. */
  readonly assetFolder: (assetKey: string) => string;
}

export interface SynthesisOptions {
  /** The package's folder. */
  readonly root: string;
  /** Where the assembly is kept. */
  readonly outputDir: string;
  /** CDK context over the app's own. */
  readonly context: Readonly<Record<string, unknown>>;
}

/**
 * Synthesizes the app as `cdk synth` does, or takes the last result if nothing that goes into it has changed. A result
 * is kept beside the build too, for other folders.
 */
export async function cloudAssembly(options: SynthesisOptions): Promise<CloudAssembly> {
  const { root, outputDir } = options;
  const context = { ...options.context, "aws:cdk:disable-stack-trace": true };
  const inputs = await hashOfInputs(root, JSON.stringify(context));
  const stamp = join(outputDir, "inputs.sha256");
  if (!existsSync(stamp) || (await readFile(stamp, "utf8")) !== inputs) {
    const kept = join(root, "dist/cdk.out", inputs);
    if (!(await copied(kept, outputDir))) {
      await rm(outputDir, { recursive: true, force: true });
      await synthesize(root, outputDir, context);
      await keep(outputDir, kept);
    }
    await writeFile(stamp, inputs);
  }
  return readAssembly(outputDir);
}

/** The app, the bundles that become its assets, and the libraries that synthesize (by the lock file). */
async function hashOfInputs(root: string, context: string): Promise<string> {
  const hash = createHash("sha256").update(context);
  const functions = join(root, "dist/functions");
  const bundles = (await readdir(functions, { recursive: true })).filter((file) => file.endsWith(".mjs")).sort();
  const files = [...bundles.map((file) => join(functions, file)), join(root, "dist/bin/app.mjs")];
  for (const file of files) hash.update(file).update(await readFile(file));
  const lock = join(root, "package-lock.json");
  if (existsSync(lock)) hash.update(await readFile(lock));
  return hash.digest("hex");
}

/** Whether there was something to copy, and all of it is copied: a build may end it at any time. */
async function copied(from: string, to: string): Promise<boolean> {
  await rm(to, { recursive: true, force: true });
  return cp(from, to, { recursive: true }).then(
    () => true,
    () => false,
  );
}

/** Whole or not at all; others may be doing the same. */
async function keep(folder: string, as: string): Promise<void> {
  const unfinished = `${as}.${process.pid}`;
  if (await copied(folder, unfinished)) await rename(unfinished, as).catch(() => {});
  await rm(unfinished, { recursive: true, force: true });
}

async function synthesize(root: string, outputDir: string, context: Record<string, unknown>): Promise<void> {
  const env = {
    ...process.env,
    CDK_OUTDIR: outputDir,
    CDK_CONTEXT_JSON: JSON.stringify(context),
    CDK_VALIDATION: "false",
  };
  const app = join(root, "dist/bin/app.mjs");
  try {
    await promisify(execFile)(process.execPath, [app], { cwd: root, env, maxBuffer: 16 * 1024 * 1024 });
  } catch (error) {
    const output = String((error as { stderr?: unknown }).stderr ?? "").trim();
    throw new Error(`the CDK app could not be synthesized: ${output || String(error)}`, { cause: error });
  }
}

interface AssemblyManifest {
  readonly artifacts: Readonly<Record<string, { type: string; properties?: { templateFile?: string; file?: string } }>>;
}

interface AssetManifest {
  readonly files?: Readonly<
    Record<string, { source: { path?: string }; destinations: Readonly<Record<string, { objectKey: string }>> }>
  >;
}

async function readAssembly(folder: string): Promise<CloudAssembly> {
  const json = async <T>(file: string): Promise<T> => JSON.parse(await readFile(join(folder, file), "utf8")) as T;
  const { artifacts } = await json<AssemblyManifest>("manifest.json");
  const files = (type: string, key: "templateFile" | "file"): string[] =>
    Object.values(artifacts).flatMap(({ type: found, properties }) =>
      found === type && properties?.[key] !== undefined ? [properties[key]] : [],
    );
  const templates = files("aws:cloudformation:stack", "templateFile");
  const [templateFile] = templates;
  if (templateFile === undefined || templates.length > 1) {
    throw new Error(`the CDK app has ${templates.length} stacks: the local engine runs exactly one`);
  }
  const folders = new Map<string, string>();
  for (const file of files("cdk:asset-manifest", "file")) {
    const manifest = await json<AssetManifest>(file);
    for (const { source, destinations } of Object.values(manifest.files ?? {})) {
      for (const { objectKey } of Object.values(destinations)) {
        if (source.path !== undefined) folders.set(objectKey, join(folder, source.path));
      }
    }
  }
  return {
    template: await json<TemplateDocument>(templateFile),
    assetFolder: (assetKey) => {
      const found = folders.get(assetKey);
      if (found === undefined) throw new Error(`no asset of the CDK app is uploaded as ${assetKey}`);
      return found;
    },
  };
}

import { createHash } from "node:crypto";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const root = fileURLToPath(new URL("..", import.meta.url));

/**
 * Bundles the console into dist/console: a page, one script, one style sheet, each asset under the hash of its content,
 * and manifest.json, which names them: whoever serves the console serves those and nothing else.
 */
export async function bundleConsole() {
  const { outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: { console: "console/src/main.tsx" },
    outdir: "dist/console",
    write: false,
    bundle: true,
    minify: true,
    platform: "browser",
    target: "es2022",
    format: "esm",
    tsconfig: "console/tsconfig.json",
    legalComments: "none",
    logLevel: "warning",
  });
  const folder = new URL("../dist/console/", import.meta.url);
  await mkdir(folder, { recursive: true });
  const names = {};
  for (const { path, contents } of outputFiles) {
    const extension = path.slice(path.lastIndexOf("."));
    const hash = createHash("sha256").update(contents).digest("hex").slice(0, 12);
    names[extension] = `console-${hash}${extension}`;
    await writeFile(new URL(names[extension], folder), contents);
  }
  const page = await readFile(new URL("../console/index.html", import.meta.url), "utf8");
  const named = page.replace("__STYLE__", `./${names[".css"]}`).replace("__SCRIPT__", `./${names[".js"]}`);
  await writeFile(new URL("index.html", folder), named);
  const files = ["index.html", ...Object.values(names)];
  await writeFile(new URL("manifest.json", folder), `${JSON.stringify({ files }, null, 2)}\n`);
}

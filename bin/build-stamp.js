import { createHash } from "node:crypto";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const packageRoot = fileURLToPath(new URL("..", import.meta.url));
const stamp = join(packageRoot, "dist/inputs.sha256");

/** Whatever a bundle is made of; packages by the lock file. */
const sources = ["bin", "cli", "console", "functions", "lib", "local"];
const files = ["package-lock.json", "package.json", "tsconfig.json"];

/** One hash of all that goes into dist/. */
export async function hashOfInputs(root = packageRoot) {
  const listed = await Promise.all(sources.map((folder) => readdir(join(root, folder), { recursive: true })));
  const paths = sources.flatMap((folder, at) => listed[at].map((file) => join(folder, file)));
  const lines = await Promise.all([...paths.sort(), ...files].map((path) => hashLine(root, path)));
  return createHash("sha256").update(lines.join("")).digest("hex");
}

async function hashLine(root, path) {
  try {
    const content = await readFile(join(root, path));
    return `${createHash("sha256").update(content).digest("hex")} ${path}\n`;
  } catch (error) {
    if (error.code === "EISDIR") return "";
    throw error;
  }
}

/** Whether dist/ was built to its end, and from these inputs. */
export async function isBuiltFrom(inputs) {
  return (await readFile(stamp, "utf8").catch(() => null)) === inputs;
}

/** To be written last. */
export async function stampBuild(inputs) {
  await writeFile(stamp, inputs);
}

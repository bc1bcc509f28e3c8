import { mkdir, mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";

/** Plain JavaScript, which a fresh clone can run; so it has no types. */
const { hashOfInputs } = (await import(new URL("../../bin/build-stamp.js", import.meta.url).href)) as {
  readonly hashOfInputs: (root: string) => Promise<string>;
};

const folders = ["bin", "cli", "console/src", "functions", "lib", "local"];

/** A package of one file in each folder. */
async function aPackage(): Promise<string> {
  const root = await mkdtemp(join(tmpdir(), "steadyhook-build-"));
  onTestFinished(() => rm(root, { recursive: true, force: true }));
  for (const folder of folders) {
    await mkdir(join(root, folder), { recursive: true });
    await writeFile(join(root, folder, "file.ts"), "1");
  }
  for (const file of ["package-lock.json", "package.json", "tsconfig.json"]) await writeFile(join(root, file), "{}");
  return root;
}

test("the same inputs need no other build, wherever they are", async () => {
  expect(await hashOfInputs(await aPackage())).toBe(await hashOfInputs(await aPackage()));
});

test.each([...folders.map((folder) => `${folder}/file.ts`), "package-lock.json"])(
  "a change of %s needs another build",
  async (file) => {
    const root = await aPackage();
    const before = await hashOfInputs(root);
    await writeFile(join(root, file), "2");
    expect(await hashOfInputs(root)).not.toBe(before);
  },
);

test("a renamed file needs another build", async () => {
  const root = await aPackage();
  const before = await hashOfInputs(root);
  await rename(join(root, "lib/file.ts"), join(root, "lib/other.ts"));
  expect(await hashOfInputs(root)).not.toBe(before);
});

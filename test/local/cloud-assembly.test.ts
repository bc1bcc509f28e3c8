import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { cloudAssembly } from "../../local/cloud-assembly.js";

/** Stands for the CDK app: writes an assembly and counts its runs. */
const appSource = `
import { appendFileSync, mkdirSync, writeFileSync } from "node:fs";
const out = process.env.CDK_OUTDIR;
const write = (name, value) => writeFileSync(out + "/" + name, JSON.stringify(value));
mkdirSync(out + "/asset.abc", { recursive: true });
appendFileSync("runs.txt", process.env.CDK_VALIDATION + " " + process.env.CDK_CONTEXT_JSON + "\\n");
write("manifest.json", { artifacts: {
  "S.assets": { type: "cdk:asset-manifest", properties: { file: "S.assets.json" } },
  S: { type: "aws:cloudformation:stack", properties: { templateFile: "S.template.json" } },
  Tree: { type: "cdk:tree", properties: { file: "tree.json" } },
} });
write("S.assets.json", { files: { abc: { source: { path: "asset.abc" }, destinations: { here: { objectKey: "abc.zip" } } } } });
write("S.template.json", { Resources: { A: { Type: "AWS::SQS::Queue" } } });
`;

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "steadyhook-assembly-"));
  mkdirSync(join(root, "dist/bin"), { recursive: true });
  mkdirSync(join(root, "dist/functions/ingress"), { recursive: true });
  writeFileSync(join(root, "dist/bin/app.mjs"), appSource);
  writeFileSync(join(root, "dist/functions/ingress/index.mjs"), "export const handler = 1;");
});

const assemble = (context = {}, data = "data") =>
  cloudAssembly({ root, outputDir: join(root, data, "cdk.out"), context });
const runs = () => readFileSync(join(root, "runs.txt"), "utf8").trim().split("\n");

describe("the assembly", () => {
  test("is synthesized by the app, with template and assets", async () => {
    const assembly = await assemble({ "steadyhook:deliverySeconds": 5 });

    expect(assembly.template.Resources).toEqual({ A: { Type: "AWS::SQS::Queue" } });
    expect(assembly.assetFolder("abc.zip")).toBe(join(root, "data/cdk.out/asset.abc"));
    expect(runs()[0]).toMatch(/^false \{"steadyhook:deliverySeconds":5/);
  });

  test("is taken from the folder while nothing has changed", async () => {
    await assemble();
    await assemble();

    expect(runs()).toHaveLength(1);
  });

  test("is taken by another folder while nothing has changed, which then needs the first one no more", async () => {
    await assemble();
    const other = await assemble({}, "other");
    rmSync(join(root, "data"), { recursive: true });

    expect(runs()).toHaveLength(1);
    expect(other.template.Resources).toHaveProperty("A");
    expect(other.assetFolder("abc.zip")).toBe(join(root, "other/cdk.out/asset.abc"));
    expect(existsSync(other.assetFolder("abc.zip"))).toBe(true);
  });

  test.each([
    ["a bundle", () => writeFileSync(join(root, "dist/functions/ingress/index.mjs"), "export const handler = 2;")],
    [
      "a new function",
      () => cpSync(join(root, "dist/functions/ingress"), join(root, "dist/functions/alert"), { recursive: true }),
    ],
    ["the app", () => writeFileSync(join(root, "dist/bin/app.mjs"), `${appSource}\n// changed`)],
    ["the lock file", () => writeFileSync(join(root, "package-lock.json"), "{}")],
  ])("is synthesized again after a change of %s", async (_name, change) => {
    await assemble();
    change();
    await assemble();

    expect(runs()).toHaveLength(2);
  });

  test("is synthesized again for another context", async () => {
    await assemble();
    await assemble({ a: 1 });

    expect(runs()).toHaveLength(2);
  });

  test("that cannot be synthesized is an error with what the app said, and nothing is kept", async () => {
    writeFileSync(join(root, "dist/bin/app.mjs"), "throw new Error('props do not fit');");
    await expect(assemble()).rejects.toThrow("props do not fit");
    writeFileSync(join(root, "dist/bin/app.mjs"), appSource);

    expect((await assemble()).template.Resources).toHaveProperty("A");
  });

  test("an asset that it does not have is an error", async () => {
    const assembly = await assemble();

    expect(() => assembly.assetFolder("other.zip")).toThrow("no asset of the CDK app is uploaded as other.zip");
  });
});

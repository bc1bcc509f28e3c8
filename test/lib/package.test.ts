import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, test } from "vitest";

const repository = fileURLToPath(new URL("../..", import.meta.url));
const compiler = join(repository, "node_modules/typescript/bin/tsc");

/** An app as a newcomer writes it. */
const appSource = `
import { App, Stack, aws_sns } from "aws-cdk-lib";
import { Steadyhook, type SteadyhookProps } from "steadyhook";

const app = new App();
const stack = new Stack(app, "Shop");
const props: SteadyhookProps = { alarms: { topic: new aws_sns.Topic(stack, "Pager") }, defaults: { maxAttempts: 8 } };
const relay = new Steadyhook(stack, "Relay", props);
relay.grantPublish(relay.delivery.function);
app.synth();
`;

let folder: string;
let packed: string[];

function run(command: string, args: string[], env: Record<string, string> = {}): string {
  return execFileSync(command, args, { cwd: folder, env: { ...process.env, ...env }, encoding: "utf8", stdio: "pipe" });
}

// Packs what the build wrote, and installs it beside nothing but its two peers. The build itself is not run again:
// other tests are using it.
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "steadyhook-package-"));
  execFileSync(process.execPath, [compiler, "-p", "tsconfig.lib.json"], { cwd: repository });
  const pack = ["pack", "--ignore-scripts", "--json", "--pack-destination", folder];
  const [tarball] = JSON.parse(execFileSync("npm", pack, { cwd: repository, encoding: "utf8", stdio: "pipe" }));
  packed = tarball.files.map(({ path }: { path: string }) => path);

  writeFileSync(join(folder, "package.json"), JSON.stringify({ name: "shop", private: true }));
  run("npm", ["install", "--offline", "--legacy-peer-deps", "--no-audit", "--no-fund", tarball.filename]);
  mkdirSync(join(folder, "node_modules/@types"), { recursive: true });
  for (const name of ["aws-cdk-lib", "constructs", "@types/node"]) {
    symlinkSync(join(repository, "node_modules", name), join(folder, "node_modules", name), "dir");
  }
});

describe("the package", () => {
  test("holds the library, its types and the built functions, and no source", () => {
    expect(packed).toContain("dist/lib/index.js");
    expect(packed).toContain("dist/types/lib/index.d.ts");
    for (const name of ["ingress", "delivery", "admin", "sweeper"])
      expect(packed).toContain(`dist/functions/${name}/index.mjs`);
    expect(packed.filter((path) => path.endsWith(".ts") && !path.endsWith(".d.ts"))).toEqual([]);
    expect(packed.filter((path) => /^(test|bench|docs|local)\//.test(path))).toEqual([]);
  });

  test("brings no dependency but its peers", () => {
    const installed = readdirSync(join(folder, "node_modules")).filter((name) => !name.startsWith("."));
    expect(new Set(installed)).toEqual(new Set(["@types", "aws-cdk-lib", "constructs", "steadyhook"]));
  });

  test("brings the CLI, whose bundle needs nothing beside it, and the schema of its files", () => {
    const { version } = JSON.parse(readFileSync(join(repository, "package.json"), "utf8"));
    expect(run("npx", ["--offline", "steadyhook", "--version"])).toBe(`${version}\n`);
    expect(() => run("npx", ["--offline", "steadyhook", "stats", "--url", "http://127.0.0.1:9"])).toThrow(
      /No relay answers/,
    );
    expect(packed).toContain("cli/apply.schema.json");
  });

  test.each([
    ["an ES module", "app.mts", "app.mjs"],
    ["CommonJS", "app.cts", "app.cjs"],
  ])("is used from TypeScript in an empty CDK app that is %s, and synthesized there", (_kind, source, compiled) => {
    writeFileSync(join(folder, source), appSource);
    const options = ["--module", "nodenext", "--target", "es2022", "--strict", "--skipLibCheck", "--types", "node"];
    run(process.execPath, [compiler, ...options, source]);
    const outdir = join(folder, `${compiled}.out`);
    run(process.execPath, [compiled], { CDK_OUTDIR: outdir, CDK_VALIDATION: "false" });
    const resources = Object.values(
      JSON.parse(readFileSync(join(outdir, "Shop.template.json"), "utf8")).Resources as Record<
        string,
        { Type: string }
      >,
    );
    expect(resources.filter(({ Type }) => Type === "AWS::Lambda::Function")).toHaveLength(4);
    const assets = readdirSync(outdir).filter((name) => name.startsWith("asset."));
    expect(assets).toHaveLength(4);
    for (const asset of assets) expect(readdirSync(join(outdir, asset))).toContain("index.mjs");
  });
});

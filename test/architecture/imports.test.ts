import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url));

interface SourceFile {
  readonly path: string;
  readonly text: string;
  /** Project files as paths from the root, packages and Node's modules as they are named. */
  readonly imports: readonly string[];
}

const files = ["bin", "lib", "functions", "cli", "console", "local"].flatMap(typescriptFiles).map(readSource);

function typescriptFiles(folder: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((name) => /\.tsx?$/.test(name))
    .map((name) => join(folder, name));
}

function readSource(path: string): SourceFile {
  const text = readFileSync(join(root, path), "utf8");
  const specifiers = [...text.matchAll(/(?<!")\b(?:from|import)\s*\(?\s*"([^"]+)"/g)].map(
    (match) => match[1] as string,
  );
  const imports = specifiers.map((each) => (each.startsWith(".") ? resolve(path, each) : each));
  return { path, text, imports };
}

function resolve(from: string, specifier: string): string {
  const path = relative(root, join(root, dirname(from), specifier));
  const extension = existsSync(join(root, path.replace(/\.js$/, ".tsx"))) ? ".tsx" : ".ts";
  return path.replace(/\.js$/, extension);
}

const inFolder = (folder: string) => files.filter((file) => file.path.startsWith(`${folder}/`));
const isNode = (name: string) => name.startsWith("node:");

/** Every import of the folder's files that no pattern allows, as "file -> import". */
function strangers(folder: string, allowed: (name: string, file: SourceFile) => boolean): string[] {
  return inFolder(folder).flatMap((file) =>
    file.imports.filter((name) => !allowed(name, file)).map((name) => `${file.path} -> ${name}`),
  );
}

describe("the layers", () => {
  it("has files to judge", () => {
    expect(inFolder("functions/core").length).toBeGreaterThan(10);
    expect(inFolder("functions/app").length).toBeGreaterThan(10);
  });

  it("core imports core, and pure parts of Node and of packages", () => {
    const pure = new Set(["node:crypto", "node:zlib", "ipaddr.js"]);
    expect(strangers("functions/core", (name) => name.startsWith("functions/core/") || pure.has(name))).toEqual([]);
  });

  it("core takes the time and its randomness as arguments, and never waits", () => {
    const ambient =
      /\bDate\.now\(|new Date\(\)|\bMath\.random\b|\bset(?:Timeout|Interval|Immediate)\(|\brandomBytes\(|\brandomUUID\(/;
    expect(
      inFolder("functions/core")
        .filter((file) => ambient.test(file.text))
        .map((file) => file.path),
    ).toEqual([]);
  });

  it("app imports core, its own ports and pure packages: no adapter, no SDK, no HTTP", () => {
    const allowed = (name: string) =>
      name.startsWith("functions/core/") ||
      name.startsWith("functions/app/") ||
      /^functions\/shared\/(env|bucket-layout|queue-limits|metric-names)\.ts$/.test(name) ||
      name === "valibot" ||
      name === "node:crypto";
    expect(strangers("functions/app", allowed)).toEqual([]);
  });

  it("adapters import no handler", () => {
    const allowed = (name: string) => !/^functions\/(?!core|app|adapters|shared)/.test(name);
    expect(strangers("functions/adapters", allowed)).toEqual([]);
  });

  it("a handler imports no other handler, and nothing of the constructs or the local engine", () => {
    const packages = new Set(["aws-lambda", "@valibot/to-json-schema"]);
    for (const name of ["ingress", "delivery", "admin", "sweeper", "alert"]) {
      const own = `functions/${name}/`;
      const allowed = (each: string) =>
        each.startsWith(own) ||
        isNode(each) ||
        /^functions\/(core|app|adapters|shared)\//.test(each) ||
        !each.includes("/");
      expect(strangers(`functions/${name}`, (each) => allowed(each) || packages.has(each))).toEqual([]);
    }
  });

  it("constructs and functions share names only: the environment's, the table's, the bucket's and the metrics'", () => {
    const shared = /^functions\/shared\/(env|table-layout|bucket-layout|queue-limits|metric-names)\.ts$/;
    expect(strangers("lib", (name) => !name.startsWith("functions/") || shared.test(name))).toEqual([]);
  });

  it("the command line knows what is pure: the core, what the admin API accepts, shows and refuses, whom the construct lets call", () => {
    const pure =
      /^functions\/(core\/.*|app\/admin\/(parse|policy-preview|problem|[a-z-]*schemas?))\.ts$|^lib\/access-calls\.ts$/;
    expect(strangers("cli", (name) => !/^(functions|lib|local)\//.test(name) || pure.test(name))).toEqual([]);
  });

  it("the page knows of the relay what the admin API shows, and what is pure; it reaches no Node", () => {
    const pure = /^functions\/core\/(ladder-rows|policy-preview|time-axis)\.ts$|^cli\/text\.ts$/;
    const packages = ["preact", "preact/hooks", "uplot", "uplot/dist/uPlot.min.css"];
    const allowed = (name: string) =>
      name.startsWith("console/src/") || packages.includes(name) || name === views || pure.test(name);
    const views = "functions/app/admin/view-schemas.ts";
    expect(strangers("console/src", allowed)).toEqual([]);
    // The schemas themselves stay out of the page: types only.
    const asValues = inFolder("console/src").filter(({ text }) => /^import \{.*view-schemas/m.test(text));
    expect(asValues.map(({ path }) => path)).toEqual([]);
  });

  it("what serves the page needs nothing but Node", () => {
    expect(strangers("console/serve", (name) => name.startsWith("console/serve/") || isNode(name))).toEqual([]);
  });

  it("has no import cycle", () => {
    const edges = new Map(files.map((file) => [file.path, file.imports.filter((name) => name.endsWith(".ts"))]));
    const finished = new Set<string>();
    const cycles: string[] = [];
    const visit = (path: string, trail: readonly string[]): void => {
      if (trail.includes(path)) cycles.push([...trail.slice(trail.indexOf(path)), path].join(" -> "));
      if (finished.has(path) || trail.includes(path)) return;
      for (const next of edges.get(path) ?? []) visit(next, [...trail, path]);
      finished.add(path);
    };
    for (const path of edges.keys()) visit(path, []);
    expect(cycles).toEqual([]);
  });
});

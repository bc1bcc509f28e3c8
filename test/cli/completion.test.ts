import { spawnSync } from "node:child_process";
import { beforeAll, describe, expect, it } from "vitest";
import { completableOf } from "../../cli/completion/completable.js";
import { steadyhookProgram } from "../../cli/main.js";
import { runCli } from "./run-cli.js";
import { silentIo } from "./silent-io.js";

const scriptFor = async (shell: string): Promise<string> => {
  const { code, stdout, stderr } = await runCli(["completion", shell]);
  expect([code, stderr]).toEqual([0, ""]);
  return stdout;
};

describe("in bash", () => {
  let script = "";
  beforeAll(async () => {
    script = await scriptFor("bash");
  });

  /** What the shell offers for the last word; bash takes `=` and `:` as words of their own. */
  function offered(line: string): string[] {
    const words = `steadyhook ${line}`.split(" ").flatMap((word) => word.split(/(?<=[=:])|(?=[=:])/));
    const asked = `${script}
COMP_WORDS=(${words.map((word) => `'${word}'`).join(" ")})
COMP_CWORD=${words.length - 1}
_steadyhook
printf '%s\\n' "\${COMPREPLY[@]}"`;
    const { stdout, stderr, status } = spawnSync("bash", ["--norc"], {
      input: asked,
      encoding: "utf8",
      cwd: "test/cli/cost",
    });
    expect([status, stderr]).toEqual([0, ""]);
    return stdout.split("\n").filter((word) => word !== "");
  }

  it("commands are offered, and what is below them", () => {
    expect(offered("sub")).toEqual(["subscriptions"]);
    expect(offered("deliveries ")).toEqual(["list", "show", "replay", "cancel"]);
    expect(offered("--url http://127.0.0.1:9 deliveries --json l")).toEqual(["list"]);
    expect(offered("help sources c")).toEqual(["create"]);
    expect(offered("deliveries list ")).toEqual([]);
  });

  it("options are offered, also those of every command", () => {
    expect(offered("deliveries list --s")).toEqual([
      "--status",
      "--subscription",
      "--source",
      "--since",
      "--stack",
      "--sign",
    ]);
    expect(offered("replay --dry")).toEqual(["--dry-run"]);
  });

  it("fixed values are offered, of options and of arguments", () => {
    expect(offered("deliveries list --status par")).toEqual(["parked"]);
    expect(offered("deliveries list --status=par")).toEqual(["parked"]);
    expect(offered("deliveries list --status=")).toHaveLength(6);
    expect(offered("sources create a --scheme s")).toEqual(expect.arrayContaining(["shopify", "slack", "stripe"]));
    expect(offered("policy preview --preset h")).toEqual(["hookwatch"]);
    expect(offered("iam-policy o")).toEqual(["operate"]);
    expect(offered("providers show strip")).toEqual(["stripe"]);
  });

  it("files are offered where a file is meant, nothing where a value is free", () => {
    expect(offered("apply us")).toEqual(["usual.txt"]);
    expect(offered("policy preview --svg unus")).toEqual(["unusual.txt"]);
    expect(offered("tail --source s")).toEqual([]);
    expect(offered("tail --source list --status d")).toEqual(["delivered", "dead_lettered"]);
  });
});

describe("of every shell", () => {
  const { commands, options } = completableOf(steadyhookProgram(silentIo()));

  it("the script has every command, option and fixed value", async () => {
    expect(commands.length).toBeGreaterThan(60);
    const names = [...options, ...commands.flatMap((command) => command.options)].flatMap((option) => option.names);
    const values = commands.flatMap((command) =>
      command.options.map(({ value }) => (value === "file" ? [] : (value ?? []))),
    );
    for (const shell of ["bash", "zsh", "fish"]) {
      const words = new Set((await scriptFor(shell)).match(/[\w.-]+/g));
      const shown = (name: string) => (shell === "fish" ? name.replace(/^--?/, "") : name);
      expect([...names.map(shown), ...values.flat()].filter((word) => !words.has(word))).toEqual([]);
      expect(commands.flatMap(({ path }) => path.split(" ")).filter((word) => word !== "" && !words.has(word))).toEqual(
        [],
      );
    }
  });

  it("what stands in the functions of bash and zsh needs no quotes", () => {
    const free = commands.flatMap(({ words, argument, options: own }) => [
      ...words.map(({ name }) => name),
      ...(argument === "file" ? [] : argument),
      ...own.flatMap(({ names, value }) => [...names, ...(value === "file" ? [] : (value ?? []))]),
    ]);
    expect(free.filter((word) => !/^[\w.-]+$/.test(word))).toEqual([]);
  });

  it.each(["zsh", "fish"])("%s: the script is made of quotes that end", async (shell) => {
    const outside = (await scriptFor(shell)).replaceAll(shell === "fish" ? /'(\\.|[^'\\])*'/g : /'[^']*'|\\'/g, "");
    const code = outside.split("\n").filter((line) => !line.startsWith("#"));
    expect(code.filter((line) => line.includes("'"))).toEqual([]);
    // The shell itself finds no fault either, on machines that have it.
    const { stderr, error } = spawnSync(shell, ["-n"], { input: await scriptFor(shell), encoding: "utf8" });
    expect(error === undefined ? stderr : "").toBe("");
  });

  it("another shell is refused", async () => {
    expect((await runCli(["completion", "tcsh"])).code).toBe(2);
  });
});

import type { Command } from "commander";
import { describe, expect, it } from "vitest";
import { steadyhookProgram } from "../../cli/main.js";
import { runCli } from "./run-cli.js";
import { silentIo } from "./silent-io.js";

/** Nothing listens there. */
const nowhere = { env: { STEADYHOOK_URL: "http://127.0.0.1:9" } };

const commands = [
  "sources",
  "sources list",
  "sources show",
  "sources create",
  "sources update",
  "sources delete",
  "subscriptions",
  "subscriptions list",
  "subscriptions show",
  "subscriptions create",
  "subscriptions update",
  "subscriptions delete",
  "subscriptions pause",
  "subscriptions resume",
  "subscriptions rotate-secret",
  "subscriptions revoke-secret",
  "deliveries",
  "deliveries list",
  "deliveries show",
  "events",
  "events list",
  "events show",
  "events body",
  "faults",
  "faults list",
  "faults show",
  "faults redrive",
  "publish",
  "apply",
  "stats",
  "tail",
  "iam-policy",
  "completion",
];

const namesOf = ({ options }: Command): readonly (string | undefined)[] => options.map(({ long }) => long);

const below = (command: Command): readonly Command[] => command.commands.flatMap((each) => [each, ...below(each)]);

const pathOf = (command: Command): readonly string[] =>
  command.parent === null ? [] : [...pathOf(command.parent), command.name()];

describe("the command line", () => {
  it.each(commands)("`%s --help` shows its use with examples, and which relay is meant", async (command) => {
    const { code, stdout, stderr } = await runCli([...command.split(" "), "--help"]);
    expect(code).toBe(0);
    expect(stderr).toBe("");
    expect(stdout).toContain(`Usage: steadyhook ${command}`);
    expect(stdout).toMatch(new RegExp(`Examples:\\n(  # .*\\n)?  steadyhook ${command.split(" ")[0]}`));
    expect(stdout).toContain("--stack <name>");
  });

  it.each(commands)("shows by `help %s` what `--help` shows", async (command) => {
    const words = command.split(" ");
    expect(await runCli(["help", ...words])).toEqual(await runCli([...words, "--help"]));
  });

  it("tells its version", async () => {
    expect(await runCli(["--version"])).toMatchObject({ code: 0, stdout: "1.2.3\n" });
  });

  it.each([
    ["nothing", []],
    ["a group without a command", ["sources"]],
    ["an unknown command", ["sorces"]],
    ["an unknown subcommand", ["sources", "lst"]],
    ["an unknown option", ["sources", "list", "--al"]],
    ["a missing argument", ["sources", "show"]],
    ["one argument too many", ["sources", "show", "a", "b"]],
    ["a choice that there is not", ["deliveries", "list", "--status", "lost"]],
    ["a time that is none", ["deliveries", "list", "--since", "yesterday"]],
    ["a URL that is none", ["--url", "ftp://relay", "stats"]],
    ["two relays", ["--url", "http://127.0.0.1:9", "--stack", "Relay", "stats"]],
    ["a signed URL without a region", ["--url", "https://hooks.example.com", "stats"]],
    ["two bodies", ["publish", "demo", "--data", "{}", "--file", "x"]],
    ["a file that is not there", ["apply", "/does/not/exist.json"]],
    ["a secret that is not there", ["sources", "create", "a", "--scheme", "github", "--secret", "env:MISSING"]],
    ["JSON that is none", ["sources", "create", "a", "--document", "{"]],
  ])("is refused with exit code 2 for %s, on stderr", async (_what, args) => {
    const { code, stdout, stderr } = await runCli(args, nowhere);
    expect(code).toBe(2);
    expect(stdout).toBe("");
    expect(stderr).not.toBe("");
  });

  it("refuses a name that is empty, or that a path would take for another one, wherever one is wanted", async () => {
    const named = below(steadyhookProgram(silentIo())).filter(
      ({ registeredArguments: [first] }) => first !== undefined,
    );
    const lines = named.map((command) => [...pathOf(command), ...command.registeredArguments.map(() => "")]);
    expect(lines.length).toBeGreaterThan(25);
    for (const line of [
      ...lines,
      ["sources", "show", ".."],
      ["sources", "show", " "],
      ["faults", "redrive", "a", ""],
    ]) {
      const { code, stdout, stderr } = await runCli([...line, "--json"], nowhere);
      expect([line, code, stdout]).toEqual([line, 2, ""]);
      expect([line, JSON.parse(stderr).error.code]).toEqual([line, "usage"]);
    }
    for (const line of ["deliveries list --source=", "tail --subscription=", "deliveries replay dlv_1 --to="]) {
      const { code, stderr } = await runCli(line.split(" "), nowhere);
      expect([code, stderr]).toEqual([2, expect.stringMatching(/error: --(source|subscription|to) is empty\.\n/)]);
    }
  });

  it("says what it did not foresee in one sentence, and where it happened to whoever asks", async () => {
    const options = ["sources", "list", "--json"];
    const broken = {
      get STEADYHOOK_URL(): string {
        throw new TypeError("no such thing");
      },
    };
    const { code, stdout, stderr } = await runCli(options, { env: broken });
    expect([code, stdout]).toEqual([1, ""]);
    const { error } = JSON.parse(stderr);
    expect(error).toMatchObject({ code: "unexpected", message: "Something unexpected went wrong: no such thing" });
    expect(error.fix).toContain("DEBUG=1");
    const asked = await runCli(["sources", "list"], { env: Object.assign(Object.create(broken), { DEBUG: "1" }) });
    expect(asked.stderr).toContain("no such thing\nTypeError: no such thing\n    at ");
  });

  it("has no option that one of every command would take the words of", () => {
    const root = steadyhookProgram(silentIo());
    const everywhere = namesOf(root);
    expect(below(root).flatMap((command) => namesOf(command).filter((name) => everywhere.includes(name)))).toEqual([]);
  });

  it("suggests what was probably meant", async () => {
    expect((await runCli(["sources", "lst"])).stderr).toContain("Did you mean list?");
  });

  it("fails with exit code 1 where no relay runs, and says what to do", async () => {
    const { code, stderr } = await runCli(["sources", "list"], nowhere);
    expect(code).toBe(1);
    expect(stderr).toContain("No relay answers at http://127.0.0.1:9");
    expect(stderr).toContain("npm start");
    expect(stderr).toContain("--url");
  });

  it("says so as JSON when JSON was asked for", async () => {
    const { stderr } = await runCli(["sources", "list", "--json"], nowhere);
    expect(JSON.parse(stderr).error).toMatchObject({ code: "not_reachable" });
    for (const line of [
      "sources lst",
      "sources",
      "deliveries list --status lost",
      "deliveries list --since yesterday",
    ]) {
      const { code, stdout, stderr: said } = await runCli([...line.split(" "), "--json"], nowhere);
      expect([code, stdout]).toEqual([2, ""]);
      expect(JSON.parse(said).error).toMatchObject({ code: "usage", message: expect.not.stringContaining("error:") });
    }
  });
});

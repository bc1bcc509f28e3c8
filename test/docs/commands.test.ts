import { type Command, CommanderError } from "commander";
import { describe, expect, test } from "vitest";
import { CliError } from "../../cli/cli-error.js";
import { steadyhookProgram } from "../../cli/main.js";
import { shellWords } from "../../cli/saved-request/shell-words.js";
import { silentIo } from "../cli/silent-io.js";
import { allPages, blocksOf, codeSpansOf, commandLinesOf, type Page, pageAt } from "./markdown.js";

const pages = allPages();

/** No command runs here. */
const io = silentIo();

/** Thrown once a line is understood, before its command does anything. */
class Understood extends Error {}

/** Null: the line is understood. Otherwise commander's code of what is wrong with it, or the sentence of our own. */
async function refusalOf(words: readonly string[]): Promise<string | null> {
  const program = steadyhookProgram(io).hook("preAction", () => {
    throw new Understood();
  });
  try {
    await program.parseAsync([...words], { from: "user" });
    return "nothing ran";
  } catch (error) {
    if (error instanceof Understood) return null;
    if (error instanceof CommanderError) return error.exitCode === 0 ? null : error.code;
    if (error instanceof CliError) return error.message;
    throw error;
  }
}

/** Words after `steadyhook`, up to where the shell would end the command. Null: the line does not call it. */
function callOf(line: string): readonly string[] | null {
  const call = /(?:^|[\s(])(?:npx )?steadyhook (.*)$/.exec(line)?.[1];
  if (call === undefined) return null;
  // Behind one of these, outside of quotes, something else begins.
  const own = /^(?:'[^']*'|"[^"]*"|[^'"#|<>&;)]|(?<=\S)#)*/.exec(call)?.[0] ?? "";
  const words = shellWords(own);
  return words[0] === undefined || words[0] === "…" ? null : words;
}

/** What a page shows as typed: each line of a shell block, and what stands behind the prompt of a transcript. */
const typedLinesOf = (page: Page): readonly string[] =>
  blocksOf(page).flatMap((block) =>
    commandLinesOf(block).filter((line) => block.language === "sh" || line.startsWith("$ ")),
  );

/** Mentions within sentences may leave out what is not their subject. */
const unfinished = [
  "commander.help",
  "commander.missingArgument",
  "commander.missingMandatoryOptionValue",
  "commander.optionMissingArgument",
];

async function problemsOf(lines: readonly string[], allowed: readonly string[] = []): Promise<readonly string[]> {
  const problems: string[] = [];
  for (const line of lines) {
    const words = callOf(line);
    const refusal = words === null ? null : await refusalOf(words);
    if (refusal !== null && !allowed.includes(refusal)) problems.push(`${line}: ${refusal}`);
  }
  return problems;
}

describe("command lines of the documentation", () => {
  test.each(pages.map((page) => [page.path, page] as const))(
    "%s: are understood by the program",
    async (_path, page) => {
      expect(await problemsOf(typedLinesOf(page))).toEqual([]);
      expect(await problemsOf(codeSpansOf(page), unfinished)).toEqual([]);
    },
  );

  test("are found where they are", () => {
    const calls = pages.flatMap(typedLinesOf).filter((line) => callOf(line) !== null);
    expect(calls.length).toBeGreaterThan(60);
    expect(callOf("id=$(npx steadyhook deliveries list --status parked | head -1)")).toEqual(
      "deliveries list --status parked".split(" "),
    );
    expect(callOf('npx steadyhook publish demo --data \'{"a":"b # c"}\'   # an event')).toEqual([
      ...["publish", "demo", "--data"],
      '{"a":"b # c"}',
    ]);
  });

  test("that are wrong are refused", async () => {
    expect(await refusalOf(["sources", "lst"])).toBe("commander.unknownCommand");
    expect(await refusalOf(["replay", "--sinse", "2h"])).toBe("commander.unknownOption");
    expect(await refusalOf(["deliveries", "list", "--status", "lost"])).toBe("commander.invalidArgument");
    expect(await refusalOf(["help", "sources", "create"])).toBeNull();
  });
});

/** `sources list`, … of every command that does something. */
function pathsOf(command: Command, path: readonly string[] = []): readonly string[] {
  const below = command.commands.flatMap((each) => pathsOf(each, [...path, each.name()]));
  return below.length > 0 ? below : [path.join(" ")];
}

/** `a b|c` stands for `a b` and `a c`. */
function spelledOut(code: string): readonly string[] {
  const [, before = "", alternatives = ""] = /^((?:[a-z]+ )?)([a-z-]+(?:\|[a-z-]+)*)/.exec(code) ?? [];
  return alternatives.split("|").map((each) => before + each);
}

test("docs/cli.md lists every command", () => {
  const listed = new Set(codeSpansOf(pageAt("docs/cli.md")).flatMap(spelledOut));
  const commands = pathsOf(steadyhookProgram(io)).filter((path) => path !== "help");
  expect(commands.length).toBeGreaterThan(40);
  expect(commands.filter((path) => !listed.has(path))).toEqual([]);
});

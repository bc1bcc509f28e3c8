import type { Argument, Command, Option } from "commander";
import { offeredFor } from "./offered.js";

/** What a shell has to know of a command line, taken from the program itself: it cannot fall behind. */
export interface Completable {
  /** The root and all commands below it. */
  readonly commands: readonly CompletableCommand[];
  /** Options that every command takes. */
  readonly options: readonly CompletableOption[];
}

export interface CompletableCommand {
  /** `sources create`; empty for the root. */
  readonly path: string;
  /** The next words that may follow. */
  readonly words: readonly Described[];
  readonly options: readonly CompletableOption[];
  /** What its first argument is. */
  readonly argument: Values;
}

export interface Described {
  readonly name: string;
  readonly description: string;
}

export interface CompletableOption {
  /** As they are written: `-y`, `--yes`. */
  readonly names: readonly string[];
  readonly description: string;
  /** Null: it takes none. */
  readonly value: Values | null;
}

/** What a value may be: one of these (none: whatever), or a file. */
export type Values = readonly string[] | "file";

export function completableOf(root: Command): Completable {
  const commands = below(root, "").filter(({ path }) => path !== "help");
  const groups = commands.filter(({ words }) => words.length > 0);
  const options = optionsOf(root).filter(({ names }) => !isVersion(names));
  return { commands: [...commands, ...groups.map(helpOf)], options };
}

/** `help sources create` is `sources create --help`: the same words may follow. */
const helpOf = ({ path, words }: CompletableCommand): CompletableCommand => ({
  path: `help ${path}`.trim(),
  words: words.filter(({ name }) => name !== "help"),
  options: [],
  argument: [],
});

function below(command: Command, path: string): readonly CompletableCommand[] {
  const visible = command.createHelp().visibleCommands(command);
  // `help` below a group says what `--help` does: it is offered where one begins.
  const shown = visible.filter((each) => path === "" || each.name() !== "help");
  const own: CompletableCommand = {
    path,
    words: shown.map((each) => ({ name: each.name(), description: firstSentence(each.description()) })),
    options: optionsOf(command).filter(({ names }) => (path === "" ? isVersion : isOwn)(names)),
    argument: valuesOf(command.registeredArguments[0]),
  };
  return [own, ...shown.flatMap((each) => below(each, `${path} ${each.name()}`.trim()))];
}

const isVersion = (names: readonly string[]): boolean => names.includes("--version");
const isOwn = (names: readonly string[]): boolean => !names.includes("--help");

const optionsOf = (command: Command): readonly CompletableOption[] =>
  command
    .createHelp()
    .visibleOptions(command)
    .map((option) => ({
      names: [option.short, option.long].filter((name) => name != null),
      description: option.description,
      value: option.required || option.optional ? valuesOf(option) : null,
    }));

function valuesOf(taker: Option | Argument | undefined): Values {
  if (taker === undefined) return [];
  const name = "flags" in taker ? taker.flags : `<${taker.name()}>`;
  return /<file>/.test(name) ? "file" : offeredFor(taker);
}

/** Shells show one line. */
const firstSentence = (text: string): string => text.split(/\.(?:\s|$)/)[0] ?? text;

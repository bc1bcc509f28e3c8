import type { Completable, CompletableOption, Values } from "./completable.js";

/** Shell functions that bash and zsh share: what stands in them is made of letters, digits and dashes only. */

/** What an option's value is where it is a file: no value looks like this. */
export const fileMark = "<file>";

/**
 * `_steadyhook_value COMMAND OPTION` prints what the option's value may be, nothing if it may be anything, and fails where
 * the option takes none. `_steadyhook_argument COMMAND` does the same for a command's first argument.
 */
export function valueFunctions({ commands, options }: Completable): string {
  const own = commands.flatMap((command) =>
    taking(command.options).map(([name, value]) => [`"${command.path} ${name}"`, value] as const),
  );
  const everywhere = taking(options).map(([name, value]) => [`*" ${name}"`, value] as const);
  const args = commands.filter(({ argument }) => printed(argument) !== "");
  return `_steadyhook_value() {
  case "$1 $2" in
${arms([...own, ...everywhere])}
    *) return 1 ;;
  esac
}

_steadyhook_argument() {
  case "$1" in
${arms(args.map(({ path, argument }) => [`"${path}"`, argument] as const))}
  esac
}`;
}

const taking = (options: readonly CompletableOption[]) =>
  options.flatMap(({ names, value }) => (value === null ? [] : names.map((name) => [name, value] as const)));

const printed = (values: Values): string => (values === "file" ? fileMark : values.join(" "));

/** An arm for each command that offers something: its statement, made of what it offers. */
export function commandArms<Offered>(
  { commands }: Completable,
  offeredBy: (command: Completable["commands"][number]) => readonly Offered[],
  statementOf: (offered: readonly Offered[]) => string,
): string {
  return commands
    .filter((command) => offeredBy(command).length > 0)
    .map((command) => `    "${command.path}") ${statementOf(offeredBy(command))} ;;`)
    .join("\n");
}

/** One arm for all patterns with the same values. */
function arms(cases: ReadonlyArray<readonly [pattern: string, values: Values]>): string {
  const patterns = new Map<string, string[]>();
  for (const [pattern, values] of cases) {
    patterns.set(printed(values), [...(patterns.get(printed(values)) ?? []), pattern]);
  }
  return [...patterns]
    .map(([values, each]) => `    ${each.join(" | ")}) ${values === "" ? "" : `echo "${values}" `};;`)
    .join("\n");
}

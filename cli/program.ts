import { Command, type CommanderError, Option } from "commander";
import { CliError } from "./cli-error.js";
import { defaultUrl } from "./connection.js";
import type { Io } from "./io.js";
import { withNulls } from "./option-values.js";
import { type GlobalOptions, Session } from "./session.js";

/** What runs when a command is called: its arguments in order, then its own options. */
export type Action<Options extends object> = (session: Session, options: Options, ...args: string[]) => Promise<void>;

const globalHeading = "Which relay, and how to show it:";

/** The root command, with what every command takes. `tells`: says itself what is wrong with a command line. */
export function rootCommand(io: Io, tells: boolean): Command {
  const root = new Command("steadyhook")
    .description("Drives a Steadyhook webhook relay: the local one (`npm start`), or one on AWS.")
    .version(io.version, "-V, --version", "show the version")
    .helpOption("-h, --help", "show this help")
    .helpCommand("help [command]", "show the help of a command")
    .configureHelp({ showGlobalOptions: true, styleTitle: (title) => title })
    .configureOutput({
      writeOut: (text) => io.stdout.write(text),
      writeErr: (text) => (tells ? io.stderr.write(text) : undefined),
      getOutHelpWidth: () => io.stdout.columns ?? 100,
      getErrHelpWidth: () => io.stderr.columns ?? 100,
      outputError: (text, write) => write(text),
    })
    .exitOverride()
    .showHelpAfterError("(`--help` shows what is possible)");
  for (const option of globalOptions()) root.addOption(option.helpGroup(globalHeading));
  return root;
}

function globalOptions(): readonly Option[] {
  return [
    new Option("--url <url>", `base URL of the relay (or STEADYHOOK_URL; default ${defaultUrl})`),
    new Option("--stack <name>", "relay of this CloudFormation stack; calls are signed with your AWS credentials"),
    new Option("--relay <path>", "which relay, in a stack with several"),
    new Option("--region <region>", "AWS region of the stack, or of the URL: its calls are signed"),
    new Option("--profile <name>", "AWS profile; calls are signed"),
    new Option("--sign", "sign calls with AWS credentials (default: for https, --stack, --region and --profile)"),
    new Option("--no-sign", "send calls unsigned").hideHelp(),
    new Option("--reason <text>", "what it is for: kept with every write in the audit trail"),
    new Option("--json", "print the relay's answer as JSON"),
  ];
}

/** Makes a command out of its parts: `examples` are whole command lines without `steadyhook `, with what they do. */
export function describeCommand(
  command: Command,
  description: string,
  examples: ReadonlyArray<readonly [line: string, meaning?: string]>,
): Command {
  const lines = examples.map(([line, meaning]) =>
    meaning === undefined ? `  steadyhook ${line}` : `  # ${meaning}\n  steadyhook ${line}`,
  );
  return command.description(description).addHelpText("after", `\nExamples:\n${lines.join("\n")}`);
}

/** Connects a command with what it does; its options are those of the command itself. */
export function run<Options extends object>(io: Io, command: Command, action: Action<Options>): Command {
  return command.action(async (...called: unknown[]) => {
    const options = withNulls(called.at(-2) as Options);
    const args = called.slice(0, -2) as string[];
    requireNames(command, args);
    await action(new Session(io, command.optsWithGlobals<GlobalOptions>()), options, ...args);
  });
}

/**
 * Refuses an argument, or an id in an option, that names nothing. A variable of a script that is not set comes as an
 * empty text; in a path it would name the list, as `.` and `..` would name what is above.
 */
function requireNames(command: Command, args: readonly (string | readonly string[] | undefined)[]): void {
  const { registeredArguments, options } = command;
  const named = [
    ...registeredArguments.map((argument, at) => [argument.name(), args[at]] as const),
    ...options
      .filter(({ flags }) => /<(id|subscription)>$/.test(flags))
      .map((option) => [option.long, command.getOptionValue(option.attributeName())] as const),
  ];
  for (const [name, given] of named) {
    const nameless = [given].flat().find((text) => typeof text === "string" && /^\s*$|^\.\.?$/.test(text));
    if (nameless === undefined) continue;
    const said = nameless.trim() === "" ? "is empty" : `must not be "${nameless}"`;
    throw new CliError(`${name} ${said}.`, { exitCode: 2, code: "usage", fix: "`--help` shows what is possible." });
  }
}

/** What commander stopped with as an error of ours; null: help and version, which are results. */
export function usageErrorOf({ exitCode, code, message }: CommanderError): CliError | null {
  if (exitCode === 0) return null;
  const isHelp = code === "commander.help";
  const said = isHelp ? "The command line is not complete." : message.replace(/^error: /, "");
  return new CliError(said, { exitCode: 2, code: "usage", fix: "`--help` shows what is possible." });
}

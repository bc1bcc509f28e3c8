import type { Completable, CompletableOption } from "./completable.js";

export function fishCompletion({ commands, options }: Completable): string {
  const paths = commands.map(({ path }) => path).filter((path) => path !== "");
  const taking = [
    ...commands.flatMap(({ path, options: own }) => namesTaking(own).map((name) => `${path} ${name}`)),
    ...namesTaking(options),
  ];
  return `# fish completion of steadyhook, as ~/.config/fish/completions/steadyhook.fish, or:
#   steadyhook completion fish | source

set -g __steadyhook_commands ${paths.map(quoted).join(" ")}
# Options whose value is the next word, by command, or of every command.
set -g __steadyhook_taking ${taking.map(quoted).join(" ")}

# Whether this is the command that is being written: its words, without options and their values.
function __steadyhook_at
    set -l at
    set -l takes no
    for word in (commandline -opc)[2..-1]
        if test $takes = yes
            set takes no
        else if string match -q -- '-*' $word
            if contains -- "$at $word" $__steadyhook_taking; or contains -- $word $__steadyhook_taking
                set takes yes
            end
        else if contains -- (string trim -- "$at $word") $__steadyhook_commands
            set at (string trim -- "$at $word")
        end
    end
    test "$at" = "$argv[1]"
end

complete -c steadyhook -f
${options.map((option) => `complete -c steadyhook ${optionText(option)}`).join("\n")}
${commands.flatMap(linesOf).join("\n")}
`;
}

const namesTaking = (options: readonly CompletableOption[]): readonly string[] =>
  options.flatMap(({ names, value }) => (value === null ? [] : names));

function linesOf({ path, words, options, argument }: Completable["commands"][number]): string[] {
  const complete = `complete -c steadyhook -n ${quoted(`__steadyhook_at "${path}"`)}`;
  return [
    ...words.map(({ name, description }) => `${complete} -a ${name} -d ${quoted(description)}`),
    ...options.map((option) => `${complete} ${optionText(option)}`),
    ...(argument === "file" ? [`${complete} -F`] : []),
    ...(argument !== "file" && argument.length > 0 ? [`${complete} -a ${quoted(argument.join(" "))}`] : []),
  ];
}

function optionText({ names, value, description }: CompletableOption): string {
  const flags = names.map((name) => (name.startsWith("--") ? `-l ${name.slice(2)}` : `-s ${name.slice(1)}`));
  return [...flags, ...takes(value), `-d ${quoted(description)}`].join(" ");
}

function takes(value: CompletableOption["value"]): readonly string[] {
  if (value === null) return [];
  if (value === "file") return ["-r -F"];
  return value.length === 0 ? ["-x"] : [`-x -a ${quoted(value.join(" "))}`];
}

const quoted = (text: string): string => `'${text.replaceAll(/['\\]/g, "\\$&")}'`;

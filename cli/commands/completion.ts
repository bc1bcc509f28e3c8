import { Argument, type Command } from "commander";
import { type Shell, shells } from "../completion/shells.js";
import type { Io } from "../io.js";
import { describeCommand, run } from "../program.js";

/** `steadyhook completion`: a script for the shell, made of the program as it is. */
export function addCompletion(root: Command, io: Io): void {
  const command = describeCommand(
    root.command("completion"),
    "Print a script with which the shell completes commands, options and their values.",
    [
      ["completion bash > ~/.local/share/bash-completion/completions/steadyhook"],
      ["completion zsh > ~/.zfunc/_steadyhook", "a folder of your $fpath"],
      ["completion fish > ~/.config/fish/completions/steadyhook.fish"],
    ],
  ).addArgument(new Argument("<shell>", "which one").choices(shells));
  run(io, command, async (session, _options, shell) => {
    const { completionScript } = await import("../completion/completion.js");
    session.io.stdout.write(completionScript(root, shell as Shell));
  });
}

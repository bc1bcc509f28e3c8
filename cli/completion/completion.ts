import type { Command } from "commander";
import { bashCompletion } from "./bash.js";
import { completableOf } from "./completable.js";
import { fishCompletion } from "./fish.js";
import type { Shell } from "./shells.js";
import { zshCompletion } from "./zsh.js";

const scripts = { bash: bashCompletion, zsh: zshCompletion, fish: fishCompletion } as const;

/** The script with which a shell completes the program's command lines; it asks nothing and runs nothing of ours. */
export const completionScript = (root: Command, shell: Shell): string => scripts[shell](completableOf(root));

import type { Completable, CompletableOption } from "./completable.js";
import { commandArms, fileMark, valueFunctions } from "./shell-functions.js";

/** For bash, from 3.2 on, which macOS has. */
export const bashCompletion = (completable: Completable): string => `# bash completion of steadyhook:
#   source <(steadyhook completion bash)

# The words that may follow a command.
_steadyhook_words() {
  case "$1" in
${commandArms(completable, ({ words }) => words.map(({ name }) => name), echoed)}
  esac
}

_steadyhook_options() {
  case "$1" in
${commandArms(completable, ({ options }) => namesOf(options), echoed)}
  esac
  echo "${namesOf(completable.options).join(" ")}"
}

${valueFunctions(completable)}

_steadyhook() {
  local current="\${COMP_WORDS[COMP_CWORD]}" at="" takes="" word offered index
  for ((index = 1; index < COMP_CWORD; index++)); do
    word="\${COMP_WORDS[index]}"
    if [[ "$word" == "=" ]]; then
      continue # bash makes three words of --name=value
    elif [[ -n "$takes" ]]; then
      takes=""
    elif [[ "$word" == -* ]]; then
      if _steadyhook_value "$at" "$word" >/dev/null; then takes="$word"; fi
    elif [[ " $(_steadyhook_words "$at") " == *" $word "* ]]; then
      at="\${at:+$at }$word"
    fi
  done
  if [[ "$current" == "=" ]]; then current=""; fi
  if [[ -n "$takes" ]]; then
    offered="$(_steadyhook_value "$at" "$takes")"
  elif [[ "$current" == -* ]]; then
    offered="$(_steadyhook_options "$at")"
  else
    offered="$(_steadyhook_words "$at") $(_steadyhook_argument "$at")"
  fi
  if [[ "$offered" == *"${fileMark}"* ]]; then
    compopt -o filenames 2>/dev/null
    COMPREPLY=($(compgen -f -- "$current"))
  else
    COMPREPLY=($(compgen -W "$offered" -- "$current"))
  fi
}

complete -F _steadyhook steadyhook
`;

const namesOf = (options: readonly CompletableOption[]): readonly string[] => options.flatMap(({ names }) => names);

const echoed = (names: readonly string[]): string => `echo "${names.join(" ")}"`;

import type { Completable, CompletableOption, Described } from "./completable.js";
import { commandArms, fileMark, valueFunctions } from "./shell-functions.js";

export const zshCompletion = (completable: Completable): string => `#compdef steadyhook
# zsh completion of steadyhook, as _steadyhook in a folder of $fpath, or after compinit:
#   source <(steadyhook completion zsh)

# The words that may follow a command.
_steadyhook_words() {
  case "$1" in
${commandArms(completable, ({ words }) => words, replied)}
    *) reply=() ;;
  esac
}

_steadyhook_options() {
  case "$1" in
${commandArms(completable, ({ options }) => describedOf(options), replied)}
    *) reply=() ;;
  esac
  reply+=(${list(describedOf(completable.options))})
}

${valueFunctions(completable)}

_steadyhook() {
  local at="" takes="" word
  local -a reply offered
  integer index
  for ((index = 2; index < CURRENT; index++)); do
    word="\${words[index]}"
    if [[ -n "$takes" ]]; then
      takes=""
    elif [[ "$word" == -*=* ]]; then
      continue
    elif [[ "$word" == -* ]]; then
      if _steadyhook_value "$at" "$word" >/dev/null; then takes="$word"; fi
    else
      _steadyhook_words "$at"
      if (( \${reply[(I)$word:*]} )); then at="\${at:+$at }$word"; fi
    fi
  done
  word="\${words[CURRENT]}"
  if [[ -z "$takes" && "$word" == -*=* ]]; then
    takes="\${word%%=*}"
    compset -P '*='
  fi
  if [[ -n "$takes" ]]; then
    offered=(\${=$(_steadyhook_value "$at" "$takes")})
  elif [[ "$word" == -* ]]; then
    _steadyhook_options "$at"
    _describe -o option reply
    return
  else
    _steadyhook_words "$at"
    if (( \${#reply} )); then _describe command reply; fi
    offered=(\${=$(_steadyhook_argument "$at")})
  fi
  if [[ "\${offered[1]}" == "${fileMark}" ]]; then
    _files
  elif (( \${#offered} )); then
    compadd -- "\${offered[@]}"
  fi
}

# In a folder of $fpath this file is the function itself.
if [[ "\${funcstack[1]}" == _steadyhook ]]; then
  _steadyhook "$@"
else
  compdef _steadyhook steadyhook
fi
`;

const describedOf = (options: readonly CompletableOption[]): readonly Described[] =>
  options.flatMap(({ names, description }) => names.map((name) => ({ name, description })));

const list = (each: readonly Described[]): string =>
  each.map(({ name, description }) => quoted(`${name}:${description}`)).join(" ");

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

const replied = (each: readonly Described[]): string => `reply=(${list(each)})`;

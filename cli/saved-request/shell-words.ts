import { usageError } from "../cli-error.js";

const simpleEscapes: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r", "\\": "\\", "'": "'", '"': '"' };

/** One piece of a word: quoted in one of three ways, an escaped character, or plain text. */
const piece = /'([^']*)'|\$'((?:[^'\\]|\\[\s\S])*)'|"((?:[^"\\]|\\[\s\S])*)"|\\(\r?\n|[\s\S])|([^\s'"\\$]+|\$)/y;

/** The words of a shell command, as browsers copy it: quotes and escapes, nothing that would run or expand. */
export function shellWords(command: string): string[] {
  const words: string[] = [];
  let word: string | null = null;
  for (let at = 0; at < command.length; ) {
    piece.lastIndex = at;
    const match = piece.exec(command);
    if (match === null) {
      if (!/\s/.test(command.charAt(at))) throw usageError("The curl command has a quote that does not end.");
      if (word !== null) words.push(word);
      word = null;
      at += 1;
      continue;
    }
    const text = pieceText(match);
    // A line break after a backslash joins two lines, and is no word.
    if (text !== null) word = (word ?? "") + text;
    at += match[0].length;
  }
  return word === null ? words : [...words, word];
}

function pieceText([, single, ansi, double, escaped, plain]: RegExpExecArray): string | null {
  if (single !== undefined) return single;
  if (ansi !== undefined) return ansi.replaceAll(/\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|([\s\S]))/g, ansiEscape);
  if (double !== undefined)
    return double.replaceAll(/\\(\r?\n|["\\$`])/g, (_, each: string) => (/\n/.test(each) ? "" : each));
  if (escaped !== undefined) return /\n/.test(escaped) ? null : escaped;
  return plain ?? "";
}

function ansiEscape(
  whole: string,
  hex: string | undefined,
  unit: string | undefined,
  letter: string | undefined,
): string {
  const code = hex ?? unit;
  return code === undefined ? (simpleEscapes[letter ?? ""] ?? whole) : String.fromCharCode(Number.parseInt(code, 16));
}

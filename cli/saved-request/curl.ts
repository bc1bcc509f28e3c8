import { usageError } from "../cli-error.js";
import { readInputFile } from "../json-document.js";
import { asHeaders, type SavedRequest, splitTarget } from "./saved-request.js";
import { shellWords } from "./shell-words.js";

export const isCurl = (text: string): boolean => /^\s*(\$ +)?curl\s/.test(text);

/** Options that say nothing about the request, with their short forms. */
const silent =
  /^(-[sSikLvgfO#]+|--(silent|show-error|include|insecure|location|verbose|globoff|fail|compressed|http1\.1|http2))$/;

const short: Readonly<Record<string, string>> = {
  "-X": "--request",
  "-H": "--header",
  "-d": "--data",
  "-A": "--user-agent",
};

/** A `curl` command, as browsers and log viewers copy it. Nothing is run; a body `@FILE` is read. */
export async function readCurl(text: string): Promise<SavedRequest> {
  const [, ...words] = shellWords(text.replace(/^\s*\$ +/, "").trim());
  const found = { method: undefined as string | undefined, url: undefined as string | undefined };
  const headers: (readonly [string, string])[] = [];
  const bodies: Buffer[] = [];
  for (const [option, value] of optionsOf(words)) {
    if (option === "--request") found.method = value;
    else if (option === "--url") found.url = value;
    else if (option === "--header") headers.push(readHeader(value));
    else if (option === "--user-agent") headers.push(["user-agent", value]);
    else if (/^--data(-raw|-binary|-ascii)?$/.test(option)) bodies.push(await readData(option, value));
    else
      throw usageError(
        `The curl command has ${option}, which is not understood here.`,
        "Leave it out if it does not change the request, or save the request as raw HTTP.",
      );
  }
  if (found.url === undefined) throw usageError("The curl command names no URL.");
  // What curl sends by itself.
  const form: readonly (readonly [string, string])[] =
    bodies.length > 0 && !headers.some(([name]) => name.toLowerCase() === "content-type")
      ? [["content-type", "application/x-www-form-urlencoded"]]
      : [];
  return {
    format: "a curl command",
    method: (found.method ?? (bodies.length > 0 ? "POST" : "GET")).toUpperCase(),
    ...splitTarget(found.url),
    headers: asHeaders([...headers, ...form]),
    body:
      bodies.length > 1
        ? Buffer.concat(bodies.flatMap((each, at) => (at === 0 ? [each] : [Buffer.from("&"), each])))
        : (bodies[0] ?? Buffer.alloc(0)),
    atMs: null,
    doubts: bodies.length === 0 ? [] : ["A body in a command line is text: bytes that are not UTF-8 are lost in it."],
  };
}

/** Options in their long form with their values; a word of its own is the URL. */
function optionsOf(words: readonly string[]): readonly (readonly [option: string, value: string])[] {
  const found: (readonly [string, string])[] = [];
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? "";
    const [, attached, rest] = /^(-[XHdA])([\s\S]+)$/.exec(word) ?? [];
    if (silent.test(word)) continue;
    if (!word.startsWith("-")) found.push(["--url", word]);
    else if (attached !== undefined && rest !== undefined) found.push([short[attached] ?? attached, rest]);
    else if (words[at + 1] === undefined) throw usageError(`The curl command's ${word} has no value.`);
    else found.push([short[word] ?? word, words[++at] ?? ""]);
  }
  return found;
}

function readHeader(text: string): readonly [string, string] {
  const at = text.indexOf(":");
  if (at > 0) return [text.slice(0, at), text.slice(at + 1)];
  throw usageError("The curl command has a header that is not NAME: VALUE.");
}

/** `--data @FILE` leaves line breaks out, `--data-binary` keeps them, `--data-raw` knows no files: as curl does. */
async function readData(option: string, value: string): Promise<Buffer> {
  if (option === "--data-raw" || !value.startsWith("@")) return Buffer.from(value);
  const bytes = await readInputFile(value.slice(1));
  if (option === "--data-binary") return bytes;
  return Buffer.from(bytes.toString("latin1").replaceAll(/[\r\n]/g, ""), "latin1");
}

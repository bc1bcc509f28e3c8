import type { HandshakeReply } from "./recognised.js";

/** Longest text, in UTF-8 bytes, that is echoed: challenges have some hundred characters. */
const longestEchoBytes = 1_024;

/**
 * Echoes a challenge, or refuses it: whoever finds the URL can have anything echoed where the provider does not sign
 * its handshakes. Control characters and `<` are in no challenge, and are never sent back; nor is what is no text.
 */
export function echo(challenge: unknown): HandshakeReply {
  if (typeof challenge !== "string" || challenge === "") return { refused: "the challenge is no text" };
  if (Buffer.byteLength(challenge) > longestEchoBytes) return { refused: "the challenge is too long" };
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it is about.
  if (/[\0-\x1f\x7f-\x9f<]|[\ud800-\udfff]/u.test(challenge)) {
    return { refused: "the challenge has characters that none has" };
  }
  return { echo: challenge };
}

/** What is wrong with a secret whose text is the key or the token itself; null when it is sound. */
export function textSecretProblem(value: string): string | null {
  if (value.trim() === "") return "is blank: anyone could sign with an empty key";
  if (value !== value.trim()) return "has white space around it: remove it";
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it is about.
  if (/[\0-\x1f\x7f]/.test(value)) return "has a line break or another control character in it: remove it";
  if (/^v\d+a?,wh[a-z]+_/.test(value)) return 'starts with a version such as "v1,": leave that out';
  return null;
}

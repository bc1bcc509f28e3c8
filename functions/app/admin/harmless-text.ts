/** Text for the eye: control and format characters are shown, never executed. */
export function harmless(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cf}]/gu, (character) =>
    /[\t\n\r]/.test(character) ? character : `\\u{${character.codePointAt(0)?.toString(16)}}`,
  );
}

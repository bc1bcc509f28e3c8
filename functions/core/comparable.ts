/**
 * JSON scalars as texts that are equal when, and only when, the values are: the first letter is the kind, so that `1`
 * and `"1"` differ. Texts are compared character by character. Numbers are compared by value, exactly: `1`, `1.0` and
 * `10e-1` are equal, `9007199254740993` and `9007199254740992`, which JavaScript takes for the same, are not.
 */

export const comparableText = (text: string): string => `s${text}`;

export const comparableLiteral = (value: boolean | null): string => `l${value}`;

/** More digits than any exponent has that still means something: what is so large or so small equals nothing. */
const mostExponentDigits = 15;

/** Of a JSON number as it is written. Null: its exponent is beyond all use, or it is no number. */
export function comparableNumber(written: string): string | null {
  const parts = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?)(\d+))?$/.exec(written);
  if (parts === null) return null;
  const [, sign, whole = "", fraction = "", exponentSign, exponentDigits = "0"] = parts;
  const digits = withoutLeadingZeros(whole + fraction);
  if (digits === "") return "n0";
  const exponent = withoutLeadingZeros(exponentDigits);
  if (exponent.length > mostExponentDigits) return null;
  const significant = withoutTrailingZeros(digits);
  const scale = digits.length - significant.length - fraction.length;
  const power = (exponentSign === "-" ? -1 : 1) * Number(exponent) + scale;
  return `n${sign}${significant}e${power}`;
}

function withoutLeadingZeros(digits: string): string {
  let start = 0;
  while (digits[start] === "0") start++;
  return digits.slice(start);
}

function withoutTrailingZeros(digits: string): string {
  let end = digits.length;
  while (digits[end - 1] === "0") end--;
  return digits.slice(0, end);
}

/** Crockford's base 32, lower case: no i, l, o, u; its order is ASCII order, so that encoded numbers sort. */
const alphabet = "0123456789abcdefghjkmnpqrstvwxyz";

/** The `length` lowest base-32 digits of a non-negative number, most significant first. */
export function toBase32(value: bigint, length: number): string {
  let text = "";
  for (let rest = value; text.length < length; rest >>= 5n) text = alphabet.charAt(Number(rest & 31n)) + text;
  return text;
}

/** Crockford's base 32, lower case: no i, l, o, u; its order is ASCII order, so that encoded numbers sort. */
const alphabet = "0123456789abcdefghjkmnpqrstvwxyz";
const bitsPerDigit = 5;

/** The `length` lowest base-32 digits of a whole number from 0 on, most significant first. */
export function numberToBase32(value: number, length: number): string {
  let digits = "";
  for (let rest = value; digits.length < length; rest = Math.floor(rest / 32)) {
    digits = alphabet.charAt(rest % 32) + digits;
  }
  return digits;
}

/** The first `length` base-32 digits of a row of bytes; throws where there are fewer. */
export function bytesToBase32(bytes: Buffer, length: number): string {
  if (bytes.length * 8 < length * bitsPerDigit) throw new RangeError(`${bytes.length} bytes are no ${length} digits`);
  let digits = "";
  for (let bit = 0; digits.length < length; bit += bitsPerDigit) {
    const at = bit >> 3;
    // A digit lies within two bytes.
    const pair = ((bytes[at] ?? 0) << 8) | (bytes[at + 1] ?? 0);
    digits += alphabet.charAt((pair >> (16 - bitsPerDigit - (bit & 7))) & 31);
  }
  return digits;
}

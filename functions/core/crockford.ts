/** Crockford's base 32, lower case: no i, l, o, u; its order is ASCII order, so that encoded numbers sort. */
const alphabet = "0123456789abcdefghjkmnpqrstvwxyz";

/** The `length` lowest base-32 digits of a non-negative number, most significant first. */
export function toBase32(value: bigint, length: number): string {
  const digits = value.toString(32).padStart(length, "0").slice(-length);
  // The engine's own digits go from 0 to v: up to h they are Crockford's.
  return digits.replace(/[i-v]/g, (digit) => alphabet.charAt(Number.parseInt(digit, 32)));
}

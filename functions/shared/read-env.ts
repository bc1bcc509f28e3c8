/** Reads what the constructs set. A missing variable is a deployment fault: the function fails at its first invocation. */

/** Text of a variable that must be there. */
export function required(name: string): string {
  const value = process.env[name];
  if (value === undefined || value === "") throw new Error(`environment variable ${name} is not set`);
  return value;
}

/** Entries of a variable that lists them separated by commas; none when it is absent. */
export function list(name: string): readonly string[] {
  return (process.env[name] ?? "")
    .split(",")
    .map((entry) => entry.trim())
    .filter((entry) => entry !== "");
}

/** Whole number of a variable, or the default when it is absent. */
export function wholeNumber(name: string, byDefault: number): number {
  const value = process.env[name];
  if (value === undefined || value === "") return byDefault;
  const number = Number(value);
  if (!Number.isInteger(number) || number < 0)
    throw new Error(`environment variable ${name} is no whole number: ${value}`);
  return number;
}

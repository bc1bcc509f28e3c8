import type { WrongField } from "../cli-error.js";
import type { Io } from "../io.js";
import type { FieldChange } from "./difference.js";

/** A secret of the file: where it is. */
export interface SecretSource {
  readonly env: string;
}

/** Reads secrets when they are to be sent. A variable that is missing is noted, so that all are told at once. */
export class SecretReader {
  readonly missing: WrongField[] = [];

  constructor(private readonly env: Io["env"]) {}

  read({ env: name }: SecretSource, path: string): string {
    const value = this.env[name] ?? "";
    if (value === "") this.missing.push({ field: path, reason: `the environment variable ${name} is not set` });
    return value;
  }

  /** How many different secrets these are, as the relay counts them: equal values are one. */
  count(secrets: readonly SecretSource[]): number {
    return new Set(secrets.map(({ env: name }) => this.env[name] ?? `\0${name}`)).size;
  }
}

/**
 * Why secrets are sent again. Values are never shown, so never compared: another number of them is a change, and so is
 * what `resend` says.
 */
export function secretChange(field: string, wanted: number, stored: number, resend: boolean): readonly FieldChange[] {
  if (wanted === 0 || (wanted === stored && !resend)) return [];
  return [{ field, from: amount(stored), to: wanted === stored ? "sent again" : amount(wanted) }];
}

const amount = (count: number): string | undefined => (count === 0 ? undefined : `${count} stored`);

import type { SecretReader } from "./secrets.js";
import { type Findings, nothing, type Subject } from "./step.js";

/** How a file is compared with a relay. */
export interface PlanOptions {
  /** `managedBy` of the file. */
  readonly owner: string;
  readonly secrets: SecretReader;
  /** Delete what the owner made and the file no longer names. */
  readonly prune: boolean;
  /** Send all secrets again: their values cannot be compared. */
  readonly updateSecrets: boolean;
  /** Change what another owner keeps, too. */
  readonly takeOver: boolean;
}

/** Set when an object is not this file's to change; what nobody keeps is anybody's. */
export function keptByAnother(
  subject: Subject,
  managedBy: string | null,
  { owner, takeOver }: PlanOptions,
): Findings | null {
  if (managedBy === null || managedBy === owner || takeOver) return null;
  return { ...nothing, foreign: [{ ...subject, owner: managedBy }] };
}

/** One thing that was looked at, in the order of the walk. A request is verified when every step of it is `ok`. */
export interface ExplanationStep {
  /** What was looked at, e.g. `header x-hub-signature-256`, `timestamp`, `signature`. */
  readonly step: string;
  readonly ok: boolean;
  /** What was found, as a sentence for the operator; never a secret, a credential or the right signature. */
  readonly detail: string;
}

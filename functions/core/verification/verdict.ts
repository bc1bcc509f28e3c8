/** What a verification found. The reason is for the operator's log; the provider is told nothing but 401. */
export type VerificationResult =
  | {
      readonly ok: true;
      /** Id of the secret that matched; null when the source does not verify. */
      readonly secretId: string | null;
    }
  | { readonly ok: false; readonly reason: string };

/** A secret with its value opened. */
export interface OpenSecret {
  readonly id: string;
  readonly value: string;
}

export const refuse = (reason: string): VerificationResult => ({ ok: false, reason });
